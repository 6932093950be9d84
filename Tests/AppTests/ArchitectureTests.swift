import Foundation
import TestSupport
import Testing

@Suite("docs/architecture.md")
struct ArchitectureTests {
    private struct Target {
        let name: String
        /// In the repository.
        let folder: String
        let dependencies: Set<String>
        /// Whether others can import it.
        let isLibrary: Bool

        /// As the compiler knows it.
        var module: String { name.replacing("-", with: "_") }
        var isTest: Bool { folder.hasPrefix("Tests/") }
    }

    /// The targets of the package.
    private static func targets() throws -> [Target] {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/Package.swift", encoding: .utf8)
        let package = text[..<(text.range(of: "// Only script/fuzz")?.lowerBound ?? text.endIndex)]
        // Each declaration of a target begins a line with eight spaces and a point.
        return package.split(separator: "\n        .").compactMap { declaration in
            guard
                let target = declaration.firstMatch(
                    of:
                        /^(target|executableTarget|testTarget|systemLibrary|plugin)\(\s*name: "([^"]+)"/
                )
            else { return nil }
            let folder = declaration.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) }
            let list = declaration.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
            let dependencies = list.matches(of: /"([^"]+)"/).map { String($0.1) }
            return Target(
                name: String(target.2),
                folder: folder ?? (target.1 == "testTarget" ? "Tests/" : "Sources/") + target.2,
                dependencies: Set(dependencies),
                isLibrary: ["target", "systemLibrary"].contains(target.1))
        }
    }

    /// The Swift files of a folder, by their paths in it.
    private static func sources(in folder: String) throws -> [String: String] {
        let folder = TestDatabase.repository + "/" + folder
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") }
        return try Dictionary(
            uniqueKeysWithValues: paths.map { path in
                (path, try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8))
            })
    }

    /// The targets of each floor, from the lowest, as the document's table has them.
    private static func floors() throws -> [[String]] {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/docs/architecture.md", encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            guard let row = line.firstMatch(of: /^\| (machine|frame|product|surface) \| ([^|]+) \|/)
            else { return nil }
            return row.2.matches(of: /`([^`]+)`/).map { String($0.1) }
        }
    }

    @Test("names each target once, on a floor that needs none above it")
    func targets() throws {
        let targets = try Self.targets().filter { !$0.isTest }
        let floors = try Self.floors()
        #expect(floors.count == 4)
        #expect(targets.count > 40)
        #expect(floors.flatMap(\.self).sorted() == targets.map(\.name).sorted())
        let floor = Dictionary(
            floors.enumerated().flatMap { number, names in names.map { ($0, number) } },
            uniquingKeysWith: { first, _ in first })
        for target in targets {
            for dependency in target.dependencies {
                let above = (floor[dependency] ?? 0) > (floor[target.name] ?? 0)
                #expect(!above, "\(target.name) needs \(dependency), which is above it")
            }
        }
    }

    /// The compiler finds every module that is built, and SwiftPM's own check also lets a target import
    /// what its dependencies depend on. So this is what keeps `Web` from `StorageWrites`.
    @Test("has targets that declare those of them that they import, and no others")
    func imports() throws {
        let targets = try Self.targets()
        let modules = Set(targets.map(\.module))
        var count = 0
        for target in targets {
            let declared = targets.filter { target.dependencies.contains($0.name) }
            var unused = Set(declared.filter(\.isLibrary).map(\.module))
            for (path, text) in try Self.sources(in: target.folder) {
                // Also one with attributes, of one declaration, or of a part of a module; and not one in
                // the text of a template.
                for line in text.matches(of: /(?m)^(?:[@\w]\S* )*import (?:\w+ )?(\w+)\b/) {
                    let module = String(line.1)
                    guard modules.contains(module), module != target.module else { continue }
                    count += 1
                    unused.remove(module)
                    let isDeclared = declared.contains { $0.module == module }
                    #expect(isDeclared, "\(target.folder)/\(path): \(line.0)")
                }
            }
            #expect(unused == [], "\(target.name) declares what it doesn't import")
        }
        #expect(count > 1_000)
    }

    @Test("counts the lines of each target that use what is unsafe by its name")
    func unsafe() throws {
        let document = try String(
            contentsOfFile: TestDatabase.repository + "/docs/architecture.md", encoding: .utf8)
        let rows = document.matches(of: /(?m)^\| `(\w+)` \| (\d+) \|/)
        let documented = Dictionary(
            uniqueKeysWithValues: rows.map { (String($0.1), Int($0.2) ?? 0) })
        #expect(documented.count > 5)
        for target in try Self.targets() where !target.isTest {
            let lines = try Self.sources(in: target.folder).values.joined(separator: "\n")
                .split(separator: "\n").filter { $0.contains("Unsafe") }
            #expect(lines.count == documented[target.name] ?? 0, "\(target.name)")
        }
    }

    /// What a store can do is `package`, for the targets that contain the SQL.
    @Test("has a surface that runs no statement of its own")
    func statements() throws {
        for folder in ["Sources/Web", "Views"] {
            for (path, text) in try Self.sources(in: folder) {
                let match = text.firstMatch(of: /\.database\b|\bStatement\(|\bQuery\(\s*"|@_spi/)
                #expect(match == nil, "\(folder)/\(path): \(match?.0 ?? "")")
            }
        }
    }
}
