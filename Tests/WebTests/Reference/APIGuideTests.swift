import Foundation
import TestSupport
import Testing

@Suite("docs/api.md", .blocking, .thorough)
struct APIGuideTests {
    /// The commands of the document, which a reader pastes into one shell.
    private static func commands() throws -> String {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/docs/api.md", encoding: .utf8)
        // The example in HTML is for AppSignInTests.
        let rest = text.replacing(/```html[\s\S]*?```/, with: "")
        return rest.split(separator: "\n").filter { $0.hasPrefix("    ") }
            .map { $0.dropFirst(4) }.joined(separator: "\n")
    }

    private static func run(_ commands: String) throws -> PythonTools.Report {
        try PythonTools.run { folder in
            let script = folder + "/commands"
            try "set -euo pipefail\n\(commands)".write(
                toFile: script, atomically: true, encoding: .utf8)
            return [
                "-c", "import os, sys; os.execv('/bin/bash', ['bash', sys.argv[1]])", script,
            ]
        }
    }

    @Test("has commands that do what it says, in a fresh shell")
    func commands() async throws {
        try await TestServer.run(settings: [
            "NEW_LIST_DELAY_HOURS": "0", "API_READS_PER_MINUTE": "600",
        ]) { server in
            let rob = Person(server: server, token: try await server.makeUser("rob"))
            try rob.put([(71, 6), (120, 48)])
            // A status that says that something is wrong, and is not what the document shows, ends it.
            let address = "http://127.0.0.1:\(server.port)"
            let report = try Self.run(
                """
                curl() { if [[ "$*" == *2000000000* ]]; then command curl "$@"; else command curl -f "$@"; fi; }
                \(try Self.commands().replacing("http://127.0.0.1:8080", with: address))
                """)
            #expect(report.isClean, "\(report.text)")
            #expect(report.text.contains("unknown-platform"), "\(report.text)")
            #expect(report.text.contains("304"), "\(report.text)")
            #expect(report.text.contains("The cake."), "\(report.text)")
            #expect(report.text.contains("fave_pat_"), "\(report.text)")
            #expect(try server.count("circles") == 1)
        }
    }

    @Test("has a receiver of webhooks that takes what a server sends, and nothing else")
    func receiver() async throws {
        let commands = try Self.commands()
        let end = "\nEND\n"
        let start = try #require(commands.range(of: "cat > receiver.py")).lowerBound
        let stop = try #require(commands.range(of: end, range: start..<commands.endIndex))
        let port = try UnusedPort().number
        try await TestServer.run(.migrated, settings: ["WEBHOOK_NETWORKS": "any"]) { server in
            let token = try await server.makeUser("rob")
            let circles = try server.send(
                "POST", "/api/v1/circles", token: token, json: #"{"name": "Couch Club"}"#)
            let circle = try #require(circles.object["id"] as? String)
            let report = try Self.run(
                """
                \(commands[start..<stop.upperBound])
                webhook=http://127.0.0.1:\(server.port)/api/v1/circles/\(circle)/webhook
                me='Authorization: Bearer \(token)'
                receiver=http://127.0.0.1:\(port)/
                export WEBHOOK_SECRET=$(curl -sf -X PUT $webhook -H "$me" -d "{\\"address\\": \\"$receiver\\"}" \
                    -H 'Content-Type: application/json' | jq -r .secret)
                PORT=\(port) python3 receiver.py >received 2>log &
                trap "kill $!" EXIT
                until curl -s -o /dev/null $receiver; do sleep 0.1; done
                curl -sf -X POST $webhook/test -H "$me"
                until grep webhook.test received; do sleep 0.1; done
                for signature in '' v1,AAAA é; do
                    curl -s -o /dev/null -w '%{http_code} ' $receiver -d '{}' -H 'webhook-id: 1' \
                        -H "webhook-timestamp: $(date +%s)" -H "webhook-signature: $signature"
                done
                """)
            #expect(report.isClean, "\(report.text)")
            #expect(report.text.contains("This is a test. News of Couch Club"), "\(report.text)")
            #expect(report.text.contains("401 401 401"), "\(report.text)")
        }
    }
}
