import Foundation
import TestSupport
import Testing

@Suite("Everyone's entries on pages and in the API", .blocking)
struct EntriesPageTests {
    private func withPeople(_ body: (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            let rob = Person(server: server, token: try await server.makeUser("rob"))
            let ada = Person(server: server, token: try await server.makeUser("ada"))
            let robs = try rob.put(
                """
                {"entries": [
                  {"gameId": 71, "platformId": 6, "comment": "<i>Cake</i> & lies", "rating": 5,
                   "tags": ["Puzzle", "short & sweet"]},
                  {"gameId": 72, "platformId": 6, "rating": 4}]}
                """)
            let adas = try ada.put(
                #"{"entries": [{"gameId": 71, "platformId": 9, "comment": "Cake!", "tags": ["puzzle"]}]}"#
            )
            #expect(robs.status == 200 && adas.status == 200, "\(robs.text)\(adas.text)")
            try await body(server)
        }
    }

    private func names(_ server: TestServer, _ query: String) throws -> [String] {
        let object = try server.send("GET", "/api/v1/entries\(query)").object
        let entries = object["entries"] as? [[String: Any]] ?? []
        return entries.map { entry in
            let user = (entry["user"] as? [String: Any])?["username"] as? String ?? "?"
            return "\(user)\(entry["position"] ?? "?")"
        }.sorted()
    }

    @Test("are found by every filter in the API")
    func api() async throws {
        try await withPeople { server in
            #expect(try names(server, "") == ["ada1", "rob1", "rob2"])
            #expect(try names(server, "?platform=6") == ["rob1", "rob2"])
            #expect(try names(server, "?platform=win&game=71") == ["rob1"])
            #expect(try names(server, "?username=ada&tag=&rating=&search=") == ["ada1"])
            #expect(try names(server, "?tag=%23PUZZLE") == ["ada1", "rob1"])
            #expect(try names(server, "?tag=short%20%26%20sweet") == ["rob1"])
            #expect(try names(server, "?rating=4") == ["rob2"])
            #expect(try names(server, "?search=cake%20lies") == ["rob1"])
            let entry = try server.send("GET", "/api/v1/entries?rating=5").object
            let first = try #require((entry["entries"] as? [[String: Any]])?.first)
            #expect(first["rating"] as? Int == 5)
            #expect(first["tags"] as? [String] == ["puzzle", "short & sweet"])
            #expect((first["game"] as? [String: Any])?["name"] as? String == "Portal")
            #expect((first["platform"] as? [String: Any])?["id"] as? Int == 6)
            for (query, status) in [
                ("?platform=nonesuch", 404), ("?game=2000000000", 404), ("?username=nobody", 404),
                ("?username=!", 404), ("?game=x", 400), ("?rating=6", 400), ("?rating=x", 400),
                ("?tag=a,b", 400), ("?cursor=x", 400), ("?limit=101", 400),
                ("?search=\(String(repeating: "x", count: 101))", 400),
            ] {
                #expect(
                    try server.send("GET", "/api/v1/entries\(query)").status == status, "\(query)")
                #expect(
                    try server.send("GET", "/entries\(query)").status == status
                        || query.contains("limit"))
            }
        }
    }

    @Test("have pages that keep their filters")
    func pages() async throws {
        try await withPeople { server in
            let session = try server.database.session()
            try session.query(
                """
                INSERT INTO users (username, display_name)
                SELECT 'filler-' || n, 'Filler ' || n FROM generate_series(1, 35) n
                """)
            try session.query(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id, comment, tags)
                SELECT id, 1, 71, 6, 'Because.', '{puzzle}' FROM users WHERE username LIKE 'filler-%'
                """)
            let first = try server.send("GET", "/entries?tag=puzzle&platform=win").text
            let next = try #require(
                first.firstMatch(
                    of: /href="(\/entries\?platform=win&amp;tag=puzzle&amp;cursor=[^"]*)"/))
            let second = try server.send(
                "GET", String(next.1).replacing("&amp;", with: "&"))
            #expect(second.status == 200)
            #expect(second.text.contains("&lt;i&gt;Cake&lt;/i&gt; &amp; lies"))
            #expect(second.text.contains(#"href="/entries?tag=short%20%26%20sweet""#))
            #expect(!second.text.contains("<i>"))
            #expect(!second.text.contains(#"rel="next""#))
            // Each filter can be taken away, and the form shows them all.
            #expect(first.contains(#"href="/entries?tag=puzzle""#))
            #expect(first.contains(#"href="/entries?platform=win""#))
            #expect(first.contains(#"<option value="win" selected>"#))
            #expect(first.contains(#"name="tag" value="puzzle""#))
        }
    }

    @Test(
        "are one card for each person and day, in the order of the list, and long ones are folded")
    func cards() async throws {
        try await withPeople { server in
            let eve = Person(server: server, token: try await server.makeUser("eve"))
            let long = String(repeating: "So good. ", count: 60)
            let picks = [(117, 48), (71, 6), (120, 48), (72, 6), (73, 9)].map {
                #"{"gameId": \#($0), "platformId": \#($1), "comment": "\#(long)"}"#
            }
            _ = try eve.put(#"{"entries": [\#(picks.joined(separator: ","))]}"#)
            let page = try server.send("GET", "/entries").text
            let cards = page.components(separatedBy: #"<li class="card voice">"#).dropFirst()
            #expect(cards.count == 3)
            let first = try #require(cards.first { $0.contains("/@eve") })
            #expect(first.contains("5 reasons ·"))
            let places = first.matches(of: #/class="meta">#(\d) /#).compactMap { Int($0.1) }
            #expect(places == [1, 2, 3, 4, 5])
            let fold = #"<details class="fold">"#
            #expect(first.components(separatedBy: fold).count == 6)
            #expect(page.components(separatedBy: fold).count == 6, "the others' are short")
            try server.execute(
                "UPDATE entries SET created_at = created_at - interval '40 days' WHERE game_id = 73"
            )
            let later = try server.send("GET", "/entries").text
            #expect(later.contains("4 reasons ·") && later.contains("1 reason ·"))
            for (target, folded) in [
                ("/games/117", 1), ("/platforms/ps4--1/games/117", 1), ("/@eve", 0),
            ] {
                let page = try server.send("GET", target).text
                #expect(page.contains("So good. So good."), "\(target)")
                #expect(page.components(separatedBy: fold).count == folded + 1, "\(target)")
            }
        }
    }

    @Test("have pages whose titles say what is searched for")
    func titles() async throws {
        try await withPeople { server in
            for (target, title) in [
                ("/entries", "Why we love them"),
                (
                    "/entries?platform=win&tag=puzzle&search=cake",
                    "Why we love them: PC, #puzzle, “cake”"
                ),
                ("/games?search=portal", "Games matching “portal”"),
                ("/users?search=ada", "People matching “ada”"),
                ("/platforms?search=play", "Platforms matching “play”"),
                ("/", "Five games you’d never give up"), ("/me", "Your five favourite games"),
            ] {
                let page = try server.send("GET", target).text
                #expect(page.contains("<title>\(title) ·"), "\(target)")
            }
        }
    }

    @Test("of people with the same taste are a page away from each list")
    func similar() async throws {
        try await withPeople { server in
            #expect(try server.send("GET", "/@rob").text.contains(#"href="/@rob/similar""#))
            let page = try server.send("GET", "/@rob/similar")
            #expect(page.status == 200)
            #expect(page.text.contains(#"href="/@ada""#))
            #expect(page.text.contains("in common: <bdi>Portal</bdi>"))
            let json = try server.send("GET", "/api/v1/users/ada/similar").object
            let lists = try #require(json["lists"] as? [[String: Any]])
            #expect(lists.map { ($0["user"] as? [String: Any])?.string("username") } == ["rob"])
            for (part, game) in [("shared", 71), ("others", 72)] {
                let games = try #require(lists[0][part] as? [[String: Any]])
                #expect(games.map { $0["id"] as? Int } == [game])
            }
            #expect(try server.send("GET", "/api/v1/users/nobody/similar").status == 404)
            #expect(try server.send("GET", "/@nobody/similar").status == 404)
        }
    }

    @Test("show how games have moved since last week")
    func movement() async throws {
        try await withPeople { server in
            let session = try server.database.session()
            #expect(try !server.send("GET", "/platforms/win").text.contains("since last week"))
            // Games that share a rank have no mark.
            for name in ["one", "two"] { try Browser(server).signUp(name) }
            try session.query(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT id, 1, 71, 6 FROM users WHERE username IN ('one', 'two')
                """)
            try session.query(
                """
                INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
                VALUES (6, (now() AT TIME ZONE 'UTC')::date - 7, 71, 4)
                """)
            let page = try server.send("GET", "/platforms/win").text
            #expect(page.contains("Up 3 places since last week"))
        }
    }

    @Test("keeps the form, and says what is wrong, if a filter is mistyped")
    func mistyped() async throws {
        try await TestServer.run { server in
            for (query, status, words) in [
                ("platform=nope", 404, "no such platform"), ("rating=9", 400, "rating"),
                ("username=nobody", 404, "nobody"), ("tag=a%2Cb", 400, "tag"),
            ] {
                let page = try server.send("GET", "/entries?search=%3Ccake%3E&" + query)
                #expect(page.status == status, "\(query)")
                #expect(page.text.contains("name=\"search\" value=\"&lt;cake&gt;\""), "\(query)")
                #expect(page.text.contains("role=\"alert\""))
                #expect(page.text.lowercased().contains(words), "\(query)")
                #expect(page["cache-control"] == "no-store")
            }
        }
    }

}
