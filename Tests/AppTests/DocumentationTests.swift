import Foundation
import TestSupport
import Testing

@testable import App

@Suite("What operators read", .blocking)
struct DocumentationTests {
    private static let documents =
        ["README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md"]
        + ((try? FileManager.default.contentsOfDirectory(atPath: TestDatabase.repository + "/docs"))
        ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: TestDatabase.repository + "/" + path, encoding: .utf8)
    }

    /// Lines that follow each other and begin in the same way, without the beginning.
    private static func blocks(
        _ lines: [Substring], beginning prefix: some RegexComponent<Substring>
    ) -> [[String]] {
        var blocks: [[String]] = [[]]
        for line in lines {
            if let match = line.prefixMatch(of: prefix) {
                blocks[blocks.count - 1].append(String(line[match.range.upperBound...]))
            } else {
                blocks.append([])
            }
        }
        return blocks.filter { !$0.isEmpty }
    }

    private static func isSetting(_ line: String) -> Bool {
        line.prefixMatch(of: /[A-Z][A-Z0-9_]+=/) != nil
    }

    /// The blocks of settings of a document: what is shown as it is, or what a shell is told to write.
    private static func settings(ofDocument path: String) throws -> [[String]] {
        let lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false)
        return blocks(lines, beginning: #/    /#).compactMap { block -> [String]? in
            guard let start = block.firstIndex(where: { $0.hasSuffix("<<END") }),
                let end = block.firstIndex(of: "END")
            else { return block.first.map(isSetting) == true ? block : nil }
            let written = block[(start + 1)..<end]
            guard written.first.map(isSetting) == true else { return nil }
            let host = block.first { $0.hasPrefix("host=") }?.dropFirst("host=".count) ?? ""
            return written.map { $0.replacing("$host", with: host) }
        }
    }

    /// The blocks of settings in comments of a file.
    private static func settings(ofFile path: String) throws -> [[String]] {
        let lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false)
        return blocks(lines, beginning: /# +/).flatMap { comment in
            comment.split { !isSetting($0) }.map(Array.init)
        }
    }

    /// The settings of the container that the server runs in.
    private static func settingsOfCompose() throws -> [String] {
        let lines = try text("contrib/compose.yaml").split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.contains("environment: &settings") })
        return lines[(start + 1)...].prefix { $0.hasPrefix("      ") }.map { line in
            let setting = line.drop { $0 == " " }.replacing(": ", with: "=", maxReplacements: 1)
            return String(setting.replacing(/\$\{[A-Z_]+:-(.*)\}/) { $0.1 })
        }
    }

    @Test("has settings that systemd reads as they are meant, and that are valid as they are")
    func settings() async throws {
        var blocks = try Self.documents.filter { $0 != "CONTRIBUTING.md" }
            .flatMap { try Self.settings(ofDocument: $0) }
        #expect(blocks.count >= 7)
        let files = try FileManager.default.subpathsOfDirectory(
            atPath: TestDatabase.repository + "/contrib")
        for file in files where !file.hasSuffix(".json") && !file.hasPrefix("debian") {
            var isFolder: ObjCBool = false
            let path = TestDatabase.repository + "/contrib/" + file
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                !isFolder.boolValue
            else { continue }
            blocks += try Self.settings(ofFile: "contrib/" + file)
        }
        #expect(blocks.count >= 11)
        blocks.append(try Self.settingsOfCompose())
        try await TemporaryFolder.with { folder in
            try folder.write("secret", Data("secret".utf8))
            try folder.write("webhook", Data("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8))
            for block in blocks {
                var variables = EnvironmentFile.variables(block.joined(separator: "\n"))
                #expect(variables.count == block.count, "\(block)")
                for (name, value) in variables
                where name.hasSuffix("_FILE") && value.hasPrefix("/etc/") {
                    let file = name.contains("WEBHOOK") ? "webhook" : "secret"
                    variables[name] = "\(folder.path)/\(file)"
                }
                // What --check says of settings.
                let findings = Checkup.settings(SettingsReader(environment: variables)).1
                #expect(findings.map(\.line) == ["ok    settings: valid"], "\(block)")
            }
        }
    }

    @Test("is checked by a reader that knows what systemd does with comments, quotes and spaces")
    func environmentFile() {
        let variables = EnvironmentFile.variables(
            """
            # A=1
            ; B=2
              C=3  \t
            D=a b # c
            E="a # b" 'c d'
            F=a\\
            b
            HOST=0.0.0.0 PORT=443
            no variable
            G=
            H="\\$x \\y"
            """)
        #expect(
            variables == [
                "C": "3", "D": "a b # c", "E": "a # bc d", "F": "ab",
                "HOST": "0.0.0.0 PORT=443", "G": "", "H": "$x \\y",
            ])
    }

    @Test("has links that lead somewhere, also where the package installs it")
    func links() throws {
        for document in Self.documents {
            let folder = URL(fileURLWithPath: "/" + document).deletingLastPathComponent()
            for match in try Self.text(document).matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
                let target = folder.appending(path: String(match.1)).standardized.path
                #expect(
                    FileManager.default.fileExists(atPath: TestDatabase.repository + target),
                    "\(document): \(match.1)")
                guard document != "README.md", document != "CONTRIBUTING.md" else { continue }
                // script/package takes these, and leaves out how the package is made.
                let isInstalled =
                    target.hasPrefix("/docs/") || target.hasPrefix("/contrib")
                    || ["/SECURITY.md", "/CHANGELOG.md"].contains(target)
                #expect(
                    isInstalled && !target.hasPrefix("/contrib/debian"), "\(document): \(match.1)")
            }
        }
    }

    @Test("has no settings in units, because the programs read the files themselves")
    func units() throws {
        let folder = TestDatabase.repository + "/contrib/systemd"
        let services = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".service") }
        #expect(services.count == 4)
        for service in services {
            let text = try Self.text("contrib/systemd/" + service)
            #expect(!text.contains("\nEnvironment"), "\(service)")
        }
        // What follows from the units.
        let variables = EnvironmentFile.variables(try Self.text("contrib/package.conf"))
        #expect(Set(variables.keys) == ["ADMIN_LISTEN", "COVERS_FOLDER", "XDG_CACHE_HOME"])
        let findings = Checkup.settings(SettingsReader(environment: variables)).1
        #expect(findings.map(\.line) == ["ok    settings: valid"])
        // The operator's file sets nothing until the operator does.
        let stub = try Self.text("contrib/fave-games.conf")
        #expect(EnvironmentFile.variables(stub).isEmpty)
    }

    @Test("comes in a package that refuses programs which need Swift's libraries")
    func package() async throws {
        let folder = URL(fileURLWithPath: try Program.server.path).deletingLastPathComponent().path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestDatabase.repository + "/script/package")
        process.arguments = ["--programs", folder]
        let errors = Pipe.unshared()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.start()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(text.contains("needs libraries of Swift (lib"), "\(text)")
    }
}
