import Foundation
import JWTKit
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import Identity

@Suite("The server's key set", .blocking)
struct PublishedKeysTests {
    private struct Claims: JWTPayload {
        let iss: String
        let aud: [String]
        let sub: String
        let sid: String
        let iat: Double
        let exp: Double

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private func signIn(_ server: TestServer) throws -> String {
        let json = #"{"username": "rob", "password": "tulip staple 42"}"#
        _ = try server.send("POST", "/api/v1/users", json: json)
        let response = try server.send("POST", "/api/v1/sessions", json: json)
        return try #require(response.object["accessToken"] as? String)
    }

    private func keys(_ server: TestServer) throws -> RawResponse {
        let response = try server.send("GET", "/.well-known/jwks.json")
        #expect(response.status == 200)
        return response
    }

    @Test("verifies its access tokens, by anybody's library")
    func verifies() async throws {
        try await TestServer.run(.migrated) { server in
            let token = try signIn(server)
            let response = try keys(server)
            let collection = try await JWTKeyCollection().add(jwksJSON: response.text)
            let claims = try await collection.verify(token, as: Claims.self)
            #expect(claims.iss == "fave-games")
            #expect(claims.aud == ["fave-games"])
            #expect(claims.exp - claims.iat == 900)
            let session = try server.database.session()
            let ids = try session.query("SELECT id::text, user_id::text FROM sessions")
            #expect(try claims.sid == ids[0][0])
            #expect(try claims.sub == ids[0][1])
            #expect(response["cache-control"] == "public, max-age=60")
        }
    }

    @Test("has public halves only")
    func publicOnly() async throws {
        try await TestServer.run(.migrated) { server in
            let response = try keys(server)
            let set = try #require(try response.object["keys"] as? [[String: String]])
            #expect(set.count == 1)
            #expect(Set(set[0].keys) == ["kty", "crv", "use", "alg", "kid", "x"])
            let secret: String = try server.database.session()
                .query("SELECT private_key FROM signing_keys")[0][0]
            let seed = try #require(Data(base64Encoded: secret))
            #expect(!response.text.contains(seed.base64URL))
            #expect(!response.text.contains(secret))
        }
    }

    @Test("gets a new key, and nobody is signed out by that")
    func rotation() async throws {
        // However long the test takes, its tokens don't expire.
        let long = ["ACCESS_TOKEN_MINUTES": "1440"]
        let first = try await TestServer(.migrated, settings: long)
        let token = try signIn(first)
        try expectKeys(first, 1)
        await first.stop()
        // The other servers get its database.
        let settings = long.merging(["DATABASE_URL": first.database.url]) { $1 }
        let session = try first.database.session()
        let rotated = SigningKey.make()
        func setAge(_ interval: String) throws {
            try session.query(
                "UPDATE signing_keys SET created_at = now() - $2::text::interval WHERE id = $1",
                [.text(rotated.id), .text(interval)])
        }
        #expect(
            try StoredSigningKey.rotate(session, to: rotated, lifetime: .seconds(86_400)) == 0)
        try session.execute("UPDATE signing_keys SET created_at = now() - interval '1 day'")
        // It won't be old enough to sign while this server runs.
        try setAge("-1 day")
        try await TestServer.run(.empty, settings: settings) { server in
            // It knows both, and signs with the old one still.
            #expect(try server.send("GET", "/api/v1/me", token: token).status == 200)
            try expectKeys(server, 2)
            #expect(try UnverifiedToken(signIn(server)).header.keyID != rotated.id)
        }
        try setAge("5 minutes")
        var new = ""
        try await TestServer.run(.empty, settings: settings) { server in
            // The new one signs, and the old one verifies still.
            #expect(try server.send("GET", "/api/v1/me", token: token).status == 200)
            new = try signIn(server)
            #expect(try UnverifiedToken(new).header.keyID == rotated.id)
            #expect(try UnverifiedToken(token).header.keyID != rotated.id)
            let collection = try await JWTKeyCollection().add(jwksJSON: keys(server).text)
            for token in [token, new] {
                _ = try await collection.verify(token, as: Claims.self)
            }
        }
        // In haste, all that was signed before is void.
        #expect(
            try StoredSigningKey.rotate(session, to: SigningKey.make(), lifetime: .zero) == 2)
        try await TestServer.run(.empty, settings: settings) { server in
            #expect(try server.send("GET", "/api/v1/me", token: new).status == 401)
            try expectKeys(server, 1)
        }
    }

    private func expectKeys(_ server: TestServer, _ count: Int) throws {
        #expect(try (keys(server).object["keys"] as? [Any])?.count == count)
    }
}
