import Encodings
import Foundation
import HTTP
import struct Identity.SecretToken
import Postgres
import TestSupport
import Testing

/// A server that people sign in to with the tests' OpenID provider.
private struct ProvidedSite {
    let provider: OpenIDProvider
    let client: OpenIDProvider.Client
    let server: TestServer
    /// The address of its database.
    let database: String

    static let callback = "https://fave.example/sign-in/with/oidc/callback"

    static func run(
        _ authentication: OpenIDProvider.ClientAuthentication = .basic,
        settings: [String: String] = [:], clockOfDatabase hours: Int = 0,
        _ body: (ProvidedSite) async throws -> Void
    ) async throws {
        let provider = try OpenIDProvider.shared()
        let client = try provider.register(redirectURL: callback, authentication: authentication)
        var all = ["OIDC_ISSUER": provider.issuer, "OIDC_CLIENT_ID": client.id]
        all["OIDC_CLIENT_SECRET"] = client.secret
        all["JWT_AUDIENCE"] = settings["JWT_AUDIENCE"].map { _ in client.id }
        let database = try TestDatabase(.migrated)
        if hours != 0 { all["DATABASE_URL"] = try database.movingClock(hours: hours) }
        let finished = settings.merging(all) { $1 }
        try await TestServer.run(on: database, settings: finished) { server in
            try await body(
                ProvidedSite(
                    provider: provider, client: client, server: server,
                    database: finished["DATABASE_URL"] ?? database.url))
        }
    }

    /// Someone nobody else has heard of: the provider is all tests'.
    static func person(
        preferredUsername: String = "", givenName: String = "", email: String? = nil
    ) -> OpenIDProvider.Person {
        let subject = "p" + UUID().text.prefix(13)
        return OpenIDProvider.Person(
            subject, preferredUsername: preferredUsername, givenName: givenName, email: email)
    }

    /// Goes to the provider and signs in there.
    ///
    /// - Returns: Where the provider sends the browser, as a target of ours.
    func visit(
        _ person: OpenIDProvider.Person, _ browser: Browser, query: String = ""
    ) throws -> String {
        let response = try browser.get("/sign-in/with/oidc" + query)
        guard response.status == 303, let location = response["location"] else {
            throw TestFailure("\(response.status) \(response.text)")
        }
        return try target(provider.signIn(person, at: location))
    }

    /// Runs a statement by the clock of the site's database.
    func execute(_ sql: String) throws {
        try BlockingSession(connectionString: database, applicationName: "test").execute(sql)
    }

    func target(_ url: String) throws -> String {
        guard url.hasPrefix(Self.callback + "?") else { throw TestFailure("not ours: \(url)") }
        return String(url.dropFirst(Browser.origin.count))
    }

    @discardableResult
    func signIn(
        _ person: OpenIDProvider.Person, _ browser: Browser, query: String = ""
    ) throws -> RawResponse {
        let response = try browser.chooseSuggestedName(
            after: browser.get(visit(person, browser, query: query)))
        if response.status == 303 { try browser.get("/settings") }
        return response
    }

    /// Begins to connect the provider with the account that is signed in.
    ///
    /// - Returns: Where the provider sends the browser, as a target of ours.
    func visitToConnect(_ person: OpenIDProvider.Person, _ browser: Browser) throws -> String {
        try browser.get("/settings")
        let page = try browser.post(
            "/settings/connect/oidc", ["password": Browser.password])
        guard page.status == 200,
            let match = page.text.firstMatch(of: /class="button" href="([^"]*)"/)
        else { throw TestFailure("\(page.status) \(page.text)") }
        let url = match.1.replacing("&amp;", with: "&")
        return try target(provider.signIn(person, at: String(url)))
    }
}

@Suite("Signing in with a provider", .blocking, .thorough)
struct ProviderSignInTests {
    @Test("makes an account, and is the way to it from then on", arguments: [true, false])
    func flow(isConfidential: Bool) async throws {
        try await ProvidedSite.run(isConfidential ? .basic : .none) { site in
            let person = ProvidedSite.person(preferredUsername: "Rob.S", givenName: "Róbert")
            let browser = Browser(site.server)
            expectPage(try browser.get("/sign-in"), 200, "href=\"/sign-in/with/oidc\"")
            let response = try site.signIn(person, browser)
            #expect(response.status == 303, "\(response.text)")
            #expect(response["location"] == "/@rob-s")
            #expect(response["cache-control"] == "no-store")
            #expect(browser.cookies["__Host-sign-in"] == nil)
            #expect(browser.cookies["__Host-newcomer"] == nil)
            #expect(try browser.isSignedIn)
            expectPage(try browser.get("/@rob-s"), 200, "Róbert")
            let other = Browser(site.server)
            #expect(try site.signIn(person, other)["location"] == "/@rob-s")
            #expect(other.session != browser.session)
            #expect(try browser.isSignedIn)
            #expect(try site.server.count("users") == 1)
            #expect(try site.server.count("identities") == 1)
            // The account has no password that someone could guess.
            #expect(try Browser(site.server).signIn("rob-s", password: "").status == 401)
        }
    }

    @Test("comes back to what an app asks for, for someone new, too")
    func authorization() async throws {
        try await ProvidedSite.run { site in
            let asked = "/oauth/authorize?state=" + String(repeating: "x", count: 900)
            let person = ProvidedSite.person()
            for _ in 0..<2 {
                let query = "?return=" + PercentCoding.encodeQueryValue(asked)
                let response = try site.signIn(person, Browser(site.server), query: query)
                #expect(response["location"] == asked)
            }
        }
    }

    @Test(
        "makes nothing before a name is chosen, and then what was chosen, whatever clocks say",
        arguments: [0, 1, -1])
    func choice(clockOfDatabase hours: Int) async throws {
        try await ProvidedSite.run(clockOfDatabase: hours) { site in
            try site.server.browser("rob")
            let before = try site.server.everything()
            let person = ProvidedSite.person(
                preferredUsername: "rob", givenName: "Róbert",
                email: "secret\(hours)@people.example")
            let browser = Browser(site.server)
            let response = try browser.get(
                site.visit(person, browser, query: "?return=%2Fgames"))
            #expect(response["location"] == "/sign-up/name")
            let page = try browser.get("/sign-up/name")
            expectPage(page, 200, "Nothing about you is stored here yet")
            #expect(page["cache-control"] == "no-store")
            #expect(page.control("username").contains("value=\"rob-2\""))
            #expect(page.control("display-name").contains("Róbert"))
            #expect(!page.text.contains("secret"))
            #expect(browser.session == nil)

            func choose(
                _ name: String, _ shown: String = "R.", _ visibility: String = "private"
            ) throws -> RawResponse {
                try browser.post(
                    "/sign-up/name",
                    ["username": name, "displayName": shown, "visibility": visibility])
            }
            expectFault(try choose("rob"), at: "username", "taken", value: "rob")
            expectFault(try choose("r0b"), at: "username", "taken")
            expectFault(try choose("admin"), at: "username", "isn’t available")
            expectFault(try choose("no spaces"), at: "username", "2–30")
            expectFault(
                try choose("robert", " "), at: "display-name", "at least one of them visible")
            expectPage(try choose("robert", "R.", "nobody"), 422, "Choose one.")
            // Attempts of our own limits may have been counted, and maintenance done, but nothing else.
            func stored(_ rows: [String]) -> [String] {
                rows.filter { !$0.hasPrefix("attempts") && !$0.hasPrefix("maintenance") }
            }
            #expect(try stored(site.server.everything()) == stored(before))

            let copy = browser.copy(site.server)
            let newcomer = browser.cookies["__Host-newcomer"]
            let done = try choose("robert")
            #expect(done.status == 303 && done["location"] == "/games", "\(done.text)")
            #expect(browser.cookies["__Host-newcomer"] == nil)
            #expect(try browser.isSignedIn(as: "robert"))
            #expect(try Browser(site.server).get("/@robert").status == 404, "it is private")
            // Sent twice, it leads to the same account.
            try copy.get("/sign-up/name")
            let again = try copy.post(
                "/sign-up/name",
                ["username": "other", "displayName": "O.", "visibility": "public"])
            #expect(again.status == 303)
            #expect(try copy.isSignedIn(as: "robert"))
            #expect(try site.server.count("users") == 2)
            // A minute later, only the provider can tell who it is.
            try site.execute("UPDATE users SET created_at = created_at - interval '1 minute'")
            let late = Browser(site.server)
            late.cookies["__Host-newcomer"] = newcomer
            try late.get("/sign-up/name")
            expectPage(
                try late.post(
                    "/sign-up/name",
                    ["username": "other", "displayName": "O.", "visibility": "public"]),
                401, "This account is gone")
        }
    }

    @Test("asks for no name without an identity that this server has signed")
    func forgedIdentity() async throws {
        try await ProvidedSite.run { site in
            let person = ProvidedSite.person(preferredUsername: "rob")
            let browser = Browser(site.server)
            _ = try browser.get(site.visit(person, browser))
            let cookie = try #require(browser.cookies["__Host-newcomer"])
            var bytes = try #require(Base64URL.decode(cookie.utf8))
            bytes[bytes.count - 30] ^= 1
            for forged in [nil, "", "x", Base64URL.encode(bytes), String(cookie.dropLast(4))] {
                let other = Browser(site.server)
                other.cookies["__Host-newcomer"] = forged
                expectPage(try other.get("/sign-up/name"), 400, "expired")
                try other.get("/sign-in")
                expectPage(
                    try other.post(
                        "/sign-up/name",
                        ["username": "eve", "displayName": "E", "visibility": "public"]),
                    400, "expired")
            }
            // A form of another site is refused, whoever's browser sends it.
            try browser.get("/sign-up/name")
            let foreign = try browser.post(
                "/sign-up/name",
                ["username": "eve", "displayName": "E", "visibility": "public"],
                fields: [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
            #expect(foreign.status == 403)
            #expect(try site.server.count("users") == 0)
        }
    }

    @Test(
        "makes no account for an identity that was given up in the meantime, whatever clocks say",
        arguments: [0, 1, -1])
    func givenUp(clockOfDatabase hours: Int) async throws {
        try await ProvidedSite.run(clockOfDatabase: hours) { site in
            let person = ProvidedSite.person(preferredUsername: "rob")
            let late = Browser(site.server)
            _ = try late.get(site.visit(person, late))
            let early = Browser(site.server)
            try site.signIn(person, early)
            try site.execute("DELETE FROM users")
            try late.get("/sign-up/name")
            expectPage(
                try late.post(
                    "/sign-up/name",
                    ["username": "rob", "displayName": "R.", "visibility": "public"]),
                401, "This account is gone")
            #expect(try site.server.count("users") == 0)
            // Whoever comes back from the provider again wants to, once an operator frees the name.
            try site.execute("DELETE FROM retired_usernames")
            #expect(try site.signIn(person, late)["location"] == "/@rob")
        }
    }

    @Test("leads back to where one came from")
    func returns() async throws {
        try await ProvidedSite.run { site in
            let query = "?return=%2Fgames%3Fsearch%3Da%2520b"
            let page = try Browser(site.server).get("/sign-in" + query)
            #expect(page.text.contains("href=\"/sign-in/with/oidc?return="))
            let response = try site.signIn(
                ProvidedSite.person(), Browser(site.server), query: query)
            #expect(response["location"] == "/games?search=a%20b")
        }
    }

    @Test("makes a username of what the provider says")
    func usernames() async throws {
        func name(
            _ person: OpenIDProvider.Person, _ settings: [String: String] = [:]
        ) async throws -> String? {
            var location: String?
            try await ProvidedSite.run(settings: settings) { site in
                location = try site.signIn(person, Browser(site.server))["location"]
            }
            return location
        }
        let tag = UUID().text.prefix(8)
        let mail = "jo.doe.\(tag)@people.example"
        let reserved = try await name(ProvidedSite.person(preferredUsername: "Admin"))
        #expect(reserved?.hasPrefix("/@") == true && reserved != "/@admin")
        #expect(try await name(ProvidedSite.person(email: mail)) == "/@jo-doe-\(tag)")
        let both = ProvidedSite.person(preferredUsername: "jo", givenName: "Johanna")
        #expect(try await name(both) == "/@jo")
        #expect(
            try await name(both, ["OIDC_USERNAME_CLAIM": "given_name"]) == "/@johanna")
        #expect(try await name(both, ["OIDC_USERNAME_CLAIM": "unknown"]) == "/@jo")
        // The provider tells no more than we ask for.
        #expect(try await name(both, ["OIDC_SCOPES": "openid"]) == "/@player")
    }

    @Test("of people with one name gives each another username")
    func sameNames() async throws {
        try await ProvidedSite.run { site in
            try site.server.browser("rob")
            let names = try (0..<3).map { _ in
                let person = ProvidedSite.person(preferredUsername: "rob")
                return try site.signIn(person, Browser(site.server))["location"]
            }
            #expect(Set(names).count == 3)
            #expect(!names.contains("/@rob"))
            #expect(names.allSatisfy { $0?.hasPrefix("/@rob") == true })
        }
    }

    @Test("works once for each response of the provider, and in one browser only")
    func replay() async throws {
        try await ProvidedSite.run { site in
            let browser = Browser(site.server)
            let target = try site.visit(ProvidedSite.person(), browser)
            let cookies = browser.cookies
            // Another browser, with no attempt and with one of its own.
            let other = Browser(site.server)
            expectPage(try other.get(target), 400, "started in another browser")
            try other.get("/sign-in/with/oidc")
            expectPage(try other.get(target), 400, "match the sign-in you started")
            #expect(other.session == nil)
            #expect(try site.server.count("users") == 0)

            #expect(try browser.chooseSuggestedName(after: browser.get(target)).status == 303)
            #expect(browser.cookies["__Host-sign-in"] == nil)
            browser.cookies[Browser.sessionCookie] = nil
            expectPage(try browser.get(target), 400, "Start again")
            // Whoever has copied the cookie finds the code used up.
            browser.cookies = cookies
            expectPage(try browser.get(target), 400, "did not accept this attempt")
            #expect(browser.session == nil)
        }
    }

    @Test("can be cancelled there")
    func denied() async throws {
        try await ProvidedSite.run { site in
            let browser = Browser(site.server)
            let location = try #require(try browser.get("/sign-in/with/oidc")["location"])
            let target = try site.target(
                site.provider.refuse(ProvidedSite.person(), at: location))
            #expect(target.contains("error=access_denied"))
            let page = try browser.get(target)
            expectPage(page, 400, "was cancelled")
            #expect(!page.control("password").isEmpty, "there may be other ways")
            #expect(try site.server.count("users") == 0)
        }
    }

    @Test("says at once that the provider is away")
    func away() async throws {
        let settings = ["OIDC_ISSUER": "http://127.0.0.1:1", "OIDC_CLIENT_ID": "fave"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let rob = try server.browser("rob")
            for response in [
                try Browser(server).get("/sign-in/with/oidc"),
                try rob.post("/settings/connect/oidc", ["password": Browser.password]),
            ] {
                expectPage(response, 503, "cannot be reached")
                #expect(response["retry-after"] != nil)
            }
            #expect(try Browser(server).signIn("rob").status == 303, "other ways are open")
        }
    }

    @Test("lets nobody new in where no one may sign up, but those who are there")
    func closed() async throws {
        try await ProvidedSite.run(settings: ["SIGN_UP": "closed"]) { site in
            let known = ProvidedSite.person()
            _ = try await site.server.makeUser("rob")
            try site.server.execute(
                """
                INSERT INTO identities (issuer, subject, user_id)
                SELECT '\(site.provider.issuer)', '\(known.subject)', id FROM users
                """)
            let response = try site.signIn(ProvidedSite.person(), Browser(site.server))
            expectPage(response, 403, "taking new accounts")
            #expect(response.setCookie(Browser.sessionCookie) == nil)
            #expect(try site.server.count("users") == 1)
            #expect(try site.signIn(known, Browser(site.server))["location"] == "/@rob")
            // A subject belongs to its issuer: another one's is someone else.
            try site.server.execute("UPDATE identities SET issuer = 'https://other.example'")
            expectPage(try site.signIn(known, Browser(site.server)), 403)
        }
    }

    @Test("does not let in who is disabled")
    func disabled() async throws {
        try await ProvidedSite.run { site in
            let person = ProvidedSite.person(preferredUsername: "rob")
            let browser = Browser(site.server)
            try site.signIn(person, browser)
            try site.server.execute("UPDATE users SET disabled_at = now()")
            #expect(try !browser.isSignedIn)
            let response = try site.signIn(person, Browser(site.server))
            expectPage(response, 403, "has disabled this account")
            #expect(response.setCookie(Browser.sessionCookie) == nil)
            #expect(try site.server.count("users") == 1)
        }
    }

    // MARK: Connecting

    @Test("can be connected with an account, and disconnected")
    func connect() async throws {
        try await ProvidedSite.run { site in
            let person = ProvidedSite.person(preferredUsername: "other")
            let rob = try site.server.browser("rob")
            let response = try rob.get(site.visitToConnect(person, rob))
            #expect(response.status == 303, "\(response.text)")
            #expect(response["location"] == "/settings?saved=connected")
            let page = try rob.get("/settings")
            #expect(page.text.contains(person.subject))
            #expect(!page.text.contains("/settings/connect/oidc"))
            let browser = Browser(site.server)
            #expect(try site.signIn(person, browser)["location"] == "/@rob")
            #expect(try site.server.count("users") == 1)

            let path = try #require(page.text.firstMatch(of: /"(\/settings\/disconnect\/[^"]*)"/))
            // Nobody else can do that, nor do they learn that there is such a thing.
            let eve = try site.server.browser("eve")
            let nothing = try eve.post(String(path.1))
            #expect(nothing["location"] == "/settings?saved=disconnected")
            #expect(try site.server.count("identities") == 1)
            let gone = try rob.post(String(path.1))
            #expect(gone["location"] == "/settings?saved=disconnected")
            #expect(try site.server.count("identities") == 0)
            #expect(try site.signIn(person, Browser(site.server))["location"] == "/@other")
        }
    }

    @Test("is connected with the password only, which a stolen session can't make up for")
    func connectingPassword() async throws {
        try await ProvidedSite.run { site in
            let person = ProvidedSite.person()
            let rob = try site.server.browser("rob")
            for password in ["", "wrong"] {
                try rob.get("/settings")
                expectFault(
                    try rob.post("/settings/connect/oidc", ["password": password]),
                    at: "connecting-password", "Wrong password")
            }
            // Someone who has the session's secret puts a handshake together.
            let thief = Browser(site.server)
            let target = try site.visit(person, thief)
            let parts = try #require(thief.cookies["__Host-sign-in"]).split(separator: ".")
            let session = try #require(rob.session.flatMap { SecretToken($0) })
            let forged = session.derive("connect \(parts[0])")
            thief.cookies["__Host-sign-in"] = "\(parts[0]).\(forged)."
            thief.cookies[Browser.sessionCookie] = rob.session
            expectPage(try thief.get(target), 400, "Start again")
            #expect(try site.server.count("identities") == 0)
        }
    }

    @Test("is not connected by someone who confirmed that with a password of before")
    func overtaken() async throws {
        try await ProvidedSite.run { site in
            let rob = try site.server.browser("rob")
            let target = try site.visitToConnect(ProvidedSite.person(), rob)
            // The session is open, but the password is another one.
            try site.server.execute("UPDATE passwords SET hash = hash || 'x'")
            expectPage(try rob.get(target), 409, "has changed in the meantime")
            #expect(try site.server.count("identities") == 0)
        }
    }

    @Test("is connected without a password for ten minutes after signing in")
    func freshConnecting() async throws {
        try await ProvidedSite.run { site in
            _ = try await site.server.makeUser("rob")
            let rob = try site.server.browser(signedInAs: "rob")
            try site.server.execute(
                "UPDATE sessions SET created_at = now() - interval '11 minutes'")
            expectPage(
                try rob.post("/settings/connect/oidc"), 403, "sign-in from the last 10 minutes")
            try site.server.execute("UPDATE sessions SET created_at = now()")
            let response = try rob.get(site.visitToConnect(ProvidedSite.person(), rob))
            #expect(response["location"] == "/settings?saved=connected")
        }
    }

    @Test("is connected with one account only")
    func anothers() async throws {
        try await ProvidedSite.run { site in
            let person = ProvidedSite.person(preferredUsername: "rob")
            try site.signIn(person, Browser(site.server))
            let eve = try site.server.browser("eve")
            let before = try site.server.contents()
            let response = try eve.get(site.visitToConnect(person, eve))
            expectPage(response, 409, "belongs to another account")
            #expect(try site.server.contents() == before)
            #expect(try eve.isSignedIn(as: "eve"))
        }
    }

    @Test("is connected in the session that began it, and in no other")
    func otherSession() async throws {
        try await ProvidedSite.run { site in
            let person = ProvidedSite.person()
            let rob = try site.server.browser("rob")
            func expectNothing(
                _ change: (Browser) throws -> Void, at location: SourceLocation = #_sourceLocation
            ) throws {
                let browser = Browser(site.server)
                try browser.signIn("rob")
                let target = try site.visitToConnect(person, browser)
                try change(browser)
                expectPage(try browser.get(target), 400, "Start again", at: location)
                #expect(
                    try site.server.count("identities") == 0, sourceLocation: location)
                #expect(try site.server.count("users") == 2, sourceLocation: location)
            }
            let eve = try site.server.browser("eve")
            try expectNothing { browser in
                try browser.get("/settings")
                try browser.post("/sign-out")
            }
            try expectNothing { $0.cookies[Browser.sessionCookie] = nil }
            try expectNothing { $0.cookies[Browser.sessionCookie] = eve.session }
            try expectNothing { $0.cookies[Browser.sessionCookie] = rob.session }
            // An attacker's attempt in the victim's browser: it signs in at most, as the attacker.
            let attempt = Browser(site.server)
            let target = try site.visit(person, attempt)
            eve.cookies["__Host-sign-in"] = attempt.cookies["__Host-sign-in"]
            #expect(try eve.get(target)["location"] == "/sign-up/name")
            let linked: Int = try site.server.database.session().query(
                """
                SELECT count(*) FROM identities JOIN users u ON u.id = user_id
                WHERE username IN ('rob', 'eve')
                """)[0][0]
            #expect(linked == 0)
        }
    }

    @Test("stays connected where it is the only way to sign in")
    func lastWay() async throws {
        try await ProvidedSite.run { site in
            let person = ProvidedSite.person(preferredUsername: "rob")
            let browser = Browser(site.server)
            try site.signIn(person, browser)
            expectPage(try browser.get("/settings"), 200, "set a password first")
            let id: String = try site.server.database.session()
                .query("SELECT id::text FROM identities")[0][0]
            let path = "/settings/disconnect/\(id)"
            expectPage(try browser.post(path), 409, "only way to sign in")
            #expect(try site.server.count("identities") == 1)
            #expect(try browser.post("/settings/disconnect/x").status == 404)
            let set = try browser.post("/settings/password", ["newPassword": Browser.password])
            #expect(set.status == 303)
            try browser.get("/settings")
            #expect(try browser.post(path)["location"] == "/settings?saved=disconnected")
            #expect(try Browser(site.server).signIn("rob").status == 303)
        }
    }

    // MARK: The API

    @Test("gives access tokens that the API takes, and ID tokens that it does not")
    func accessTokens() async throws {
        try await ProvidedSite.run(settings: ["JWT_AUDIENCE": "the client"]) { site in
            let person = ProvidedSite.person(preferredUsername: "Rob", givenName: "Róbert")
            let tokens = try site.provider.tokens(for: person, client: site.client)
            func me(_ token: String) throws -> RawResponse {
                try site.server.send("GET", "/api/v1/me", token: token)
            }
            try expectProblem(me(tokens.id), 401, "not valid")
            #expect(try site.server.count("users") == 0)
            let first = try me(tokens.access)
            #expect(first.status == 200, "\(first.text)")
            #expect(try first.object.string("username") == "player", "nobody was asked")
            #expect(try first.object.string("displayName") == "player")
            #expect(try first.object.string("visibility") == "unlisted")
            #expect(try me(tokens.access).object.string("id") == first.object.string("id"))
            try expectProblem(me(tokens.id), 401, "not valid")
            #expect(try site.server.count("users") == 1)
            // It is the same account by either way.
            #expect(try site.signIn(person, Browser(site.server))["location"] == "/@player")
            // Another client's token is not for us.
            let other = try site.provider.register(redirectURL: ProvidedSite.callback)
            let foreign = try site.provider.tokens(for: person, client: other)
            try expectProblem(me(foreign.access), 401)
            try site.server.execute("UPDATE users SET disabled_at = now()")
            try expectProblem(me(tokens.access), 401)
        }
    }

    @Test("gives access tokens that mean nothing where no audience is set")
    func noAudience() async throws {
        try await ProvidedSite.run { site in
            let tokens = try site.provider.tokens(
                for: ProvidedSite.person(), client: site.client)
            for token in [tokens.access, tokens.id] {
                try expectProblem(
                    site.server.send("GET", "/api/v1/me", token: token), 401)
            }
            #expect(try site.server.count("users") == 0)
        }
    }

    @Test("gives access tokens that make no account where no one may sign up")
    func closedAPI() async throws {
        let settings = ["JWT_AUDIENCE": "the client", "SIGN_UP": "closed"]
        try await ProvidedSite.run(settings: settings) { site in
            let tokens = try site.provider.tokens(
                for: ProvidedSite.person(), client: site.client)
            try expectProblem(
                site.server.send("GET", "/api/v1/me", token: tokens.access), 403,
                "taking new accounts")
            #expect(try site.server.count("users") == 0)
        }
    }
}
