import Encodings
import Foundation
import Identity
import TestSupport
import Testing
import Work

@Suite("Signing in with a browser", .blocking)
struct SignInPageTests {
    @Test("tells nobody whether it was the name or the password")
    func sameResponse() async throws {
        try await TestServer.run(.migrated) { server in
            try server.browser("rob")
            try server.browser("shut")
            try server.execute("UPDATE users SET disabled_at = now() WHERE username = 'shut'")
            _ = try await server.makeUser("provided")
            let browser = Browser(server)
            try browser.get("/sign-in")
            let tries = try ["rob", "shut", "provided", "unknown", "not a name!"].map { name in
                let page = try browser.post(
                    "/sign-in", ["username": name, "password": "tulip staple 43"])
                #expect(page.status == 401)
                #expect(page.control("username").contains("value=\"\(name)\""))
                #expect(!page.text.contains("tulip staple"))
                let fields = page.fields.filter {
                    !["content-length", "date", "x-request-id"].contains($0.name.lowercased())
                }
                return page.text.replacing("value=\"\(name)\"", with: "value=\"…\"")
                    .replacing(/name="token" value="[^"]+"/, with: "")
                    + fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            }
            #expect(Set(tries).count == 1)
            #expect(tries[0].contains("Wrong username or password."))
            #expect(!tries[0].contains(Browser.sessionCookie))
        }
    }

    @Test("leads back to where one came from, however many attempts it took")
    func returns() async throws {
        try await TestServer.run(.migrated) { server in
            try server.browser("rob")
            let browser = Browser(server)
            let path = "/games?search=a%20b"
            let field = "name=\"return\" value=\"\(path)\""
            let page = try browser.get("/sign-in?return=%2Fgames%3Fsearch%3Da%2520b")
            #expect(page.text.contains(field))
            #expect(page.text.contains("href=\"/sign-up?return="))
            let items = ["username": "rob", "return": path]
            for (more, status) in [
                (["password": "wrong password"], 401),
                (["password": Browser.password, "token": "x"], 403),
            ] {
                let again = try browser.post("/sign-in", items.merging(more) { $1 })
                #expect(again.status == status)
                #expect(again.text.contains(field))
                #expect(again["cache-control"] == "no-store")
            }
            let response = try browser.post(
                "/sign-in", items.merging(["password": Browser.password]) { $1 })
            #expect(response["location"] == path)
        }
    }

    @Test("tells who has been disabled so, and only them; their session and list are gone")
    func disabled() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            #expect(try rob.isSignedIn)
            try server.execute("UPDATE users SET disabled_at = now()")
            #expect(try !rob.isSignedIn)
            expectPage(try rob.get("/@rob"), 404)
            try expectProblem(server.send("GET", "/api/v1/users/rob"), 404)
            try expectProblem(server.send("GET", "/api/v1/users/rob/list"), 404)
            let response = try rob.signIn("rob")
            expectPage(response, 403, "has disabled this account")
            #expect(response.setCookie(Browser.sessionCookie) == nil)
            #expect(try rob.signIn("rob", password: "tulip staple 43").status == 401)
            try server.execute("UPDATE users SET disabled_at = NULL")
            rob.cookies[Browser.sessionCookie] = nil
            #expect(try rob.signIn("rob").status == 303)
            expectPage(try rob.get("/@rob"), 200)
        }
    }

    @Test("makes a session whose cookie only our pages' server sees")
    func cookies() async throws {
        try await TestServer.run(.migrated) { server in
            let browser = Browser(server)
            let form = try #require(try browser.get("/sign-up").setCookie("__Host-form"))
            #expect(form.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
            let response = try browser.signUp("rob")
            let session = try #require(response.setCookie("__Host-session"))
            #expect(
                session.hasSuffix(
                    "; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000"))
            #expect(!session.lowercased().contains("domain"))
            try browser.get("/sign-out")
            let removal = try #require(try browser.post("/sign-out").setCookie("__Host-session"))
            #expect(removal == "__Host-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0")
        }
        let plain = ["PUBLIC_URL": "http://fave.example:8080", "SESSION_DAYS": "2"]
        try await TestServer.run(.migrated, settings: plain) { server in
            let browser = Browser(server)
            try browser.get("/sign-up")
            let response = try browser.post(
                "/sign-up", ["username": "rob", "password": Browser.password],
                fields: [("Origin", "http://fave.example:8080")])
            let session = try #require(response.setCookie("fave-games-8080-session"))
            #expect(session.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Max-Age=172800"))
            #expect(try browser.isSignedIn)
            // Browsers send the cookies of all programs on a host to each.
            browser.cookies["session"] = "another program's"
            browser.cookies["fave-games-8081-session"] = "another port's"
            #expect(try browser.isSignedIn)
            #expect(
                browser.cookies.keys.allSatisfy {
                    $0.hasPrefix("fave-games-8080-")
                        || ["session", "fave-games-8081-session"].contains($0)
                })
            // A site without TLS knows no cookies of one with it.
            let token = browser.cookies["fave-games-8080-session"] ?? ""
            for name in ["__Host-session", "session", "fave-games-80-session"] {
                browser.cookies = [name: token]
                #expect(try !browser.isSignedIn, "\(name)")
            }
        }
    }

    @Test("stores no password and no token, only their hashes")
    func onlyHashes() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let tokens = try server.send(
                "POST", "/api/v1/sessions",
                json: #"{"username": "rob", "password": "\#(Browser.password)"}"#
            ).object
            let rows = try server.everything().joined(separator: "\n")
            let refreshToken = try #require(tokens.string("refreshToken"))
            let secrets =
                [rob.session].compactMap { $0 }
                + refreshToken.split(separator: ".").map(String.init)
            #expect(secrets.count == 3)
            for secret in secrets {
                let token = try #require(SecretToken(secret))
                let bytes = try #require(Base64URL.decode(secret.utf8))
                #expect(rows.contains(TestServer.hexadecimal(token.hash)))
                #expect(!rows.contains(secret))
                #expect(!rows.contains(bytes.base64EncodedString().prefix(42)))
                #expect(!rows.contains(TestServer.hexadecimal(Array(bytes))))
            }
            #expect(!rows.contains(Browser.password))
            #expect(!rows.contains(Data(Browser.password.utf8).base64EncodedString()))
            #expect(try !rows.contains(#require(tokens.string("accessToken"))))
        }
    }

    @Test("opens a session that ends when it is not used, and some day in any case")
    func expiry() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            func days(_ expression: String) throws -> Int {
                try server.database.session().query(
                    "SELECT round(extract(epoch FROM \(expression)) / 86400)::bigint FROM sessions"
                )[0][0]
            }
            #expect(try days("expires_at - now()") == 30)
            // Used within the last minutes: nothing is written.
            try server.execute("UPDATE sessions SET expires_at = now() + interval '5 days'")
            #expect(try rob.isSignedIn)
            #expect(try days("expires_at - now()") == 5)
            try server.execute("UPDATE sessions SET seen_at = now() - interval '6 minutes'")
            #expect(try rob.isSignedIn)
            try await eventually("a note of its use") { try days("expires_at - now()") == 30 }
            #expect(try days("now() - seen_at") == 0)
            try server.execute(
                """
                UPDATE sessions SET seen_at = now() - interval '6 minutes',
                    created_at = now() - interval '363 days', expires_at = now() + interval '1 day'
                """)
            #expect(try rob.isSignedIn)
            try await eventually("a note of its use") { try days("expires_at - now()") == 2 }
            try server.execute(
                """
                UPDATE sessions SET seen_at = now() - interval '6 minutes',
                    expires_at = now() - interval '1 second'
                """)
            #expect(try !rob.isSignedIn)
            // Upkeep may have deleted it.
            #expect(
                try server.count("sessions WHERE expires_at > now()") == 0,
                "and it is not woken again")
        }
    }

    @Test("renews a hash that was made with other costs, for the right password only")
    func renewal() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let workers = WorkerPool(threads: 1)
            defer { workers.close() }
            let hasher = PasswordHasher(ln: 5, on: workers)
            let old = try await hasher.hash(NewPassword(Browser.password, for: "rob"))
            #expect(old.hasPrefix("$scrypt$ln=5,"))
            try server.execute("UPDATE passwords SET hash = '\(old)'")
            func hash() throws -> String {
                try server.database.session().query("SELECT hash FROM passwords")[0][0]
            }
            let other = Browser(server)
            #expect(try other.signIn("rob", password: "tulip staple 43").status == 401)
            #expect(try hash() == old)
            #expect(try other.signIn("rob").status == 303)
            #expect(try other.isSignedIn)
            let renewed = try hash()
            #expect(renewed.hasPrefix("$scrypt$ln=4,"))
            #expect(try rob.isSignedIn, "it is the same password still")
            #expect(try Browser(server).signIn("rob").status == 303)
            #expect(try hash() == renewed, "nothing is left to renew")
        }
    }
}
