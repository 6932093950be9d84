import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("Following people", .blocking)
struct FollowingTests {
    /// A site with rob, who is signed in, and ada and bo with a game each.
    private static func run(
        settings: [String: String] = [:], log: Recorder<String>? = nil,
        _ body: (TestServer, Browser) async throws -> Void
    ) async throws {
        try await TestServer.run(settings: settings, log: log) { server in
            for (name, game) in [("ada", 71), ("bo", 72)] {
                let person = Person(server: server, token: try await server.makeUser(name))
                _ = try person.put(
                    #"{"entries": [{"gameId": \#(game), "platformId": 6, "comment": "<b>Why</b>."}]}"#
                )
            }
            _ = try await server.makeUser("rob")
            try await body(server, try server.browser(signedInAs: "rob"))
        }
    }

    private static let hidden = [
        "visibility = 'unlisted'", "visibility = 'private'", "disabled_at = now()",
        "new_until = now() + interval '1 hour'",
    ]

    private static func hide(_ server: TestServer, _ change: String?) throws {
        try server.execute(
            """
            UPDATE users SET \(change ?? "visibility = 'public', disabled_at = NULL, new_until = NULL")
            WHERE username = 'ada'
            """)
    }

    @Test("is a button on their lists, and a page with what is new on these")
    func page() async throws {
        try await Self.run { server, rob in
            expectPage(try rob.get("/following"), 200, "You’re not following anyone yet.")
            expectPage(try rob.get("/followers"), 200, "No one yet.")
            let list = try rob.get("/@ada")
            #expect(list.text.contains(#"action="/@ada/follow""#))
            #expect(!(try rob.get("/@rob").text.contains("/follow\"")))
            #expect(!(try server.send("GET", "/@ada").text.contains("/follow\"")))
            try rob.get("/@ada")
            let followed = try rob.post("/@ada/follow", ["do": "follow", "return": "/@ada"])
            #expect(followed.status == 303 && followed["location"] == "/@ada")
            expectPage(try rob.get("/@ada"), 200, "Unfollow")
            let page = try rob.get("/following")
            expectPage(page, 200, "Portal")
            expectPage(page, 200, "&lt;b&gt;Why&lt;/b&gt;.")
            #expect(page["cache-control"] == "no-store")
            #expect(page.text.contains(#"<meta name="robots" content="noindex"#))
            #expect(!page.text.contains("Portal 2"))
            expectPage(try rob.get("/following/people"), 200, #"href="/@ada""#)

            for change in Self.hidden {
                try Self.hide(server, change)
                for target in ["/following", "/following/people"] {
                    let page = try rob.get(target).text
                    #expect(!page.contains("/@ada") && !page.contains("Portal"), "\(change)")
                }
                try Self.hide(server, nil)
            }
            try rob.get("/following")
            let unfollowed = try rob.post(
                "/@ada/follow", ["do": "unfollow", "return": "/following"])
            #expect(unfollowed["location"] == "/following?done=unfollowed")
            #expect(try server.count("follows") == 0)
            expectPage(try rob.get("/following?done=unfollowed"), 200, "You no longer follow them")
        }
    }

    @Test("shows someone's games in the order of their list, whenever each came")
    func order() async throws {
        try await Self.run { server, rob in
            let eve = Person(server: server, token: try await server.makeUser("eve"))
            let games: [Int] = try server.database.session().query(
                """
                SELECT array_agg(game_id) FROM (
                    SELECT game_id FROM game_platforms WHERE platform_id = 6 LIMIT 5) g
                """)[0][0]
            let picks = games.map { (game: $0, platform: 6) }
            // The third and fifth come first, and then the others between them.
            #expect(try eve.put([picks[2], picks[4]]).status == 200)
            #expect(try eve.put(picks).status == 200)
            try rob.get("/@eve")
            try rob.post("/@eve/follow", ["do": "follow"])
            let page = try rob.get("/following").text
            let places = page.matches(of: #/class="meta">#(\d) /#).compactMap { Int($0.1) }
            #expect(places == [1, 2, 3, 4, 5])
        }
    }

    @Test("is known to the two only, and the one who is followed can end it")
    func followers() async throws {
        try await Self.run { server, rob in
            try rob.post("/@ada/follow", ["do": "follow"])
            let ada = try server.browser(signedInAs: "ada")
            expectPage(try ada.get("/followers"), 200, #"href="/@rob""#)
            let bo = try server.browser(signedInAs: "bo")
            for target in ["/@ada", "/@rob", "/followers", "/following", "/users", "/"] {
                let page = try bo.get(target).text
                let seen =
                    target == "/@rob" || target == "/users" || target == "/" || target == "/@ada"
                #expect(seen || !page.contains("/@rob"), "\(target)")
                #expect(!page.contains("1 follower"))
            }
            let json = try server.send("GET", "/api/v1/users/ada").text
            #expect(!json.contains("ollow"))
            try server.execute("UPDATE users SET visibility = 'private' WHERE username = 'rob'")
            #expect(!(try ada.get("/followers").text.contains("/@rob")))
            try server.execute("UPDATE users SET visibility = 'public' WHERE username = 'rob'")
            try ada.get("/followers")
            let removed = try ada.post("/followers/rob/remove")
            #expect(removed["location"] == "/followers?done=removed")
            #expect(try server.count("follows") == 0)
        }
    }

    @Test("is refused for oneself, and for lists that aren't public")
    func refusals() async throws {
        try await Self.run { server, rob in
            expectPage(
                try rob.post("/@rob/follow", ["do": "follow"]), 409, "You can’t follow yourself.")
            expectPage(try rob.post("/@nobody/follow", ["do": "follow"]), 404, "no public list")
            expectPage(try rob.post("/@ada/follow", ["do": "x"]), 422, "Choose one.")
            for change in Self.hidden {
                try Self.hide(server, change)
                expectPage(try rob.post("/@ada/follow", ["do": "follow"]), 404, "no public list")
                #expect(!(try rob.get("/@ada").text.contains("/@ada/follow")), "\(change)")
            }
            // A form never leads to another site.
            let away = try rob.post(
                "/@bo/follow", ["do": "follow", "return": "//evil.example/"])
            #expect(away["location"] == "/@bo")
            let stranger = try Browser(server).post("/@bo/follow", ["do": "follow"])
            #expect(stranger["location"]?.hasPrefix("/sign-in") == true)
            #expect(try server.count("follows") == 1)
        }
    }

    @Test("is in the API, where repeating a request changes nothing")
    func api() async throws {
        try await Self.run { server, _ in
            let rob = try await server.token(of: "rob")
            let ada = try await server.token(of: "ada")
            func send(_ method: String, _ path: String, _ token: String) throws -> RawResponse {
                try server.send(method, "/api/v1/me/\(path)", token: token)
            }
            func people(_ path: String, _ token: String) throws -> [String?] {
                let object = try send("GET", path, token).object
                return (object["people"] as? [[String: Any]] ?? []).map { $0.string("username") }
            }
            for _ in 0..<2 { #expect(try send("PUT", "following/ada", rob).status == 204) }
            #expect(try people("following", rob) == ["ada"])
            #expect(try people("followers", ada) == ["rob"])
            #expect(try people("followers", rob) == [])
            let changes = try send("GET", "following/entries", rob).object
            let entries = try #require(changes["entries"] as? [[String: Any]])
            #expect(entries.map { ($0["game"] as? [String: Any])?.string("name") } == ["Portal"])
            try expectProblem(try send("PUT", "following/rob", rob), 409, "yourself")
            try expectProblem(try send("PUT", "following/nobody", rob), 404, "no public list")
            try Self.hide(server, "visibility = 'unlisted'")
            try expectProblem(try send("PUT", "following/ada", rob), 404, "no public list")
            #expect(try people("following", rob) == [])
            let none = try send("GET", "following/entries", rob).object["entries"] as? [Any]
            #expect(none?.isEmpty == true)
            for _ in 0..<2 { #expect(try send("DELETE", "followers/rob", ada).status == 204) }
            for name in ["ada", "nobody"] {
                #expect(try send("DELETE", "following/\(name)", rob).status == 204)
            }
            #expect(try server.count("follows") == 0)
            try Self.hide(server, nil)
            try server.execute(
                """
                INSERT INTO users (username, display_name)
                SELECT 'user-' || n, 'User ' || n FROM generate_series(1, 1000) n;
                INSERT INTO follows (follower_id, followed_id)
                SELECT r.id, u.id FROM users r, users u
                WHERE r.username = 'rob' AND u.username LIKE 'user-%'
                """)
            try expectProblem(try send("PUT", "following/ada", rob), 409, "at most 1000 people")
        }
    }

    @Test("has a feed for feed readers, whose address is a secret")
    func feed() async throws {
        let log = Recorder<String>()
        var secrets: [Substring] = []
        try await Self.run(settings: ["LOG_LEVEL": "debug"], log: log) { server, rob in
            try rob.post("/@ada/follow", ["do": "follow"])
            try rob.get("/following")
            let made = try rob.post("/following/feed")
            expectPage(made, 200, "Copy the address of your feed now.")
            let pattern = /https:\/\/fave\.example(\/following\/feed\?key=[\w-]{43})/
            let address = String(try #require(made.text.firstMatch(of: pattern)).1)
            #expect(!(try rob.get("/following").text.contains("key=")))
            func get(_ address: String) throws -> RawResponse { try server.send("GET", address) }
            let feed = try get(address)
            #expect(feed.status == 200 && feed["content-type"] == "application/atom+xml")
            #expect(feed["cache-control"] == "no-store")
            #expect(feed["x-robots-tag"] == "noindex")
            let tree = try XMLTree.parse(feed.bytes)
            #expect(
                tree.all("entry").map { $0["title"] } == ["ada: Portal (PC (Microsoft Windows))"])
            #expect(tree.all("entry").map { $0["content"] } == ["<b>Why</b>."])
            for change in Self.hidden {
                try Self.hide(server, change)
                let feed = try XMLTree.parse(try get(address).bytes)
                #expect(feed.all("entry").isEmpty, "\(change)")
                try Self.hide(server, nil)
            }
            for wrong in [
                "/following/feed", "/following/feed?key=", "/following/feed?key=x",
                "/following/feed?key=" + String(repeating: "A", count: 43),
            ] { #expect(try get(wrong).status == 404, "\(wrong)") }
            try server.execute("UPDATE users SET disabled_at = now() WHERE username = 'rob'")
            #expect(try get(address).status == 404)
            try server.execute("UPDATE users SET disabled_at = NULL WHERE username = 'rob'")

            let token = try await server.token(of: "rob")
            let renewed = try server.send("POST", "/api/v1/me/following/feed", token: token)
            #expect(renewed.status == 201 && renewed["cache-control"] == "no-store")
            let next = try #require(renewed.object.string("address"))
                .replacing("https://fave.example", with: "")
            #expect(try get(address).status == 404)
            #expect(try get(next).status == 200)
            try rob.get("/following")
            let removed = try rob.post("/following/feed/remove")
            #expect(removed["location"] == "/following?done=feed-removed")
            #expect(try get(next).status == 404)

            secrets = [address, next].map { $0.suffix(43) }
        }
        // A server that has stopped has written all of its lines.
        let lines = log.elements.joined(separator: "\n")
        #expect(lines.contains("/following/feed"))
        #expect(secrets.count == 2)
        for secret in secrets { #expect(!lines.contains(secret)) }
    }

    @Test("goes with what two people share, which is shown to the one who is signed in")
    func shared() async throws {
        // Each loop has its own memory.
        try await Self.run(settings: ["LOOPS": "1"]) { server, rob in
            let token = try await server.token(of: "rob")
            _ = try Person(server: server, token: token).put(
                #"{"entries": [{"gameId": 71, "platformId": 9}, {"gameId": 73, "platformId": 6}]}"#)
            _ = try Person(server: server, token: try await server.token(of: "ada")).put(
                """
                {"entries": [{"gameId": 72, "platformId": 6}, {"gameId": 71, "platformId": 6},
                             {"gameId": 71, "platformId": 9}]}
                """)
            let page = try rob.get("/@ada").text
            #expect(page.contains("You and"))
            let json = try server.send("GET", "/api/v1/users/ada/shared", token: token).object
            for (part, game) in [("shared", 71), ("others", 72)] {
                let games = try #require(json[part] as? [[String: Any]])
                #expect(games.map { $0["id"] as? Int } == [game], "\(part)")
            }
            #expect(!(try rob.get("/@rob").text.contains("You and")))
            // Others get the same page as before, from memory.
            _ = try server.send("GET", "/@ada")
            let cached = try server.send("GET", "/@ada")
            #expect(!cached.text.contains("You and"))
            #expect(cached["cache-status"]?.contains("hit") == true)
            try Self.hide(server, "visibility = 'private'")
            #expect(
                try server.send("GET", "/api/v1/users/ada/shared", token: token).status == 404)
        }
    }
}
