import Foundation
import struct Identity.SecretToken
import TestSupport
import Testing

@Suite("Getting back in", .blocking)
struct RecoveryTests {
    private static let new = "daisy hammer 77"
    private static let settings = [
        "SIGN_IN_ATTEMPTS_PER_NAME": "1000", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000",
    ]

    private static func codes(_ page: RawResponse) -> [String] {
        let shown = page.text.firstMatch(of: /<textarea id="codes"[^>]*>([^<]*)</)
        return shown.map { $0.1.split(separator: "\n").map(String.init) } ?? []
    }

    static func makeCodes(_ rob: Browser) throws -> [String] {
        try rob.get("/settings")
        let page = try rob.post("/settings/recovery-codes", ["password": Browser.password])
        expectPage(page, 200, "we can’t show them again")
        #expect(page["cache-control"] == "no-store")
        return codes(page)
    }

    private static func recover(
        _ server: TestServer, _ name: String, _ code: String, _ password: String = new
    ) throws -> (RawResponse, Browser) {
        let browser = Browser(server)
        try browser.get("/sign-in/recover")
        let items = ["username": name, "code": code, "newPassword": password]
        return (try browser.post("/sign-in/recover", items), browser)
    }

    @Test("works with each recovery code once, however it is typed, and ends all sessions")
    func codes() async throws {
        try await TestServer.run(.migrated, settings: Self.settings) { server in
            let rob = try server.browser("rob")
            let eve = try server.browser("eve")
            let codes = try Self.makeCodes(rob)
            #expect(Set(codes).count == 10)
            let stored: String = try server.database.session().query(
                "SELECT string_agg(r::text, '') FROM recovery_codes r")[0][0]
            #expect(!codes.contains { stored.contains($0) })
            #expect(try rob.get("/settings").text.contains("10 unused codes"))

            // Nobody else's name, no other code, and no weak password uses one up.
            for (name, code) in [
                ("eve", codes[0]), ("nobody", codes[0]), ("rob", "0000-0000-0000-0000"),
                ("rob", ""), ("rob", codes[0] + "0"), ("rob", String(codes[0].dropLast())),
                ("!", codes[0]),
            ] {
                let (response, browser) = try Self.recover(server, name, code)
                expectPage(response, 401, "Wrong username or recovery code")
                #expect(browser.session == nil)
            }
            let (weak, _) = try Self.recover(server, "rob", codes[0], "password1")
            expectFault(weak, at: "new", "easy to guess")
            #expect(try server.count("recovery_codes") == 10)

            let typed = codes[0].uppercased().replacing("-", with: " ").replacing("1", with: "L")
            let (response, browser) = try Self.recover(server, "Rob", typed)
            #expect(response.status == 303, "\(response.text)")
            #expect(response["location"] == "/settings?saved=recovered")
            #expect(try browser.isSignedIn(as: "rob"))
            #expect(try !rob.isSignedIn)
            #expect(try eve.isSignedIn)
            #expect(try Browser(server).signIn("rob").status == 401)
            #expect(try Browser(server).signIn("rob", password: Self.new).status == 303)
            let (again, _) = try Self.recover(server, "rob", codes[0])
            expectPage(again, 401)
            // The others are gone, too: someone else may have made them.
            #expect(try server.count("recovery_codes") == 0)

            try browser.get("/settings")
            let fresh = try browser.post("/settings/recovery-codes", ["password": Self.new])
            #expect(Self.codes(fresh).count == 10)
            expectPage(try Self.recover(server, "rob", codes[1]).0, 401)
            // New codes replace the others.
            try browser.get("/settings")
            let newer = try browser.post("/settings/recovery-codes", ["password": Self.new])
            expectPage(try Self.recover(server, "rob", Self.codes(fresh)[0]).0, 401)
            try browser.get("/settings")
            expectFault(
                try browser.post("/settings/recovery-codes", ["password": "wrong"]),
                at: "codes-password", "Wrong password")
            try server.execute("UPDATE users SET disabled_at = now() WHERE username = 'rob'")
            expectPage(
                try Self.recover(server, "rob", Self.codes(newer)[0]).0, 403, "has disabled")
            #expect(try server.count("recovery_codes") == 10)
        }
    }

    @Test("by a code that comes twenty times at once works once")
    func race() async throws {
        try await TestServer.run(.migrated, settings: Self.settings) { server in
            let code = try Self.makeCodes(server.browser("rob"))[0]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try Self.recover(server, "rob", code, "daisy hammer \(number) 77").0.status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 303 } == 1, "\(statuses)")
            #expect(try server.count("recovery_codes") == 0)
        }
    }

    @Test("by guessing is limited like signing in from the address, and together with it")
    func limits() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_ADDRESS": "5"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let code = try Self.makeCodes(server.browser("rob"))[0]
            for _ in 0..<3 {
                #expect(try Self.recover(server, "rob", "0000-0000-0000-0000").0.status == 401)
            }
            for _ in 0..<2 {
                #expect(try Browser(server).signIn("rob", password: "wrong one 1").status == 401)
            }
            #expect(try Self.recover(server, "rob", code).0.status == 429)
        }
    }

    @Test("is closed to nobody by others who guess, and neither is signing in")
    func lockedOut() async throws {
        let settings = ["TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let code = try Self.makeCodes(server.browser("rob"))[0]
            func send(_ path: String, _ json: String, from address: String) throws -> Int {
                try server.send(
                    "POST", "/api/v1\(path)", fields: [("X-Forwarded-For", address)], json: json
                ).status
            }
            func recover(_ code: String, from address: String) throws -> Int {
                try send(
                    "/recovery",
                    #"{"username": "rob", "code": "\#(code)", "newPassword": "\#(Self.new)"}"#,
                    from: address)
            }
            func signIn(_ password: String, from address: String) throws -> Int {
                try send(
                    "/sessions", #"{"username": "rob", "password": "\#(password)"}"#, from: address)
            }
            // From five networks in each of three sites of one organisation.
            let networks = (0..<15).map { "2001:db8:1:\($0 % 3)0\($0 / 3)::1" }
            let guesses = try (0..<105).map {
                try recover("0000-0000-0000-0000", from: networks[$0 % 15])
            }
            #expect(guesses.count { $0 == 401 } >= 100)
            let wrong = try (0..<150).map {
                try signIn("wrong password", from: networks[$0 % 15])
            }
            #expect(wrong.contains(429))
            #expect(try signIn(Browser.password, from: "203.0.113.7") == 201)
            #expect(try recover(code, from: "203.0.113.8") == 204)
            #expect(try signIn(Self.new, from: "203.0.113.9") == 201)
        }
    }

    @Test("is offered at sign-up, with the way that one was on before one")
    func signUp() async throws {
        try await TestServer.run(.migrated) { server in
            let browser = Browser(server)
            try browser.get("/sign-up?return=%2Fgames")
            let page = try browser.post(
                "/sign-up",
                [
                    "username": "rob", "password": Browser.password, "codes": "yes",
                    "return": "/games",
                ])
            expectPage(page, 200, "href=\"/games\"")
            let codes = Self.codes(page)
            #expect(codes.count == 10)
            #expect(try browser.isSignedIn(as: "rob"))
            #expect(try Self.recover(server, "rob", codes[9]).0.status == 303)
        }
    }

    @Test("works with the operator's link once, within an hour, before the password changes")
    func links() async throws {
        try await TestServer.run(.migrated, settings: Self.settings) { server in
            let rob = try server.browser("rob")
            try server.browser("eve")
            func link(_ name: String = "rob", lifetime: String = "1 hour") throws -> String {
                let token = SecretToken()
                try server.execute(
                    """
                    INSERT INTO password_resets (token_hash, user_id, expires_at)
                    SELECT '\\x\(TestServer.hexadecimal(token.hash))', id,
                           now() + interval '\(lifetime)'
                    FROM users WHERE username = '\(name)'
                    """)
                return token.text
            }
            func reset(_ token: String, _ password: String = Self.new) throws -> RawResponse {
                let browser = Browser(server)
                try browser.get("/sign-in/recover")
                return try browser.post(
                    "/sign-in/reset", ["reset": token, "newPassword": password])
            }
            let token = try link()
            let page = try Browser(server).get("/sign-in/reset?token=\(token)")
            expectPage(page, 200, "For @rob")
            #expect(page["cache-control"] == "no-store")
            #expect(page["referrer-policy"] != nil)
            expectFault(try reset(token, "short"), at: "new", "at least 8")
            let other = try link()
            #expect(try reset(token)["location"] == "/settings?saved=recovered")
            #expect(try !rob.isSignedIn)
            #expect(try Browser(server).signIn("rob", password: Self.new).status == 303)
            // Replayed, another one that was lying around, expired, guessed.
            for dead in [
                token, other, try link(lifetime: "-1 second"), SecretToken().text, "", "x",
            ] {
                expectPage(try reset(dead, "yet another 99"), 403, "expired")
                expectPage(
                    try Browser(server).get("/sign-in/reset?token=\(dead)"), 403, "expired")
            }
            #expect(try Browser(server).signIn("rob", password: Self.new).status == 303)
            // A link is worth nothing once the password was changed in another way.
            let old = try link()
            let again = Browser(server)
            try again.signIn("rob", password: Self.new)
            #expect(
                try again.post(
                    "/settings/password",
                    ["currentPassword": Self.new, "newPassword": "tulip staple 43"]
                ).status == 303)
            expectPage(try reset(old), 403, "expired")
            #expect(try server.count("password_resets") == 0)
        }
    }

    @Test("has no pages where there are no passwords")
    func noLocalAccounts() async throws {
        let settings = [
            "LOCAL_ACCOUNTS": "off", "OIDC_ISSUER": "http://127.0.0.1:1", "OIDC_CLIENT_ID": "fave",
        ]
        try await TestServer.run(.migrated, settings: settings) { server in
            expectPage(try Browser(server).get("/sign-in/recover"), 404)
            #expect(try !Browser(server).get("/sign-in").text.contains("Forgot"))
        }
    }
}
