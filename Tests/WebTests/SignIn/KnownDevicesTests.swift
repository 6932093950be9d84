import Foundation
import TestSupport
import Testing

@Suite("A browser that someone has signed in with", .blocking)
struct KnownDevicesTests {
    private static func signOut(_ browser: Browser) throws {
        try browser.get("/settings")
        try browser.post("/sign-out")
    }

    @Test("is not kept out by wrong passwords from elsewhere, and has a limit of its own")
    func knownDevice() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_NAME": "3", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let rob = try server.browser("rob")
            let eve = try server.browser("eve")
            for browser in [rob, eve] { try Self.signOut(browser) }
            #expect(rob.cookies["__Host-device"] != nil, "it is known after signing out, too")
            // From anywhere.
            var statuses: [Int] = []
            for number in 0..<20 {
                statuses.append(
                    try Browser(server).signIn("rob", password: "guess \(number)").status)
            }
            #expect(statuses.prefix(3) == [401, 401, 401] && statuses.last == 429)
            #expect(try Browser(server).signIn("rob").status == 429)
            #expect(try eve.signIn("rob").status == 429, "she is known, but not as rob")
            #expect(try rob.signIn("rob").status == 303)
            try Self.signOut(rob)
            for _ in 0..<3 {
                #expect(try rob.signIn("rob", password: "wrong one 1").status == 401)
            }
            #expect(try rob.signIn("rob").status == 429, "a stolen cookie guesses no more")
        }
    }

    @Test("are forgotten when the password changes, since whoever knew it may have used theirs")
    func newPassword() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_NAME": "3", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let rob = try server.browser("rob")
            let intruder = Browser(server)
            #expect(try intruder.signIn("rob").status == 303)
            try Self.signOut(intruder)
            let new = "another tulip staple 42"
            try rob.get("/settings")
            let change = ["currentPassword": Browser.password, "newPassword": new]
            #expect(try rob.post("/settings/password", change).status == 303)
            #expect(try server.count("known_devices") == 1, "the one that changed it")
            for number in 0..<20 {
                _ = try Browser(server).signIn("rob", password: "guess \(number)")
            }
            #expect(try intruder.signIn("rob", password: "wrong one 1").status == 429)
            try Self.signOut(rob)
            #expect(try rob.signIn("rob", password: new).status == 303)
        }
    }

    @Test("may be a program that uses the API, which makes the secret itself")
    func programs() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_NAME": "3", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000"]
        try await TestServer.run(.migrated, settings: settings) { server in
            try Self.signOut(server.browser("rob"))
            func signIn(_ password: String, _ secret: String?) throws -> RawResponse {
                let device = secret.map { #", "deviceSecret": "\#($0)""# } ?? ""
                return try server.send(
                    "POST", "/api/v1/sessions",
                    json: #"{"username": "rob", "password": "\#(password)"\#(device)}"#)
            }
            let secret = String(repeating: "s", count: 42) + "A"
            #expect(try signIn(Browser.password, secret).status == 201)
            let statuses = try (0..<20).map { try signIn("guess \($0)", nil).status }
            #expect(statuses.last == 429)
            #expect(try signIn(Browser.password, nil).status == 429)
            let unknown = String(repeating: "u", count: 42) + "A"
            #expect(try signIn(Browser.password, unknown).status == 429)
            #expect(try signIn(Browser.password, secret).status == 201)
            // It has a limit of its own.
            for _ in 0..<3 { #expect(try signIn("wrong one 1", secret).status == 401) }
            #expect(try signIn(Browser.password, secret).status == 429)
            for malformed in ["", "x", secret + "A", String(repeating: "!", count: 43)] {
                let response = try signIn(Browser.password, malformed)
                try expectProblem(response, 422)
                #expect(response.text.contains("must be 32 bytes in base64url"))
            }
            let recovery = try server.send(
                "POST", "/api/v1/recovery",
                json: """
                    {"username": "rob", "code": "0000-0000-0000-0000", \
                    "newPassword": "daisy hammer 77", "deviceSecret": "\(unknown)"}
                    """)
            #expect(recovery.status == 401)
        }
    }

    @Test("is one of twenty, of which nothing readable is stored")
    func bounded() async throws {
        try await TestServer.run(.migrated) { server in
            let first = try server.browser("rob")
            let secret = try #require(first.cookies["__Host-device"])
            let stored: String = try server.database.session().query(
                "SELECT string_agg(d::text, '') FROM known_devices d")[0][0]
            #expect(!stored.contains(secret))
            for number in 0..<22 {
                try server.execute("UPDATE known_devices SET seen_at = seen_at - interval '1 day'")
                #expect(try Browser(server).signIn("rob").status == 303, "\(number)")
            }
            #expect(try server.count("known_devices") == 20)
            // The same browser is one device, however often it signs in.
            let browser = Browser(server)
            for _ in 0..<3 { #expect(try browser.signIn("rob").status == 303) }
            #expect(try server.count("known_devices") == 20)
            for forged in ["", "x", String(repeating: "A", count: 43)] {
                let other = Browser(server)
                other.cookies["__Host-device"] = forged
                #expect(try other.signIn("rob").status == 303)
            }
        }
    }
}
