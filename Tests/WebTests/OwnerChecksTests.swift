import Foundation
import struct Identity.SecretToken
import TestSupport
import Testing

@testable import Web

/// Making sure that it is the owner who changes an account, and not someone with a stolen token.
@Suite("Whoever has a token of an account", .blocking)
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

    @Test("cannot change ways into an account without a password long after its sign-in")
    func freshness() async throws {
        let forms: [(path: String, items: [String: String])] = [
            ("/settings/passkeys/options", [:]), ("/settings/recovery-codes", [:]),
            ("/settings/tokens", ["name": "x", "scopes": "read", "expiresInDays": "30"]),
            ("/settings/password", ["newPassword": "another one 7"]),
            ("/settings/delete", ["username": "rob"]),
        ]
        try await TestServer.run(.migrated) { server in
            _ = try await server.makeUser("rob")
            let rob = try server.browser(signedInAs: "rob")
            try server.execute("UPDATE sessions SET created_at = now() - interval '11 minutes'")
            let before = try server.contents()
            for (path, items) in forms {
                expectPage(
                    try rob.post(path, items), 403, "sign-in from the last 10 minutes")
            }
            #expect(try server.contents() == before)
            for (path, items) in forms {
                try server.execute("UPDATE sessions SET created_at = now()")
                let status = try rob.post(path, items).status
                #expect([200, 303].contains(status), "\(path) \(status)")
                if path == "/settings/password" {
                    try server.execute("DELETE FROM passwords")
                    try rob.get("/settings")
                }
            }
            #expect(try server.count("users") == 0)
        }
    }

    @Test("that is a personal one can neither delete it nor change its password")
    func personalTokens() async throws {
        try await TestServer.run(.migrated) { server in
            try Browser(server).signUp("rob")
            let session = try signIn(server, "rob").object["accessToken"] as? String
            let made = try server.send(
                "POST", "/api/v1/me/tokens", token: session,
                json: #"{"name": "x", "scopes": ["account"], "password": "\#(Self.password)"}"#)
            let token = try #require(made.object["token"] as? String)
            let deleted = try server.send(
                "DELETE", "/api/v1/me?username=rob", token: token,
                json: #"{"password": "\#(Self.password)"}"#)
            try expectProblem(deleted, 403, "Personal tokens and apps can't do this")
            try expectProblem(
                changePassword(server, token, from: Self.password, to: "another one 7"), 403,
                "Personal tokens and apps can't do this")
            #expect(try server.count("users") == 1)
        }
    }

    /// What someone with the old password and a session writes again and again.
    enum LeftBehind: String, CaseIterable, Sendable {
        case token = "personal_tokens"
        case address = "mail_verifications"
        case codes = "recovery_codes"
    }

    @Test(
        "and its old password leaves nothing behind while its owner gets back in",
        arguments: LeftBehind.allCases)
    func recoveryRace(_ what: LeftBehind) async throws {
        let settings = [
            // Verifying takes long enough to be overtaken.
            "PASSWORD_COST": "12", "PASSWORD_HASHERS": "4",
            "SIGN_IN_ATTEMPTS_PER_NAME": "100000", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "100000",
            "RATE_LIMIT_WRITES": "0", "SMTP_URL": "smtp://127.0.0.1:1?tls=off",
            "SMTP_FROM": "Fave Games <games@fave.example>",
        ]
        try await TestServer.run(.migrated, settings: settings) { server in
            for round in 0..<12 {
                let name = "rob-\(round)"
                let cookies = try server.browser(name).cookies
                let token = try #require(try signIn(server, name).object["accessToken"] as? String)
                let link = SecretToken()
                try server.execute(
                    """
                    INSERT INTO password_resets (token_hash, user_id, expires_at)
                    SELECT '\\x\(TestServer.hexadecimal(link.hash))', id, now() + interval '1 hour'
                    FROM users WHERE username = '\(name)'
                    """)
                let isOver = Recorder<Bool>()
                let tried = Recorder<Int>()
                try await withThrowingTaskGroup { group in
                    for _ in 0..<3 {
                        group.addTask {
                            repeat {
                                let browser = Browser(server)
                                browser.cookies = cookies
                                tried.record(try Self.leave(what, server, token, browser))
                            } while isOver.count == 0
                        }
                    }
                    group.addTask {
                        try await eventually { tried.count > 3 }
                        let owner = Browser(server)
                        try owner.get("/sign-in/recover")
                        let items = ["reset": link.text, "newPassword": "another one 7"]
                        #expect(try owner.post("/sign-in/reset", items).status == 303)
                        isOver.record(true)
                    }
                    try await group.waitForAll()
                }
                #expect(try server.count(what.rawValue) == 0, "round \(round)")
            }
        }
    }

    private static func leave(
        _ what: LeftBehind, _ server: TestServer, _ token: String, _ browser: Browser
    ) throws -> Int {
        switch what {
        case .token:
            return try server.send(
                "POST", "/api/v1/me/tokens", token: token,
                json: #"{"name": "x", "scopes": ["account"], "password": "\#(password)"}"#
            ).status
        case .address:
            // So that the limit for mail isn't what stops this.
            try server.execute("DELETE FROM attempts")
            return try server.send(
                "PUT", "/api/v1/me/mail-address", token: token,
                json:
                    #"{"address": "e\#(Int.random(in: 0...99999))@x.example", "password": "\#(password)"}"#
            ).status
        case .codes:
            return try browser.post("/settings/recovery-codes", ["password": password]).status
        }
    }

    @Test("from elsewhere cannot keep the owner out by failing to sign in")
    func shutOut() async throws {
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
            #expect(try browser.get("/@rob").text.contains("On 1 other list<"))
            _ = try server.send(
                "PATCH", "/api/v1/me", token: rob, json: #"{"visibility": "private"}"#)
            #expect(try browser.get("/@rob").text.contains("On 1 other list<"))
            #expect(try server.send("GET", "/@rob").status == 404)
        }
    }
}
