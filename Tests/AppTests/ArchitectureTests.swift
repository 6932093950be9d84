import Foundation
import TestSupport
import Testing

@Suite("docs/architecture.md")
struct ArchitectureTests {
    private struct Target {
        let name: String
        let dependencies: Set<String>
    }

    /// The targets of the package, without those of tests.
    private static func targets() throws -> [Target] {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/Package.swift", encoding: .utf8)
        let package = text[..<(text.range(of: "// Only script/fuzz")?.lowerBound ?? text.endIndex)]
        // Each declaration of a target begins a line with eight spaces and a point.
        return package.split(separator: "\n        .").compactMap { declaration in
            guard
                let name = declaration.firstMatch(
                    of: /^(?:target|executableTarget|systemLibrary|plugin)\(\s*name: "([^"]+)"/),
                !declaration.contains(#"path: "Tests/"#)
            else { return nil }
            let list = declaration.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
            let dependencies = list.matches(of: /"([^"]+)"/).map { String($0.1) }
            return Target(name: String(name.1), dependencies: Set(dependencies))
        }
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
        let targets = try Self.targets()
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
}
