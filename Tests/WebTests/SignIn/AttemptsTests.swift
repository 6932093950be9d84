import Crypto
import Foundation
import TestSupport
import Testing

@Suite("Attempts to sign in", .blocking)
struct AttemptsTests {
    private func expectTooMany(
        _ response: RawResponse, within seconds: Int, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 429, "\(response.text)", sourceLocation: location)
        #expect(response.setCookie(Browser.sessionCookie) == nil, sourceLocation: location)
        let wait = response["retry-after"].flatMap { Int($0) } ?? 0
        #expect((1...seconds).contains(wait), "\(wait)", sourceLocation: location)
        #expect(response.text.contains("Too many attempts"), sourceLocation: location)
    }

    @Test("with one name are bounded, in whatever case and at pages and API alike")
    func perName() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_NAME": "3"]
        try await TestServer.run(.migrated, settings: settings) { server in
            try server.browser("rob")
            let browser = Browser(server)
            for name in ["rob", "ROB", "Rob"] {
                #expect(try browser.signIn(name, password: "wrong password").status == 401)
            }
            expectTooMany(try browser.signIn("rob"), within: 300)
            let api = try server.send(
                "POST", "/api/v1/sessions",
                json: #"{"username": "rob", "password": "\#(Browser.password)"}"#)
            try expectProblem(api, 429)
            expectTooMany(api, within: 300)
            // Nor is it told whether there is such a name.
            for _ in 0..<3 { try browser.signIn("nobody-here", password: "wrong password") }
            expectTooMany(try browser.signIn("nobody-here"), within: 300)
            #expect(try browser.signIn("ada").status == 401, "others are not concerned")
            try server.execute("UPDATE attempts SET empty_at = empty_at - interval '5 minutes'")
            #expect(try browser.signIn("rob").status == 303)
        }
    }

    @Test("are forgiven by one that succeeds")
    func forgiven() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_NAME": "2", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "3"]
        try await TestServer.run(.migrated, settings: settings) { server in
            try server.browser("rob")
            let browser = Browser(server)
            for _ in 0..<2 {
                #expect(try browser.signIn("rob", password: "wrong password").status == 401)
                #expect(try browser.signIn("rob").status == 303)
                browser.cookies = [:]
            }
            // Two have failed from this address; those that succeeded do not count.
            #expect(try browser.signIn("ada").status == 401)
            expectTooMany(try browser.signIn("rob"), within: 300)
        }
    }

    @Test("to confirm a change count as those to sign in")
    func confirming() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_NAME": "3"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let rob = try server.browser("rob")
            let change = ["currentPassword": "wrong password", "newPassword": "daisy hammer 77"]
            let delete = ["username": "rob", "password": "wrong password"]
            expectFault(
                try rob.post("/settings/password", change), at: "current", "Wrong password")
            expectFault(
                try rob.post("/settings/delete", delete), at: "delete-password", "Wrong password")
            expectFault(
                try rob.post("/settings/password", change), at: "current", "Wrong password")
            let right = ["username": "rob", "password": Browser.password]
            expectTooMany(try rob.post("/settings/delete", right), within: 300)
            expectTooMany(
                try rob.post(
                    "/settings/password",
                    ["currentPassword": Browser.password, "newPassword": "daisy hammer 77"]),
                within: 300)
            #expect(try rob.isSignedIn)
            #expect(try server.count("users") == 1)
        }
    }

    @Test("from one address are bounded, whatever it claims to be")
    func perAddress() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_ADDRESS": "3", "TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.run(.migrated, settings: settings) { server in
            try server.browser("rob")
            let browser = Browser(server)
            try browser.get("/sign-in")
            func post(_ name: String, from address: String) throws -> RawResponse {
                try browser.post(
                    "/sign-in", ["username": name, "password": "wrong password"],
                    fields: [("Origin", Browser.origin), ("X-Forwarded-For", address)])
            }
            for number in 0..<3 {
                #expect(try post("name-\(number)", from: "203.0.113.7").status == 401)
            }
            expectTooMany(try post("rob", from: "203.0.113.7"), within: 300)
            // What a client sends stands before what the proxy has added.
            expectTooMany(try post("rob", from: "198.51.100.1, 203.0.113.7"), within: 300)
            expectTooMany(try post("rob", from: "203.0.113.7,127.0.0.1"), within: 300)
            #expect(try post("rob", from: "203.0.113.8").status == 401)
            // Whoever has one address of such a network has them all.
            for number in 0..<3 {
                #expect(try post("name-\(number)", from: "2001:db8:1:2::\(number)").status == 401)
            }
            expectTooMany(try post("rob", from: "2001:db8:1:2:ffff:1:2:3"), within: 300)
            #expect(try post("rob", from: "2001:db8:1:3::1").status == 401)
        }
    }

    @Test("are stored as digests that nobody can make without the servers' key")
    func digests() async throws {
        let settings = [
            "TRUSTED_PROXIES": "127.0.0.1", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "4",
        ]
        try await TestServer.run(.migrated, settings: settings) { server in
            let other = try await TestServer.beside(server, settings: settings)
            func signIn(_ server: TestServer) throws -> Int {
                try server.send(
                    "POST", "/api/v1/sessions", fields: [("X-Forwarded-For", "203.0.113.7")],
                    json: #"{"username": "rob", "password": "wrong password"}"#
                ).status
            }
            for server in [server, other, server, other] { #expect(try signIn(server) == 401) }
            for server in [server, other] {
                #expect(try signIn(server) == 429, "all servers have the same key")
            }
            await other.stop()
            let keys: String = try server.database.session().query(
                "SELECT string_agg(key, ' ') FROM attempts")[0][0]
            #expect(keys.split(separator: " ").count == 3)
            for guess in ["from\n203.0.113.7", "sign-in\nrob", "sign-in from 203.0.113.7\nrob"] {
                let digest = SHA256.hash(data: Data(guess.utf8)).prefix(6)
                let text = Data(digest).base64EncodedString()
                    .replacing("+", with: "-").replacing("/", with: "_")
                #expect(!keys.contains(text), "\(guess)")
            }
        }
    }

    @Test("from many networks of one site are bounded together, by name and without")
    func perSite() async throws {
        let settings = [
            "SIGN_IN_ATTEMPTS_PER_ADDRESS": "2", "SIGN_IN_ATTEMPTS_PER_NAME": "1",
            "SIGN_UPS_PER_ADDRESS": "1", "TRUSTED_PROXIES": "127.0.0.1",
        ]
        try await TestServer.run(.migrated, settings: settings) { server in
            func post(_ path: String, _ name: String, from network: String) throws -> Int {
                try server.send(
                    "POST", "/api/v1\(path)", fields: [("X-Forwarded-For", "\(network)::1")],
                    json: #"{"username": "\#(name)", "password": "daisy hammer 77"}"#
                ).status
            }
            let networks = (0..<10).map { "2001:db8:1:20\($0)" }
            let named = try networks.map { try post("/sessions", "rob", from: $0) }
            #expect(named == Array(repeating: 401, count: 4) + Array(repeating: 429, count: 6))
            #expect(try post("/sessions", "rob", from: "2001:db8:1:300") == 401)
            // Ten were counted above, and eight are allowed.
            #expect(try post("/sessions", "ada", from: networks[9]) == 429)
            let made = try networks.indices.map {
                try post("/users", "user-\($0)", from: networks[$0])
            }
            #expect(made == Array(repeating: 201, count: 4) + Array(repeating: 429, count: 6))
            #expect(try post("/users", "user-x", from: "2001:db8:1:300") == 201)
        }
    }

    @Test("that succeed are forgiven to the site, too")
    func siteForgiven() async throws {
        let settings = [
            "SIGN_IN_ATTEMPTS_PER_ADDRESS": "1", "SIGN_IN_ATTEMPTS_PER_NAME": "1",
            "TRUSTED_PROXIES": "127.0.0.1",
        ]
        try await TestServer.run(.migrated, settings: settings) { server in
            try server.browser("rob")
            for number in 0..<10 {
                let response = try server.send(
                    "POST", "/api/v1/sessions",
                    fields: [("X-Forwarded-For", "2001:db8:1:20\(number)::1")],
                    json: #"{"username": "rob", "password": "\#(Browser.password)"}"#)
                #expect(response.status == 201)
            }
        }
    }

    @Test("come from the peer where no proxy is trusted")
    func noProxy() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_ADDRESS": "3"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let browser = Browser(server)
            try browser.get("/sign-in")
            let responses = try (0..<4).map { number in
                try browser.post(
                    "/sign-in", ["username": "name-\(number)", "password": "wrong password"],
                    fields: [
                        ("Origin", Browser.origin), ("X-Forwarded-For", "203.0.113.\(number)"),
                    ])
            }
            #expect(responses.map(\.status) == [401, 401, 401, 429])
        }
    }

    @Test("and to sign up are bounded, but not by names that are taken")
    func signUps() async throws {
        let settings = ["SIGN_UPS_PER_ADDRESS": "2"]
        try await TestServer.run(.migrated, settings: settings) { server in
            try server.browser("rob")
            let browser = Browser(server)
            try browser.get("/sign-up")
            func post(_ name: String) throws -> RawResponse {
                try browser.post("/sign-up", ["username": name, "password": Browser.password])
            }
            for _ in 0..<3 { #expect(try post("rob").status == 422) }
            try server.browser("ada")
            expectTooMany(try post("eve"), within: 1800)
            let json = #"{"username": "eve", "password": "\#(Browser.password)"}"#
            try expectProblem(server.send("POST", "/api/v1/users", json: json), 429)
            #expect(try server.count("users") == 2)
        }
    }
}
