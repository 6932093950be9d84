import Foundation
import TestSupport
import Testing

@Suite("A start that can't succeed", .blocking)
struct RefusedStartTests {
    /// Starts a server with a socket that is passed to it, as systemd does.
    private static func start(
        _ database: TestDatabase?, _ environment: [String: String]
    ) async throws -> (RunningProgram, port: Int, adminPort: Int) {
        let program = try Program.server.startWithSocket(
            database: database,
            environment: ["LOOPS": "1", "ADMIN_LISTEN": "127.0.0.1:0"].merging(environment) { $1 })
        let port = try await program.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1
        let adminPort = try await program.waitForErrors(/monitors on 127\.0\.0\.1:(\d+)/).1
        return (program, try #require(Int(port)), try #require(Int(adminPort)))
    }

    private static func get(_ target: String, _ port: Int) throws -> RawResponse {
        let connection = try RawConnection(port: port)
        try connection.send(
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return try connection.readResponse()
    }

    @Test(
        "with wrong settings tells clients of a passed socket at once, and monitors the reason",
        arguments: [
            ["PORT": "many", "SITE_NAME": "Couch Club"],
            ["RULES_FILE": "/nowhere/rules.md", "SITE_NAME": "Couch Club"],
        ])
    func settings(environment: [String: String]) async throws {
        let database = try TestDatabase(.migrated)
        let (program, port, adminPort) = try await Self.start(database, environment)
        _ = try await program.waitForErrors(/error: the settings cannot be used: (PORT|RULES_FILE)/)
        let page = try Self.get("/", port)
        #expect(page.status == 503)
        #expect(page.text.contains("not set up correctly"), "\(page.text)")
        #expect(page.text.contains("Couch Club"))
        // Someone has to mend it.
        for promise in ["moment", "Try again in", "seconds"] {
            #expect(
                !page.text.replacing("Not available at the moment", with: "").contains(promise),
                "\(page.text)")
        }
        #expect(page["retry-after"] == "300")
        #expect(try Self.get("/ping", port).status == 200)
        let ready = try Self.get("/ready", adminPort)
        #expect(ready.status == 503)
        #expect(ready.text.contains("many") || ready.text.contains("/nowhere/rules.md"))
        // The public address says nothing of it.
        let health = try Self.get("/health", port)
        #expect(health.status == 503)
        #expect(!health.text.contains("many") && !health.text.contains("/nowhere"))
        program.send(signal: SIGTERM)
        #expect(try await program.end().status == 0)
    }

    @Test("with a schema that is too new does the same, and serves if that changes")
    func schema() async throws {
        let database = try TestDatabase(.migrated)
        try await PreviousVersionTests.upgrade(
            database, with: "ALTER TABLE platforms ADD COLUMN next integer;")
        let (program, port, adminPort) = try await Self.start(database, [:])
        #expect(try Self.get("/", port).status == 503)
        let ready = try Self.get("/ready", adminPort)
        #expect(ready.status == 503)
        #expect(ready.text.contains("newer"), "\(ready.text)")
        program.send(signal: SIGTERM)
        #expect(try await program.end().status == 0)
    }

    @Test("with wrong settings ends at once if it is started by hand")
    func byHand() async throws {
        let outcome = try await Program.server.run(environment: ["PORT": "many"])
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("PORT is \"many\""))
    }
}
