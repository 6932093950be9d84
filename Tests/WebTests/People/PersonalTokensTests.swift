import Endpoints
import FaveGames
import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("A personal token", .blocking)
struct PersonalTokensTests {
    private static func make(
        _ server: TestServer, _ token: String, _ scopes: [TokenScope], days: String = "30",
        password: String? = nil
    ) throws -> (id: String, token: String) {
        let names = scopes.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        let secret = password.map { ", \"password\": \"\($0)\"" } ?? ""
        let made = try server.send(
            "POST", "/api/v1/me/tokens", token: token,
            json:
                "{\"name\": \"Sheet\", \"scopes\": [\(names)], \"expiresInDays\": \(days)\(secret)}"
        )
        guard made.status == 201 else { throw TestFailure("\(made.text)") }
        #expect(made["cache-control"] == "no-store")
        let object = try made.object
        return (try #require(object.string("id")), try #require(object.string("token")))
    }

    private static let identifier = "00000000-0000-4000-8000-000000000000"

    /// Every operation that takes a token, with what the token must allow.
    private static var guarded: [(method: String, path: String, access: RequiredAccess)] {
        Routes.all.filter { $0.kind == .api || $0.kind == .plainAPI }.compactMap { route in
            guard route.signIn == .required, let access = route.access else { return nil }
            let path = [
                "{entry}", "{id}", "{session}", "{token}", "{invitation}", "{circle}", "{member}",
            ].reduce(
                route.pattern.replacing("{case}", with: "1").replacing("{action}", with: "1")
                    .replacing("{snapshot}", with: "2026")
            ) { $0.replacing($1, with: identifier) }
            return (
                route.method.rawValue, path.replacing("{username}", with: "robert"), access
            )
        }
    }

    @Test("does what its scopes say, at every address, and nothing else")
    func scopes() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try await server.makeUser("rob")
            #expect(Self.guarded.count > 20)
            for scope in TokenScope.allCases {
                let (_, token) = try Self.make(server, rob, [scope])
                // The first use is noted, after the response.
                _ = try server.send("GET", "/api/v1/me", token: token)
                try await eventually {
                    try server.count("personal_tokens WHERE used_at IS NULL") == 0
                }
                let before = try server.contents()
                for (method, path, access) in Self.guarded where access != .scope(scope.rawValue) {
                    let response = try server.send(method, path, token: token, json: "{}")
                    #expect(response.status == 403, "\(scope) \(method) \(path): \(response.text)")
                    let field = try #require(response["www-authenticate"])
                    #expect(field.contains("error=\"insufficient_scope\""))
                    if case .scope(let needed) = access {
                        #expect(field.contains("scope=\"\(needed)\""))
                    }
                }
                for (method, path, access) in Self.guarded
                where access == .scope(scope.rawValue) && method == "GET" {
                    let response = try server.send(method, path, token: token)
                    #expect(
                        [200, 404].contains(response.status), "\(method) \(path): \(response.text)")
                }
                #expect(try server.contents() == before)
            }
        }
    }

    @Test("changes a list, and sees what is private, if it may")
    func use() async throws {
        try await TestServer.run { server in
            let rob = try await server.makeUser("rob")
            let (_, writer) = try Self.make(server, rob, [.writeList])
            let (_, reader) = try Self.make(server, rob, [.read])
            let added = try server.send(
                "POST", "/api/v1/me/list/entries", token: writer,
                json: #"{"gameId": 71, "platformId": 6}"#)
            #expect(added.status == 201, "\(added.text)")
            let changed = try server.send(
                "PATCH", "/api/v1/me", token: rob, json: #"{"visibility": "private"}"#)
            #expect(changed.status == 200)
            func list(_ token: String) throws -> Int {
                try server.send("GET", "/api/v1/me/list", token: token).status
            }
            #expect(try list(writer) == 403)
            #expect(try list(reader) == 200)
            func own() throws -> String {
                try server.send("GET", "/api/v1/me/tokens", token: rob).text
            }
            #expect(try !own().contains(reader))
            try await eventually("a note of its use") { try own().contains("\"usedAt\":\"20") }
            let stored: String = try server.database.session().query(
                "SELECT string_agg(t::text, '') FROM personal_tokens t")[0][0]
            #expect(!stored.contains(reader.dropFirst("fave_pat_".count)))
        }
    }

    @Test("is shown as expired when the database says so", arguments: [1, -1])
    func expired(clockOfDatabase hours: Int) async throws {
        let database = try TestDatabase(.migrated)
        let url = try database.movingClock(hours: hours)
        try await TestServer.run(on: database, settings: ["DATABASE_URL": url]) { server in
            let rob = try server.browser("rob")
            let access = try await server.token(of: "rob")
            _ = try Self.make(server, access, [.read], password: Browser.password)
            for (minutes, word) in [(1, "expires"), (-1, "expired")] {
                try server.execute(
                    "UPDATE personal_tokens"
                        + " SET expires_at = moved.now() + interval '\(minutes) minutes'")
                expectPage(try rob.get("/settings/tokens"), 200, " · \(word) ")
            }
        }
    }

    @Test("ends when it is revoked or expires, when its user is disabled, and after a recovery")
    func ends() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let access = try await server.token(of: "rob")
            func works(_ token: String) throws -> Bool {
                let status = try server.send("GET", "/api/v1/me", token: token).status
                #expect([200, 401].contains(status))
                return status == 200
            }
            let (id, token) = try Self.make(server, access, [.read], password: Browser.password)
            #expect(try works(token))
            for changed in [
                token + "x", String(token.dropLast()), "fave_pat_", String(token.dropFirst()),
                token.replacing("fave_pat_", with: "fave_pat-"),
            ] { #expect(try !works(changed)) }

            // Someone else can't revoke it.
            let eve = try await server.makeUser("eve")
            func revoke(_ who: String) throws {
                #expect(
                    try server.send("DELETE", "/api/v1/me/tokens/\(id)", token: who).status == 204)
            }
            try revoke(eve)
            #expect(try works(token))
            try revoke(access)
            #expect(try !works(token))

            let (_, other) = try Self.make(
                server, access, [.read], days: "null", password: Browser.password)
            let session = try server.database.session()
            try session.execute("UPDATE users SET disabled_at = now() WHERE username = 'rob'")
            #expect(try !works(other))
            try session.execute("UPDATE users SET disabled_at = NULL WHERE username = 'rob'")
            #expect(try works(other))
            try session.execute(
                "UPDATE personal_tokens SET expires_at = now() - interval '1 second'")
            #expect(try !works(other))

            let (_, last) = try Self.make(server, access, [.read], password: Browser.password)
            try rob.get("/settings")
            let page = try rob.post("/settings/recovery-codes", ["password": Browser.password])
            let code = try #require(
                page.text.firstMatch(of: /<textarea id="codes"[^>]*>([^<\n]*)/)
            ).1
            let browser = Browser(server)
            try browser.get("/sign-in/recover")
            let recovered = try browser.post(
                "/sign-in/recover",
                ["username": "rob", "code": String(code), "newPassword": "daisy hammer 77"])
            #expect(recovered.status == 303)
            #expect(try !works(last))
        }
    }

    @Test("is made with the password only, by a session only, and not in any number")
    func making() async throws {
        try await TestServer.run(
            .migrated, settings: ["RATE_LIMIT_WRITES": "0"]
        ) { server in
            _ = try server.browser("rob")
            let access = try await server.token(of: "rob")
            func attempt(_ json: String, _ token: String? = nil) throws -> RawResponse {
                try server.send(
                    "POST", "/api/v1/me/tokens", token: token ?? access, json: json)
            }
            for (json, status) in [
                (#"{"name": "x", "scopes": ["read"]}"#, 403),
                (#"{"name": "x", "scopes": ["read"], "password": "wrong"}"#, 403),
                (#"{"name": "", "scopes": ["read"]}"#, 422),
                (#"{"name": "x", "scopes": []}"#, 422),
                (#"{"name": "x", "scopes": ["write"]}"#, 422),
                (#"{"name": "x", "scopes": "read"}"#, 422),
                (#"{"name": "x", "scopes": ["read"], "expiresInDays": 31}"#, 422),
                (#"{"name": "x", "scopes": ["read", "read", "read", "read"]}"#, 422),
            ] {
                let response = try attempt(json)
                #expect(response.status == status, "\(json): \(response.text)")
            }
            #expect(try server.count("personal_tokens") == 0)
            let (_, all) = try Self.make(
                server, access, TokenScope.allCases, password: Browser.password)
            let json = #"{"name": "x", "scopes": ["read"], "password": "\#(Browser.password)"}"#
            try expectProblem(try attempt(json, all), 403, "Personal tokens and apps can't do this")

            let ann = try await server.makeUser("ann")
            for _ in 0..<50 { _ = try Self.make(server, ann, [.read]) }
            try expectProblem(
                try attempt(#"{"name": "x", "scopes": ["read"]}"#, ann), 409, "at most 50")
        }
    }

    @Test("is made, shown once and revoked in settings")
    func settings() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            try rob.get("/settings/tokens")
            func make(_ items: [(String, String)]) throws -> RawResponse {
                try rob.post(
                    "/settings/tokens", inOrder: items + [("token", try #require(rob.token))])
            }
            let right = [
                ("name", "Sheet <b>"), ("scopes", "read"), ("scopes", "list:write"),
                ("expiresInDays", ""),
                ("password", Browser.password),
            ]
            for (wrong, id, text) in [
                (("name", " "), "token-name", "1 to 60"),
                (("expiresInDays", "31"), "token-days", "Choose one."),
                (("password", "x"), "token-password", "Wrong password"),
            ] {
                let page = try make(right.map { $0.0 == wrong.0 ? wrong : $0 })
                expectFault(page, at: id, text)
            }
            expectPage(
                try make(right.filter { $0.0 != "scopes" }), 422, "Choose one.")
            let made = try make(right)
            expectPage(made, 200, "Copy your new token now")
            expectPage(made, 200, "Sheet &lt;b&gt;")
            expectPage(made, 200, "no expiry")
            #expect(made["cache-control"] == "no-store")
            let token = String(try #require(made.text.firstMatch(of: /fave_pat_[\w-]{43}/)).0)
            #expect(try server.send("GET", "/api/v1/me", token: token).status == 200)
            let page = try rob.get("/settings/tokens")
            #expect(!page.text.contains("fave_pat_"))
            expectPage(page, 200, "read, list:write · ")
            try await eventually("a note of its use") {
                try rob.get("/settings/tokens").text.contains("read, list:write · used")
            }
            let action = try #require(
                page.text.firstMatch(of: /action="(\/settings\/tokens\/[^"]*\/revoke)"/)
            ).1
            let revoked = try rob.post(String(action), [:])
            #expect(revoked["location"] == "/settings/tokens?revoked=yes")
            #expect(try server.send("GET", "/api/v1/me", token: token).status == 401)
        }
    }
}
