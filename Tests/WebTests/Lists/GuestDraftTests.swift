import Foundation
import TestSupport
import Testing

@Suite("A guest’s draft", .blocking)
struct GuestDraftTests {
    private static let entry = [
        ("guest", "1"), ("base", ""), ("entry", "new-1"), ("game", "71"), ("platform", "6"),
        ("comment", "The <cake> & é 👾"), ("rating", ""), ("tags", "puzzle"),
    ]

    @discardableResult
    private func send(
        _ browser: Browser, _ items: [(String, String)], do action: String = "save"
    ) throws -> RawResponse {
        let token = try #require(browser.token)
        return try browser.post("/me", inOrder: [("token", token)] + items + [("do", action)])
    }

    @Test("is saved by signing up, which leads to where it is shared")
    func signUp() async throws {
        try await TestServer.run { server in
            let browser = Browser(server)
            let page = try browser.get("/me")
            #expect(page["cache-control"] == "no-store")
            #expect(page.text.contains("Sign up and save"))
            // The other buttons work, too.
            let found = try send(browser, Self.entry + [("search", "celeste")], do: "find")
            #expect(found.status == 200 && found.text.contains("The &lt;cake&gt; &amp; é 👾"))
            let sent = try send(browser, Self.entry)
            #expect(sent.status == 303)
            #expect(sent["location"] == "/sign-up?return=%2Fme%3Fdraft")
            #expect(
                try browser.get("/sign-up?return=%2Fme%3Fdraft").text.contains("save your five"))
            let stored: String = try server.database.session().query(
                "SELECT string_agg(d::text, '') FROM drafts d")[0][0]
            let secret = try #require(browser.cookies["__Host-form"])
            #expect(!stored.contains(secret))

            let rob = try signUp("rob", browser)
            #expect(rob["location"] == "/@rob/share?saved")
            let list = try browser.get("/@rob").text
            #expect(list.contains("The &lt;cake&gt; &amp; é 👾") && list.contains("puzzle"))
            #expect(try count("drafts", server) == 0)
            // It is not added a second time.
            #expect(try browser.get("/me?draft").text.matches(of: /name="entry"/).count == 2)
            // Nobody else gets it.
            let eve = Browser(server)
            try eve.signUp("eve")
            #expect(try !eve.get("/me?draft").text.contains("cake"))
        }
    }

    private func count(_ table: String, _ server: TestServer) throws -> Int {
        try server.database.session().query("SELECT count(*) FROM \(table)")[0][0]
    }

    /// Signs up to save the draft.
    private func signUp(_ name: String, _ browser: Browser) throws -> RawResponse {
        try browser.get("/sign-up?return=%2Fme%3Fdraft")
        return try browser.post(
            "/sign-up",
            ["username": name, "password": "tulip staple 42", "return": "/me?draft"])
    }

    @Test("is saved together with the account, or neither is")
    func together() async throws {
        try await TestServer.run { server in
            let browser = Browser(server)
            try browser.get("/me")
            try send(browser, Self.entry)
            let session = try server.database.session()
            // Whatever goes wrong with the second write undoes the first.
            try session.execute(
                "ALTER TABLE sessions ADD CONSTRAINT broken CHECK (false) NOT VALID")
            #expect(try signUp("rob", browser).status >= 500)
            #expect(try count("users", server) == 0 && count("entries", server) == 0)
            #expect(try count("drafts", server) == 1)
            try session.execute("ALTER TABLE sessions DROP CONSTRAINT broken")
            #expect(try signUp("rob", browser)["location"] == "/@rob/share?saved")
            #expect(try count("users", server) == 1 && count("entries", server) == 1)
        }
    }

    @Test("that can’t be saved as it is leads to the editor, with the account made")
    func blocked() async throws {
        try await TestServer.run(settings: ["REFUSED_WORDS": "cake"]) { server in
            let browser = Browser(server)
            try browser.get("/me")
            try send(browser, Self.entry)
            #expect(try signUp("rob", browser)["location"] == "/me?draft")
            let page = try browser.get("/me?draft").text
            #expect(page.contains("They aren’t saved yet") && page.contains("The &lt;cake&gt;"))
            #expect(try count("users", server) == 1 && count("entries", server) == 0)
        }
    }

    @Test("is saved for someone who signs in, if their list is empty")
    func signIn() async throws {
        try await TestServer.run { server in
            let browser = Browser(server)
            try browser.signUp("rob")
            browser.cookies = [:]
            try browser.get("/me")
            try send(browser, Self.entry)
            func signIn() throws -> RawResponse {
                try browser.get("/sign-in?return=%2Fme%3Fdraft")
                return try browser.post(
                    "/sign-in",
                    ["username": "rob", "password": "tulip staple 42", "return": "/me?draft"])
            }
            #expect(try signIn()["location"] == "/@rob/share?saved")
            #expect(try count("entries", server) == 1)
            browser.cookies = [:]
            try browser.get("/me")
            try send(browser, Self.entry)
            #expect(try signIn()["location"] == "/me?draft")
            #expect(try count("entries", server) == 1)
        }
    }

    @Test("joins the list that its owner had, and loses nothing if that makes more than five")
    func existing() async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            try rob.signUp("rob")
            _ = try server.database.session().query(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT u.id, n, g, (SELECT min(p.platform_id) FROM game_platforms p
                                    WHERE p.game_id = g)
                FROM users u, unnest(ARRAY[120, 72, 73, 74, 117]) WITH ORDINALITY AS t (g, n)
                """)
            let session = try #require(rob.cookies["__Host-session"])
            rob.cookies = [:]
            try rob.get("/me")
            #expect(try send(rob, Self.entry).status == 303)
            rob.cookies["__Host-session"] = session
            let page = try rob.get("/me?draft")
            #expect(page.text.contains("already had 5 games"))
            #expect(page.text.contains("The &lt;cake&gt;"))
            #expect(page.text.matches(of: /name="entry"/).count == 7, "with the blank one")
        }
    }

    @Test("is refused with the reason, and what was typed, if it can't be saved")
    func refused() async throws {
        try await TestServer.run { server in
            let browser = Browser(server)
            try browser.get("/me")
            let empty = try send(browser, [("guest", "1"), ("base", "")])
            #expect(empty.status == 422 && empty.text.contains("Add a game first"))
            var items = Self.entry
            items[4].1 = ""
            let incomplete = try send(browser, items)
            #expect(incomplete.status == 422)
            #expect(incomplete.text.contains("Choose where you played it"))
            #expect(incomplete.text.contains("The &lt;cake&gt;"))
            browser.cookies = [:]
            let without = try browser.post(
                "/me", inOrder: [("token", "x")] + Self.entry + [("do", "save")])
            #expect(without.status == 403 && without.text.contains("The &lt;cake&gt;"))
            let count: Int = try server.database.session().query("SELECT count(*) FROM drafts")[0][
                0]
            #expect(count == 0)
        }
    }

    @Test("is stored for a day, and of all the latest ten thousand")
    func bounds() async throws {
        try await TestServer.run { server in
            let browser = Browser(server)
            try browser.get("/me")
            let session = try server.database.session()
            _ = try session.query(
                """
                INSERT INTO drafts (token_hash, form, made_at)
                SELECT sha256(n::text::bytea), '', now() - n * interval '1 second'
                FROM generate_series(1, 10050) n
                """)
            #expect(try send(browser, Self.entry).status == 303)
            let count: Int = try session.query("SELECT count(*) FROM drafts")[0][0]
            #expect(count == 10_000)
            try browser.signUp("rob")
            _ = try session.query("UPDATE drafts SET made_at = now() - interval '25 hours'")
            #expect(try !browser.get("/me?draft").text.contains("cake"))
        }
    }
}
