import Foundation
import TestSupport
import Testing

@Suite("While people need an invitation", .blocking)
struct InvitationTests {
    private static let settings = ["SIGN_UP": "invite"]

    /// A site with rob, whom the operator has made, and a link of his.
    private static func run(
        _ body: (TestServer, Browser, (Int, Int) throws -> String) async throws -> Void
    ) async throws {
        try await TestServer.run(.migrated, settings: settings) { server in
            try server.execute("INSERT INTO users (username, display_name) VALUES ('rob', 'Rob')")
            let rob = try server.browser(signedInAs: "rob")
            try await body(server, rob) { uses, days in
                try rob.get("/settings/invitations")
                let page = try rob.post(
                    "/settings/invitations", ["uses": "\(uses)", "days": "\(days)"])
                expectPage(page, 200, "Send this link")
                let link = try #require(
                    page.text.firstMatch(
                        of: /https:\/\/fave\.example(\/sign-up\?invitation=[\w-]{43})/))
                return String(link.1)
            }
        }
    }

    private static func signUp(
        _ server: TestServer, _ name: String, link: String? = nil
    ) throws -> RawResponse {
        let browser = Browser(server)
        try browser.get(link ?? "/sign-up")
        if browser.token == nil { try browser.get("/sign-in") }
        return try browser.post("/sign-up", ["username": name, "password": Browser.password])
    }

    @Test("a link lets in as many as it says, and not one more")
    func uses() async throws {
        try await Self.run { server, _, invite in
            expectPage(try server.send("GET", "/sign-up"), 200, "Sign-up is by invitation")
            expectPage(try Self.signUp(server, "eve"), 403, "You need an invitation")
            let link = try invite(2, 7)
            expectPage(try server.send("GET", link), 200, "You’re invited.")
            // A name that is taken uses nothing up.
            expectPage(try Self.signUp(server, "rob", link: link), 422)
            #expect(try Self.signUp(server, "ann", link: link).status == 303)
            #expect(try Self.signUp(server, "bob", link: link).status == 303)
            expectPage(try server.send("GET", link), 403, "has been used up")
            let late = try Self.signUp(server, "cyd", link: link)
            expectPage(late, 403, "You need an invitation")
            #expect(try server.count("users") == 3)
            let stored: String = try server.database.session().query(
                "SELECT string_agg(i::text, '') FROM invitations i")[0][0]
            #expect(!stored.contains(link.suffix(43)))
        }
    }

    /// The pages that lead to an account, and what a guest can send.
    private static func guestPages(_ browser: Browser) throws -> [String] {
        let editor = try browser.get("/me").text
        let saved = try browser.post(
            "/me",
            inOrder: [
                ("token", try #require(browser.token)), ("guest", "1"), ("base", ""),
                ("entry", "new-1"), ("game", "71"), ("platform", "6"), ("comment", ""),
                ("rating", ""), ("tags", ""), ("do", "save"),
            ])
        #expect(saved.status == 303)
        let next = try browser.get(try #require(saved["location"])).text
        return [try browser.get("/").text, editor, next]
    }

    @Test("every page that leads to an account says so, until one has an invitation")
    func words() async throws {
        let promises = ["No account needed", "You only need an account", "Sign up"]
        let refusal = "Sign-up is by invitation: ask a member for a link."
        try await Self.run { server, _, invite in
            let guest = Browser(server)
            for page in try Self.guestPages(guest) {
                #expect(page.contains(refusal))
                for promise in promises { #expect(!page.contains(promise), "\(promise)") }
            }
            let closed = try guest.get("/sign-up").text
            #expect(closed.contains("<title>Sign-up is by invitation ·"))
            #expect(!closed.contains("Sign up"))
            try guest.get(invite(1, 7))
            let pages = try Self.guestPages(guest)
            // The first page is the same for everyone.
            #expect(pages[0].contains(refusal))
            #expect(pages[1].contains("Sign up and save"))
            #expect(pages[2].contains("We’ll save your five when you sign up."))
            expectPage(try guest.get("/sign-in"), 200, #"New here? <a href="/sign-up">"#)
        }
        try await TestServer.run(.migrated, settings: ["SIGN_UP": "closed"]) { server in
            for page in try Self.guestPages(Browser(server)) {
                #expect(page.contains("This site isn’t taking new accounts at the moment."))
                for promise in promises { #expect(!page.contains(promise), "\(promise)") }
            }
        }
    }

    @Test("the last use of a link is for one of those who open it at once")
    func race() async throws {
        try await Self.run { server, _, invite in
            for round in 0..<5 {
                let token = String(try invite(1, 1).suffix(43))
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<4 {
                        group.addTask {
                            try server.send(
                                "POST", "/api/v1/users",
                                json: """
                                    {"username": "user\(round)-\(number)", "invitation": "\(token)",
                                     "password": "\(Browser.password)"}
                                    """
                            ).status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.sorted() == [201, 403, 403, 403])
            }
            #expect(try server.count("users") == 6)
        }
    }

    @Test("a link ends when it is revoked or expires, or when its maker is shut out")
    func ends() async throws {
        try await Self.run { server, rob, invite in
            let revoked = try invite(5, 7)
            let page = try rob.get("/settings/invitations")
            expectPage(page, 200, "5 places left")
            let action = try #require(
                page.text.firstMatch(of: /action="(\/settings\/invitations\/[^"]*\/revoke)"/)
            ).1
            #expect(try rob.post(String(action))["location"] == "/settings/invitations?revoked=yes")
            #expect(try Self.signUp(server, "ann", link: revoked).status == 403)
            let expired = try invite(5, 1)
            try server.execute("UPDATE invitations SET expires_at = now()")
            #expect(try Self.signUp(server, "ann", link: expired).status == 403)
            let orphaned = try invite(5, 1)
            try server.execute("UPDATE users SET disabled_at = now() WHERE username = 'rob'")
            #expect(try Self.signUp(server, "ann", link: orphaned).status == 403)
        }
    }

    @Test("nobody else's and no wrong number is taken")
    func bad() async throws {
        try await Self.run { server, rob, invite in
            try rob.get("/settings/invitations")
            for (uses, days, id, text) in [
                ("0", "7", "uses", "from 1 to 100"), ("101", "7", "uses", "from 1 to 100"),
                ("x", "7", "uses", "a whole number"), ("1", "0", "days", "from 1 to 30"),
                ("1", "31", "days", "from 1 to 30"), ("1", "", "days", "a whole number"),
            ] {
                expectFault(
                    try rob.post("/settings/invitations", ["uses": uses, "days": days]), at: id,
                    text, value: id == "uses" ? uses : days)
            }
            for link in ["/sign-up?invitation=x", "/sign-up?invitation="] {
                expectPage(try server.send("GET", link), 403, "has been used up or has expired")
            }
            for number in 0..<20 {
                if number == 10 { try server.execute("DELETE FROM attempts") }
                _ = try invite(1, 1)
            }
            expectPage(
                try rob.post("/settings/invitations", ["uses": "1", "days": "1"]), 409,
                "at most 20 open invitations")
            // Used or revoked, they are not made without end either.
            for _ in 0..<20 {
                try server.execute("DELETE FROM invitations")
                _ = try rob.post("/settings/invitations", ["uses": "1", "days": "1"])
            }
            expectPage(
                try rob.post("/settings/invitations", ["uses": "1", "days": "1"]), 429,
                "Too many attempts")
            try server.execute("DELETE FROM invitations; DELETE FROM attempts")
            for _ in 0..<20 { _ = try invite(1, 1) }
            let token = try await server.token(of: "rob")
            let list = try server.send("GET", "/api/v1/me/invitations", token: token)
            #expect(try list.object.objects("invitations").count == 20)
        }
    }

    @Test("issuers' tokens make no accounts, and without invitations there is no page for them")
    func others() async throws {
        try await TestIssuer.run { settings in
            let settings = settings.merging(Self.settings) { $1 }
            try await TestServer.run(.migrated, settings: settings) { server in
                try expectProblem(
                    try server.send("GET", "/api/v1/me", token: TestIssuer.untilYear2096), 403,
                    "You need an invitation")
                #expect(try server.count("users") == 0)
            }
        }
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            expectPage(try rob.get("/settings/invitations"), 404)
            #expect(try !rob.get("/settings").text.contains("/settings/invitations"))
            try expectProblem(
                try server.send(
                    "POST", "/api/v1/me/invitations", token: await server.token(of: "rob"),
                    json: "{}"), 403)
        }
    }
}
