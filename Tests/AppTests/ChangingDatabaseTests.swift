import Postgres
import TestSupport
import Testing

@Suite("While the database is changed, a server", .blocking)
struct ChangingDatabaseTests {
    private static func set(_ database: TestDatabase, isReadOnly: Bool) throws {
        let session = try database.session()
        try session.execute("SET default_transaction_read_only = off")
        try session.execute(
            "ALTER DATABASE \(database.name) SET default_transaction_read_only = \(isReadOnly)")
    }

    private static func rename(_ server: TestServer, _ token: String) throws -> RawResponse {
        try server.send("PATCH", "/api/v1/me", token: token, json: #"{"displayName": "Rob"}"#)
    }

    @Test("starts and serves what can be read while it is read-only, and saves soon afterwards")
    func start() async throws {
        let database = try TestDatabase()
        let token = try await TestServer.run(on: database) { try await $0.makeUser("rob") }
        try Self.set(database, isReadOnly: true)
        try await TestServer.run(on: database) { server in
            for target in ["/", "/health", "/platforms/win", "/api/v1/users/rob"] {
                #expect(try server.send("GET", target).status == 200, "\(target)")
            }
            let refused = try Self.rename(server, token)
            #expect(refused.status == 503 && refused["retry-after"] != nil, "\(refused.text)")
            try Self.set(database, isReadOnly: false)
            try await eventually("saves") { try Self.rename(server, token).status == 200 }
        }
    }

    @Test("lives through changes of the tables that it reads and writes")
    func changes() async throws {
        try await TestServer.run { server in
            let token = try await server.makeUser("rob")
            let session = try server.database.session()
            for change in [
                "SELECT", "ALTER TABLE users ADD later integer",
                "ALTER TABLE users ALTER display_name TYPE varchar(1000)",
            ] {
                try session.execute(change)
                for _ in 0..<4 {
                    for target in ["/api/v1/me", "/api/v1/users?search=rob", "/"] {
                        let response = try server.send("GET", target, token: token)
                        #expect(response.status == 200, "\(change): \(target)")
                    }
                    #expect(try Self.rename(server, token).status == 200, "\(change)")
                }
            }
        }
    }
}
