import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("The home page", .blocking)
struct HomeTests {
    /// A site with rob, who is signed in and has a list of two games, and ada, whom he follows.
    private static func run(
        _ body: (TestServer, Browser) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            for name in ["rob", "ada"] {
                let person = Person(server: server, token: try await server.makeUser(name))
                _ = try person.put(
                    #"""
                    {"entries": [{"gameId": 71, "platformId": 6, "comment": "Still <\#(name)>."},
                                 {"gameId": 72, "platformId": 6}]}
                    """#)
            }
            let session = try server.database.session()
            try session.execute(
                """
                INSERT INTO follows (follower_id, followed_id)
                SELECT a.id, b.id FROM users a, users b
                WHERE a.username = 'rob' AND b.username = 'ada';
                UPDATE entries SET created_at = now() - interval '40 days';
                UPDATE users SET created_at = now() - interval '60 days'
                """)
            try await body(server, try server.browser(signedInAs: "rob"))
        }
    }

    /// Bo says “me too” to rob's first comment.
    private static func giveHeart(_ server: TestServer, by name: String = "bo") async throws {
        let token = try await server.makeUser(name)
        let entry: String = try server.database.session().query(
            """
            SELECT e.id::text FROM entries e JOIN users u ON u.id = e.user_id
            WHERE u.username = 'rob' AND e.position = 1
            """)[0][0]
        let given = try server.send("PUT", "/api/v1/entries/\(entry)/heart", token: token)
        #expect(given.status == 204, "\(given.text)")
    }

    private static let mark = #"<span class="dot">"#

    @Test("says what this is, and quotes the comment that most people agree with")
    func guests() async throws {
        try await Self.run { server, _ in
            let guest = Browser(server)
            let page = try guest.get("/")
            expectPage(page, 200, "Start with a game you love")
            #expect(!page.text.contains("Still"))
            #expect(page["cache-control"] == "no-cache")
            try server.execute(
                """
                UPDATE entries e SET agreed = CASE u.username WHEN 'ada' THEN 6 ELSE 5 END
                FROM users u WHERE u.id = e.user_id AND e.comment <> ''
                """)
            expectPage(try guest.get("/"), 200, "Still &lt;ada&gt;.")
            try server.execute("UPDATE users SET visibility = 'unlisted' WHERE username = 'ada'")
            expectPage(try guest.get("/"), 200, "Still &lt;rob&gt;.")
            // One that is too long for it isn't quoted.
            try server.execute("UPDATE entries SET comment = repeat('x', 301) WHERE comment <> ''")
            try server.execute("UPDATE entries SET agreed = 9 WHERE comment <> ''")
            #expect(try !guest.get("/").text.contains("xxx"))
        }
    }

    @Test("shows people who are signed in their five, and the places that are left")
    func five() async throws {
        try await Self.run { server, rob in
            let page = try rob.get("/")
            expectPage(page, 200, "Your five")
            #expect(page["cache-control"] == "private, no-cache")
            #expect(page.text.contains(##"href="/@rob#2""##) && page.text.contains("2: Portal 2"))
            #expect(page.text.contains("Add your third game"))
            #expect(page.text.components(separatedBy: "Choose your number").count == 4)
            #expect(!page.text.contains("Start with a game you love"))
            #expect(!page.text.contains("No account needed"))
            expectPage(page, 200, "Nothing yet.")

            // One's own list is not among the others'.
            let shown = page.text.matches(of: /stretch" href="\/@(\w+)"/).map { String($0.1) }
            #expect(shown == ["ada"])
            try server.execute("UPDATE users SET visibility = 'private' WHERE username = 'ada'")
            #expect(try !rob.get("/").text.contains("No lists yet"))
            try server.execute("UPDATE users SET visibility = 'public' WHERE username = 'ada'")

            _ = try server.send(
                "POST", "/api/v1/circles", token: await server.token(of: "rob"),
                json: #"{"name": "Club & Co"}"#)
            expectPage(try rob.get("/"), 200, "Club &amp; Co")
            try server.execute("DELETE FROM entries")
            expectPage(try rob.get("/"), 200, "Add your first game")
        }
    }

    @Test("says what is new, and every page has a mark until it was seen")
    func news() async throws {
        try await Self.run { server, rob in
            #expect(try !rob.get("/settings").text.contains(Self.mark))
            for name in ["bo", "cy"] { try await Self.giveHeart(server, by: name) }
            for target in ["/settings", "/entries", "/@rob", "/nothing"] {
                #expect(try rob.get(target).text.contains(Self.mark), "\(target)")
                #expect(try !Browser(server).get(target).text.contains(Self.mark), "\(target)")
            }
            // Neither a program nor a browser that gets the page in advance looks at it.
            let token = try await server.token(of: "rob")
            for _ in 0..<2 {
                let json = try server.send("GET", "/api/v1/me/news", token: token).object
                let items = json.objects("items")
                #expect(items.map { $0.string("kind") } == ["hearts"])
                #expect(items.map { $0.int("count") } == [2])
            }
            expectPage(
                try rob.get("/", fields: [("Sec-Purpose", "prefetch")]), 200, "<b>2 people</b> said"
            )
            #expect(try server.count("news_visits") == 0)
            #expect(try rob.get("/settings").text.contains(Self.mark))

            for _ in 0..<2 {
                let home = try rob.get("/")
                expectPage(home, 200, "<b>2 people</b> said “me too”")
                #expect(!home.text.contains(Self.mark))
                #expect(!home.text.contains("/@bo") && !home.text.contains("/@cy"))
            }
            try await eventually("the mark is gone") {
                try !rob.get("/settings").text.contains(Self.mark)
            }

            // It comes again with what is new after that.
            let ada = try await server.token(of: "ada")
            let saved = try server.send(
                "PUT", "/api/v1/me/list", token: ada, fields: [("If-Match", "*")],
                json: #"{"entries": [{"gameId": 120, "platformId": 48}]}"#)
            #expect(saved.status == 200, "\(saved.text)")
            #expect(try rob.get("/settings").text.contains(Self.mark))
            let home = try rob.get("/").text
            #expect(home.contains("picked <bdi>Diablo III</bdi>") && home.contains("2 people"))
            // Where all is of today, the heading alone says so.
            for (days, isSaid) in [(0, false), (3, true)] {
                try server.execute(
                    "UPDATE news_visits SET (since, seen_at) = (now() - interval '\(days) days', now())"
                )
                try server.execute("UPDATE entries SET created_at = now() WHERE game_id = 120")
                let home = try rob.get("/").text
                #expect(home.contains(">New today<") != isSaid)
                #expect(home.contains(#"</span> <span class="meta"><time "#) == isSaid)
            }
        }
    }

    @Test("has no news of lists that aren't public")
    func hidden() async throws {
        try await Self.run { server, rob in
            try server.execute("UPDATE entries SET created_at = now()")
            expectPage(try rob.get("/"), 200, "picked <bdi>Portal</bdi> and <bdi>Portal 2</bdi>")
            for change in ["visibility = 'unlisted'", "visibility = 'private'"] {
                try server.execute("UPDATE users SET \(change) WHERE username = 'ada'")
                #expect(try !rob.get("/").text.contains("/@ada"), "\(change)")
            }
        }
    }
}
