import Foundation
import Identity
import TestSupport
import Testing

@Suite("A browser's session", .blocking)
struct BrowserSessionTests {
    @Test("never has a token that someone else has chosen")
    func fixation() async throws {
        try await TestServer.run(.migrated) { server in
            try server.browser("rob")
            let chosen = SecretToken().text
            for way in ["/sign-in", "/sign-up"] {
                let victim = Browser(server)
                victim.cookies[Browser.sessionCookie] = chosen
                try victim.get(way)
                let name = way == "/sign-in" ? "rob" : "ada"
                let response = try victim.post(
                    way, ["username": name, "password": Browser.password])
                #expect(response.status == 303)
                #expect(victim.session != chosen)
                #expect(try victim.isSignedIn)
            }
            let attacker = Browser(server)
            attacker.cookies[Browser.sessionCookie] = chosen
            #expect(try !attacker.isSignedIn)
        }
    }

    @Test("is always a new one after signing in, and the one of before ends")
    func renewal() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            // Mallory has put their own session into the victim's browser, say.
            let mallory = try server.browser("mallory")
            let victim = mallory.copy(server)
            try victim.get("/settings")
            let response = try victim.post(
                "/sign-in", ["username": "rob", "password": Browser.password])
            #expect(response["location"] == "/@rob")
            #expect(victim.session != mallory.session)
            #expect(try !mallory.isSignedIn)
            #expect(try victim.isSignedIn(as: "rob"))
            let first = try #require(victim.session)
            try victim.get("/settings")
            try victim.post("/sign-in", ["username": "rob", "password": Browser.password])
            #expect(victim.session != first)
            let old = Browser(server)
            old.cookies[Browser.sessionCookie] = first
            #expect(try !old.isSignedIn)
            #expect(try rob.isSignedIn, "another browser's stays")
            // A failure leaves everything as it is.
            let second = victim.session
            try victim.get("/settings")
            try victim.post("/sign-in", ["username": "rob", "password": "tulip staple 43"])
            #expect(victim.session == second)
            #expect(try victim.isSignedIn)
        }
    }

    @Test("is nobody's when two cookies come, or one that is not of the form")
    func cookies() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let eve = try server.browser("eve")
            let (robs, eves) = (try #require(rob.session), try #require(eve.session))
            let name = Browser.sessionCookie
            func isSignedIn(_ fields: String...) throws -> Bool {
                try Browser(server).get("/settings", fields: fields.map { ("Cookie", $0) })
                    .status == 200
            }
            #expect(try isSignedIn("\(name)=\(robs)"))
            #expect(try isSignedIn("other=1; \(name)=\(robs)"))
            #expect(try isSignedIn("other=1", "\(name)=\(robs)"))
            for cookies in [
                ["\(name)=\(eves); \(name)=\(robs)"], ["\(name)=\(eves)", "\(name)=\(robs)"],
                ["\(name)=\(robs); \(name)=\(robs)"], ["\(name)=; \(name)=\(robs)"],
                ["session=\(robs)"], ["__host-session=\(robs)"], ["\(name)=\"\(robs)\""],
                ["\(name)=\(robs)A"], ["\(name)=\(robs.dropLast())"], ["\(name)=\(robs)="],
                ["\(name)="], [name], ["x\(name)=\(robs)"],
            ] {
                let fields = cookies.map { ("Cookie", $0) }
                let status = try Browser(server).get("/settings", fields: fields).status
                #expect(status == 303, "\(cookies)")
            }
        }
    }

    @Test("is nothing to the API, which takes tokens only")
    func notForAPI() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let before = try server.contents()
            let session = try #require(rob.session)
            let fields = [
                ("Origin", Browser.origin), ("Sec-Fetch-Site", "same-origin"),
                ("Content-Type", "application/json"),
            ]
            for (method, path, body) in [
                ("GET", "/me", ""), ("PATCH", "/me", #"{"bio": "x"}"#),
                ("DELETE", "/me?username=rob", #"{"password": "\#(Browser.password)"}"#),
                ("GET", "/me/export", ""), ("GET", "/me/list", ""),
                ("PUT", "/me/list", #"{"entries": []}"#), ("DELETE", "/me/sessions", ""),
                ("DELETE", "/sessions/current", ""),
                ("PUT", "/me/password", #"{"newPassword": "daisy hammer 77"}"#),
            ] {
                let path = "/api/v1" + path
                try expectProblem(
                    rob.send(method, path, fields: fields, body: body), 401, "bearer token")
                // Nor as a token.
                let bearer = [("Authorization", "Bearer \(session)")]
                try expectProblem(
                    rob.send(method, path, fields: fields + bearer, body: body), 401)
            }
            #expect(try server.contents() == before)
            // Whom nobody else may see is not seen there either.
            try server.execute("UPDATE users SET visibility = 'private'")
            expectPage(try rob.get("/@rob"), 200)
            try expectProblem(rob.get("/api/v1/users/rob"), 404)
            try expectProblem(rob.get("/api/v1/users/rob/list"), 404)
        }
    }

    @Test("of the API opens no page")
    func notOfAPI() async throws {
        try await TestServer.run(.migrated) { server in
            try server.browser("rob")
            let tokens = try server.send(
                "POST", "/api/v1/sessions",
                json: #"{"username": "rob", "password": "\#(Browser.password)"}"#
            ).object
            let browser = Browser(server)
            for name in ["refreshToken", "accessToken"] {
                let token = tokens.string(name) ?? ""
                #expect(!token.isEmpty)
                browser.cookies[Browser.sessionCookie] = token
                #expect(try !browser.isSignedIn)
                let fields = [("Authorization", "Bearer \(token)")]
                #expect(try Browser(server).get("/settings", fields: fields).status == 303)
            }
        }
    }

    // MARK: Where someone goes after signing in

    private static let evilReturns = [
        "//evil.example", "///evil.example", #"/\evil.example"#, #"\\evil.example"#,
        "https://evil.example/", "https:/evil.example", "https:evil.example", "javascript:alert(1)",
        "data:text/html,x", "evil.example", "@evil.example", ".evil.example", "?x", "#x",
        "/\t/evil.example", "\t//evil.example", " //evil.example", "/\n/evil.example",
        "/\r\nSet-Cookie: x=y", "/\r\n\r\n<script>", "/\u{0}", "/\u{7F}", "/\u{E9}", "/ö",
        "/" + String(repeating: "x", count: 1024), "/sign-in", "/sign-in?return=//evil.example",
        "/sign-up", "/sign-out", "/%73ign-in", "/platforms#//evil.example", "/%zz", "*", "",
        "/%2f%2fevil.example", "/%5cevil.example", "%2f%2fevil.example",
    ]
    /// Odd, but within this site.
    private static let harmlessReturns = [
        "/", "/platforms", "/games?search=a%20b", "/games?x=//evil.example",
        "/games?x=%2f%2fevil.example", "/@evil.example",
    ]

    @Test("leads to no other site, whatever the address or the form says")
    func openRedirects() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000", "SIGN_UPS_PER_ADDRESS": "1000"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let rob = try server.browser("rob")
            func query(_ text: String) -> String {
                text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            }
            for (number, text) in (Self.evilReturns + Self.harmlessReturns).enumerated() {
                let isHarmless = Self.harmlessReturns.contains(text)
                let browser = Browser(server)
                for path in ["/sign-in", "/sign-up"] {
                    let page = try browser.get("\(path)?return=\(query(text))")
                    // A query that cannot be read is refused as a whole.
                    #expect(page.status == 200 || page.status == 400)
                    #expect(
                        page.text.contains("name=\"return\"") == isHarmless, "\(path) \(text)")
                    let own = try rob.get("\(path)?return=\(query(text))")
                    if own.status != 400 {
                        #expect(own["location"] == (isHarmless ? text : "/@rob"), "\(text)")
                    }
                    #expect(own.setCookies.allSatisfy { !$0.hasPrefix("x=") })
                }
                try browser.get("/sign-in")
                let signedIn = try browser.post(
                    "/sign-in",
                    ["username": "rob", "password": Browser.password, "return": text])
                #expect(
                    signedIn["location"] == (isHarmless ? text : "/@rob")
                        || signedIn.status == 400, "\(text)")
                let newcomer = Browser(server)
                try newcomer.get("/sign-up")
                let signedUp = try newcomer.post(
                    "/sign-up",
                    [
                        "username": "user\(number)x", "password": Browser.password,
                        "return": text,
                    ])
                #expect(
                    signedUp["location"] == (isHarmless ? text : "/@user\(number)x")
                        || signedUp.status == 400, "\(text)")
            }
        }
    }

    // MARK: What people type

    private static let evil = #""><script>alert(1)</script><img src=x onerror='alert(2)'>"#

    @Test("shows what people type as text, wherever it stands")
    func escaping() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            func expectText(_ page: RawResponse, at location: SourceLocation = #_sourceLocation) {
                #expect(!page.text.contains("<script>"), sourceLocation: location)
                #expect(!page.text.contains("<img src=x"), sourceLocation: location)
                #expect(
                    page.text.contains("&lt;script&gt;alert(1)"), "\(page.text)",
                    sourceLocation: location)
                #expect(
                    page["content-security-policy"]?.hasPrefix("default-src 'none'") == true,
                    sourceLocation: location)
            }
            expectText(try rob.post("/settings/username", ["username": Self.evil]))
            let long = Self.evil + String(repeating: "x", count: 300)
            let profile = [
                "displayName": long, "bio": long, "visibility": "public", "showsRatings": "no",
            ]
            expectText(try rob.post("/settings/profile", profile))
            let right = ["displayName": Self.evil, "bio": "</textarea>" + Self.evil]
            let response = try rob.post(
                "/settings/profile",
                right.merging(["visibility": "public", "showsRatings": "no"]) { $1 })
            #expect(response.status == 303)
            for path in ["/@rob", "/settings", "/", "/sign-out"] {
                let page = try rob.get(path)
                expectText(page)
                #expect(page.text.components(separatedBy: "</textarea>").count <= 2)
            }
            expectText(try server.send("GET", "/users?search=rob"))
            let browser = Browser(server)
            let query = Self.evil.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            for path in ["/sign-in", "/sign-up", "/settings"] {
                for name in ["return", "saved", "username", "problem", "token"] {
                    let response = try browser.get("\(path)?\(name)=/\(query ?? "")")
                    #expect(!response.text.contains("alert(1)<"))
                    #expect(!response.text.contains("<script>"))
                }
            }
            for path in ["/sign-in", "/sign-up"] {
                try browser.get(path)
                let items = ["username": Self.evil, "password": Self.evil]
                expectText(try browser.post(path, items))
                expectText(try browser.post(path, items.merging(["token": "x"]) { $1 }))
            }
        }
    }
}
