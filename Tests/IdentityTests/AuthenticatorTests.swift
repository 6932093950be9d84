import Foundation
import TestSupport
import Testing

@testable import Identity

/// Through the whole server, since the authenticator needs a store on a loop.
@Suite("A bearer token", .blocking)
struct AuthenticatorTests {
    private let key = TestKey.ed25519()

    /// A token of the trusted issuer, good until 2096.
    private func token(_ subject: String, _ claims: [String: Any] = [:]) throws -> String {
        try key.token(
            claims: ["sub": subject, "iat": NSNull(), "exp": 4_000_000_000].merging(claims) { $1 })
    }

    private func withServer(_ body: (TestServer) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-test-\(UUID().uuidString).pem")
        try Data(key.pem.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await TestServer.run(
            .migrated,
            settings: [
                "JWT_ISSUER": "https://issuer.example", "JWT_AUDIENCE": "fave",
                "JWKS_URL": file.absoluteString,
            ], body)
    }

    private func me(_ server: TestServer, _ token: String) throws -> [String: Any] {
        let response = try server.send("GET", "/api/v1/me", token: token)
        #expect(response.status == 200)
        return try response.object
    }

    @Test("of a subject never seen before makes a user with a neutral name and an unlisted list")
    func firstSeen() async throws {
        try await withServer { server in
            for (number, subject) in ["a", "b", "c"].enumerated() {
                let user = try me(
                    server,
                    token(
                        subject,
                        [
                            "preferred_username": "rob", "name": "Rob S.", "nickname": "r",
                            "email": "jo.doe@secret.example",
                        ]))
                let name = number == 0 ? "player" : "player-\(number + 1)"
                #expect(user["username"] as? String == name)
                #expect(user["displayName"] as? String == name)
                #expect(user["visibility"] as? String == "unlisted")
            }
        }
    }

    @Test("of the same subject speaks for the same user, whatever it is called by then")
    func sameSubject() async throws {
        try await withServer { server in
            let first = try me(server, token("a", ["nickname": "Rob"]))
            let again = try me(server, token("a", ["nickname": "Robert", "name": "Robert"]))
            #expect(first["id"] as? String == again["id"] as? String)
            let other = try me(server, token("A"))
            #expect(first["id"] as? String != other["id"] as? String)
        }
    }

    @Test("from before its user was deleted makes no new one, and a later one does")
    func retired() async throws {
        try await withServer { server in
            let now = Date().timeIntervalSince1970.rounded(.down)
            let old = try token("a", ["preferred_username": "rob", "iat": now - 60])
            let id = try me(server, old)["id"] as? String
            let deleted = try server.send("DELETE", "/api/v1/me?username=player", token: old)
            #expect(deleted.status == 204)
            #expect(try server.send("GET", "/api/v1/me", token: old).status == 401)
            let undated = try token("a", ["preferred_username": "rob"])
            #expect(try server.send("GET", "/api/v1/me", token: undated).status == 401)
            let other = try token("b", ["preferred_username": "ada", "iat": now - 60])
            // The name of the account that is gone is left alone for a while.
            let name = try me(server, other)["username"] as? String
            #expect(name?.hasPrefix("player") == true && name != "player")
            // As if it had been long ago.
            try server.database.session().execute(
                "UPDATE retired_identities SET retired_at = now() - interval '1 hour'")
            #expect(try me(server, old)["id"] as? String != id)
        }
    }

    @Test("deletes its user if it is of a sign-in from the last ten minutes")
    func deletion() async throws {
        try await withServer { server in
            let now = Date().timeIntervalSince1970.rounded(.down)
            func delete(_ claims: [String: Any]) throws -> Int {
                try server.send(
                    "DELETE", "/api/v1/me?username=player", token: token("a", claims)
                ).status
            }
            _ = try me(server, token("a", ["iat": now]))
            #expect(try delete(["iat": now - 700]) == 403)
            #expect(try delete(["iat": now, "auth_time": now - 700]) == 403)
            #expect(try delete([:]) == 403)
            #expect(try delete(["iat": now, "auth_time": now - 60]) == 204)
        }
    }

    @Test("of our own speaks for its user until the user is gone")
    func deletedUser() async throws {
        try await withServer { server in
            let token = try await server.makeUser("rob")
            #expect(try me(server, token)["username"] as? String == "rob")
            _ = try server.database.session().query("DELETE FROM users")
            let response = try server.send("GET", "/api/v1/me", token: token)
            #expect(response.status == 401)
            let count: Int = try server.database.session().query("SELECT count(*) FROM users")[0][0]
            #expect(count == 0, "and makes no new one")
        }
    }

    @Test("of our own must name its user by id")
    func ownSubject() async throws {
        try await withServer { server in
            _ = try await server.makeUser("rob")
            let session = try server.database.session()
            let id: String = try session.query("SELECT id FROM signing_keys")[0][0]
            #expect(!id.isEmpty)
            let forged = try key.token(claims: [
                "iss": "fave-games", "aud": "fave-games", "sub": "rob", "exp": 4_000_000_000,
                "iat": NSNull(),
            ])
            #expect(try server.send("GET", "/api/v1/me", token: forged).status == 401)
        }
    }

    @Test("that comes twenty times at once makes one user")
    func race() async throws {
        try await withServer { server in
            let token = try token("a", ["preferred_username": "rob"])
            let connections = try (0..<20).map { _ in try RawConnection(port: server.port) }
            for connection in connections {
                try connection.send(
                    "GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
            }
            let responses = try connections.map { try $0.readResponse() }
            #expect(responses.allSatisfy { $0.status == 200 })
            #expect(Set(responses.map(\.text)).count == 1)
            let count: Int = try server.database.session().query("SELECT count(*) FROM users")[0][0]
            #expect(count == 1)
        }
    }

    @Test("of twenty people who come at once makes twenty users")
    func sameNames() async throws {
        try await withServer { server in
            let tokens = try (0..<20).map { try token("s\($0)") }
            let connections = try tokens.map { token in
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
                return connection
            }
            let names = try connections.map { try $0.readResponse().object["username"] as? String }
            #expect(Set(names).count == 20)
            #expect(names.allSatisfy { $0?.hasPrefix("player") == true })
        }
    }
}
