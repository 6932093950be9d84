import Foundation
import Identity
import TestSupport
import Testing

@Suite("Signing up with a browser", .blocking)
struct SignUpPageTests {
    @Test("leads to one's list; signing out and in again leads there, too")
    func flow() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = Browser(server)
            try rob.get("/sign-up")
            #expect(try !rob.isSignedIn)
            try rob.get("/sign-up")
            let up = try rob.post(
                "/sign-up", ["username": "Rob", "password": Browser.password])
            #expect(up.status == 303)
            #expect(up["location"] == "/@rob")
            #expect(up["cache-control"] == "no-store")
            #expect(try rob.isSignedIn)
            expectPage(try rob.get("/@rob"), 200, "rob")
            #expect(try rob.isSignedIn(as: "rob"))
            #expect(try rob.get("/sign-up")["location"] == "/@rob")
            #expect(try rob.get("/sign-in")["location"] == "/@rob")

            let copy = rob.copy(server)
            expectPage(try rob.get("/sign-out"), 200, "Sign out?")
            let out = try rob.post("/sign-out")
            #expect(out.status == 303)
            #expect(out["location"] == "/?done=signed-out")
            #expect(rob.session == nil)
            #expect(try !rob.isSignedIn)
            #expect(try !copy.isSignedIn, "the session is over, not only the cookie gone")
            #expect(try server.count("sessions") == 0)
            #expect(try rob.get("/settings")["location"]?.hasPrefix("/sign-in?return=") == true)

            let again = try rob.signIn("ROB")
            #expect(again.status == 303)
            #expect(again["location"] == "/@rob")
            #expect(try rob.isSignedIn)
        }
    }

    @Test("leads back to where one came from")
    func returns() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = Browser(server)
            let page = try rob.get("/sign-up?return=%2Fgames%3Fsearch%3Da%2520b")
            #expect(page.text.contains(#"name="return" value="/games?search=a%20b""#))
            let up = try rob.post(
                "/sign-up",
                [
                    "username": "rob", "password": Browser.password,
                    "return": "/games?search=a%20b",
                ])
            #expect(up["location"] == "/games?search=a%20b")
        }
    }

    @Test("tells at the field what is wrong with a username, which stays")
    func usernames() async throws {
        try await TestServer.run(.migrated) { server in
            try server.browser("rob")
            let browser = Browser(server)
            try browser.get("/sign-up")
            func post(_ username: String) throws -> RawResponse {
                try browser.post(
                    "/sign-up", ["username": username, "password": Browser.password])
            }
            let rule = "Use 2–30"
            for name in ["", "a", "rob smith", "röb", "@@rob", String(repeating: "x", count: 31)] {
                expectFault(try post(name), at: "username", rule, value: name.isEmpty ? nil : name)
            }
            for name in ["admin", "r00t", "sign-in", "sign_up", "me", "settings"] {
                expectFault(try post(name), at: "username", "isn’t available", value: name)
            }
            for name in ["rob", "Rob", "ROB", "r0b", "@rob", "rob "] {
                expectFault(try post(name), at: "username", "taken", value: name)
            }
            #expect(try server.count("users") == 1)
            #expect(try post("robin").status == 303)
        }
    }

    @Test("tells at the field what is wrong with a password, which never comes back")
    func passwords() async throws {
        try await TestServer.run(.migrated) { server in
            let browser = Browser(server)
            try browser.get("/sign-up")
            for (password, text) in [
                ("zq9!x", "at least 8"), (String(repeating: "zq9!x ", count: 22), "at most 128"),
                ("P4ssw0rd99", "too easy to guess"), ("12345678", "too easy to guess"),
                ("zzzzzzzzzz", "too easy to guess"), ("Robinson", "be the username"),
                ("nosnibor", "be the username"), ("", "at least 8"),
            ] {
                let page = try browser.post(
                    "/sign-up", ["username": "robinson", "password": password])
                expectFault(page, at: "password", text)
                #expect(page.control("username").contains("value=\"robinson\""))
                #expect(!page.control("password").contains("value"))
                if !password.isEmpty { #expect(!page.text.contains(password)) }
            }
            // Nor with a name that is wrong, nor with the form of another page.
            let name = try browser.post("/sign-up", ["username": "a", "password": "zq9!x zq9!x"])
            #expect(!name.text.contains("zq9!x"))
            let foreign = try browser.post(
                "/sign-up", ["username": "robinson", "password": "zq9!x zq9!x", "token": "x"])
            #expect(foreign.status == 403)
            #expect(foreign.control("username").contains("value=\"robinson\""))
            #expect(!foreign.text.contains("zq9!x"))
            #expect(try server.count("users") == 0)
        }
    }

    @Test("tells everything that is wrong at once, and about the name only to who may sign up")
    func everything() async throws {
        try await TestServer.run(.migrated) { server in
            try server.browser("rob")
            let browser = Browser(server)
            try browser.get("/sign-up")
            for (name, said) in [
                ("a", "Use 2–30"), ("", "Use 2–30"), ("rob", "taken"), ("admin", "isn’t available"),
            ] {
                let page = try browser.post("/sign-up", ["username": name, "password": "short"])
                expectPage(page, 422)
                peek(page, "up-\(name)")
                #expect(page.fault("username")?.contains(said) == true, "\(name)")
                #expect(page.fault("password")?.contains("at least 8") == true, "\(name)")
                #expect(page.control("username").contains("autofocus"))
                #expect(!page.control("password").contains("autofocus"))
            }
        }
        try await TestServer.run(.migrated, settings: ["SIGN_UP": "closed"]) { server in
            _ = try await server.makeUser("rob")
            let browser = Browser(server)
            try browser.get("/sign-up")
            for name in ["rob", "robin"] {
                let page = try browser.post(
                    "/sign-up",
                    ["username": name, "password": "short", "token": browser.ownToken])
                expectPage(page, 403, "taking new accounts")
            }
        }
    }

    @Test("is closed where the operator says so, in every way")
    func closed() async throws {
        try await TestServer.run(.migrated, settings: ["SIGN_UP": "closed"]) { server in
            let browser = Browser(server)
            let page = try browser.get("/sign-up")
            expectPage(page, 200, "Sign-up is closed")
            #expect(page.control("username").isEmpty)
            let response = try browser.post(
                "/sign-up",
                ["username": "rob", "password": Browser.password, "token": browser.ownToken])
            expectPage(response, 403, "taking new accounts")
            #expect(response.setCookie(Browser.sessionCookie) == nil)
            let json = #"{"username": "rob", "password": "\#(Browser.password)"}"#
            try expectProblem(
                server.send("POST", "/api/v1/users", json: json), 403, "taking new accounts")
            #expect(try server.count("users") == 0)
            for path in ["/", "/sign-in"] {
                #expect(try !browser.get(path).text.contains("href=\"/sign-up"))
            }
        }
    }

    @Test("with a password is off where there are no such accounts")
    func noLocalAccounts() async throws {
        let settings = [
            "LOCAL_ACCOUNTS": "off", "OIDC_ISSUER": "http://127.0.0.1:1", "OIDC_CLIENT_ID": "fave",
            "OIDC_NAME": "Canaille <b>",
        ]
        try await TestServer.run(.migrated, settings: settings) { server in
            let token = try await server.makeUser("rob")
            let browser = Browser(server)
            for path in ["/sign-in", "/sign-up"] {
                let page = try browser.get(path)
                expectPage(page, 200, "href=\"/sign-in/with/oidc\"")
                #expect(page.text.contains("Canaille &lt;b&gt;"))
                #expect(page.control("password").isEmpty)
                let response = try browser.post(
                    path,
                    ["username": "ada", "password": Browser.password, "token": browser.ownToken])
                expectPage(response, 403, "no accounts with passwords")
            }
            for path in ["users", "sessions"] {
                let json = #"{"username": "ada", "password": "\#(Browser.password)"}"#
                try expectProblem(
                    server.send("POST", "/api/v1/\(path)", json: json), 403, "no accounts")
            }
            let change = #"{"newPassword": "\#(Browser.password)"}"#
            try expectProblem(
                server.send("PUT", "/api/v1/me/password", token: token, json: change), 403)
            let rob = try server.browser(signedInAs: "rob")
            #expect(try !rob.get("/settings").text.contains("/settings/password"))
            #expect(
                try rob.post("/settings/password", ["newPassword": Browser.password]).status == 403)
            #expect(try server.count("users") == 1)
            #expect(try server.count("passwords") == 0)
        }
    }
}
