import Foundation
import TestSupport
import Testing

@Suite("docs/api.md", .blocking, .thorough)
struct APIGuideTests {
    /// The commands of the document, which a reader pastes into one shell.
    private static func commands(for address: String) throws -> String {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/docs/api.md", encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("    ") }
            .joined(separator: "\n").replacing("http://127.0.0.1:8080", with: address)
    }

    @Test("has commands that do what it says, in a fresh shell")
    func commands() async throws {
        try await TestServer.run(settings: [
            "NEW_LIST_DELAY_HOURS": "0", "API_READS_PER_MINUTE": "600",
        ]) { server in
            let rob = Person(server: server, token: try await server.makeUser("rob"))
            try rob.put([(71, 6), (120, 48)])
            // A status that says that something is wrong, and is not what the document shows, ends it.
            let commands = """
                set -euo pipefail
                curl() { if [[ "$*" == *2000000000* ]]; then command curl "$@"; else command curl -f "$@"; fi; }
                \(try Self.commands(for: "http://127.0.0.1:\(server.port)"))
                """
            let report = try PythonTools.run { folder in
                let script = folder + "/commands"
                try commands.write(toFile: script, atomically: true, encoding: .utf8)
                return [
                    "-c", "import os, sys; os.execv('/bin/bash', ['bash', sys.argv[1]])", script,
                ]
            }
            #expect(report.isClean, "\(report.text)")
            #expect(report.text.contains("unknown-platform"), "\(report.text)")
            #expect(report.text.contains("304"), "\(report.text)")
            #expect(report.text.contains("The cake."), "\(report.text)")
            #expect(report.text.contains("fave_pat_"), "\(report.text)")
            #expect(try server.count("circles") == 1)
        }
    }
}
