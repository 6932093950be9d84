import Foundation
import TestSupport
import Testing

@testable import Web

/// Making sure that it is the owner who changes an account, and not someone with a stolen token.
@Suite("Whoever has a token of an account", .blocking, .timeLimit(.minutes(2)))
struct OwnerChecksTests {
    private static let password = "tulip staple 42"

    private func changePassword(
        _ server: TestServer, _ token: String, from current: String, to new: String
    ) throws -> RawResponse {
        try server.send(
            "PUT", "/api/v1/me/password", token: token,
            json: #"{"currentPassword": "\#(current)", "newPassword": "\#(new)"}"#)
    }

    private func signIn(_ server: TestServer, _ name: String) throws -> RawResponse {
        try server.send(
            "POST", "/api/v1/sessions",
            json: #"{"username": "\#(name)", "password": "\#(Self.password)"}"#)
    }

    @Test("cannot guess its password without end by renaming it")
    func renaming() async throws {
        try await TestServer.run(
            .migrated, settings: ["SIGN_IN_ATTEMPTS_PER_NAME": "3"]
        ) { server in
            try Browser(server).signUp("rob")
            let token = try #require(try signIn(server, "rob").object["accessToken"] as? String)
            for _ in 0..<3 {
                let wrong = try changePassword(server, token, from: "wrong", to: "another one 7")
                #expect(wrong.status == 403)
            }
            let renamed = try server.send(
                "PATCH", "/api/v1/me", token: token, json: #"{"username": "robert"}"#)
            #expect(renamed.status == 200)
            let refused = try changePassword(server, token, from: "wrong", to: "another one 7")
            #expect(refused.status == 429)
            #expect(refused["retry-after"] != nil)
            #expect(try signIn(server, "robert").status == 201, "the owner is not kept out")
        }
    }

    @Test("cannot rename it without end")
    func renames() async throws {
        try await TestServer.run(.migrated) { server in
            let token = try await server.makeUser("rob")
            for number in 1...10 {
                let renamed = try server.send(
                    "PATCH", "/api/v1/me", token: token, json: #"{"username": "rob\#(number)x"}"#)
                #expect(renamed.status == 200)
            }
            let refused = try server.send(
                "PATCH", "/api/v1/me", token: token, json: #"{"username": "robert"}"#)
            #expect(refused.status == 429)
            let same = try server.send(
                "PATCH", "/api/v1/me", token: token,
                json: #"{"username": "rob10x", "bio": "Plays."}"#)
            #expect(same.status == 200, "the same name is no change")
        }
    }

    @Test("cannot give it its first password, which its owner can in the browser")
    func firstPassword() async throws {
        try await TestServer.run(.migrated) { server in
            let token = try await server.makeUser("rob")
            let refused = try changePassword(server, token, from: "", to: "another one 7")
            #expect(refused.status == 403)
            #expect(refused.text.contains("settings on the site"))
            let session = try server.database.session()
            #expect(try session.query("SELECT count(*) FROM passwords")[0][0] == 0)
        }
    }

    @Test("from elsewhere cannot keep the owner out by failing to sign in")
    func keptOut() async throws {
        try await TestServer.run(
            .migrated,
            settings: ["SIGN_IN_ATTEMPTS_PER_NAME": "3", "TRUSTED_PROXIES": "127.0.0.1"]
        ) { server in
            func signIn(_ password: String, from address: String) throws -> Int {
                try server.send(
                    "POST", "/api/v1/sessions", fields: [("X-Forwarded-For", address)],
                    json: #"{"username": "rob", "password": "\#(password)"}"#
                ).status
            }
            try Browser(server).signUp("rob")
            for _ in 0..<3 { #expect(try signIn("wrong", from: "203.0.113.5") == 401) }
            #expect(try signIn("wrong", from: "203.0.113.5") == 429)
            #expect(try signIn(Self.password, from: "198.51.100.7") == 201)
            // All addresses together have a bound, too.
            for number in 1...27 {
                #expect(try signIn("wrong", from: "203.0.\(number).5") == 401)
            }
            #expect(try signIn("wrong", from: "203.1.1.5") == 429)
        }
    }

    @Test("is signed in by the right password, however many renew its hash at once")
    func renewal() async throws {
        try await TestServer.run(.migrated, settings: ["PASSWORD_HASHERS": "3"]) { server in
            try Browser(server).signUp("rob")
            let session = try server.database.session()
            let hash: String = try session.query("SELECT hash FROM passwords")[0][0]
            // The same password at other costs, by a server that has them.
            let other = try await TestServer(.migrated, settings: ["PASSWORD_COST": "5"])
            try Browser(other).signUp("rob")
            let old: String = try other.database.session().query(
                "SELECT hash FROM passwords")[0][0]
            await other.stop()
            #expect(old.contains("ln=5") && hash.contains("ln=4"))
            for _ in 0..<10 {
                try session.query("UPDATE passwords SET hash = $1", [.text(old)])
                let connections = try (0..<4).map { _ in try RawConnection(port: server.port) }
                let body = #"{"username": "rob", "password": "\#(Self.password)"}"#
                for connection in connections {
                    try connection.send(
                        """
                        POST /api/v1/sessions HTTP/1.1\r\nHost: x\r\n\
                        Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\
                        \(body)
                        """)
                }
                let statuses = try connections.map { try $0.readResponse().status }
                #expect(statuses == [201, 201, 201, 201])
                let renewed: String = try session.query("SELECT hash FROM passwords")[0][0]
                #expect(renewed.contains("ln=4"))
            }
        }
    }

    @Test("of its owner's sees the counts of others beside a private list")
    func privateCounts() async throws {
        try await TestServer.run { server in
            let entries = #"{"entries": [{"gameId": 120, "platformId": 48}]}"#
            let ada = try await server.makeUser("ada")
            let browser = Browser(server)
            try browser.signUp("rob")
            let rob = try #require(try signIn(server, "rob").object["accessToken"] as? String)
            for token in [ada, rob] {
                #expect(
                    try server.send(
                        "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                        json: entries
                    ).status
                        == 200)
            }
            #expect(try browser.get("/@rob").text.contains("Loved by 1 other on "))
            _ = try server.send(
                "PATCH", "/api/v1/me", token: rob, json: #"{"visibility": "private"}"#)
            #expect(try browser.get("/@rob").text.contains("Loved by 1 other on "))
            #expect(try server.send("GET", "/@rob").status == 404)
        }
    }
}
