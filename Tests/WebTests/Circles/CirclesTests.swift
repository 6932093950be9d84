import Foundation
import TestSupport
import Testing

@Suite("Circles", .blocking)
struct CirclesTests {
    /// A circle that rob makes on its page.
    private static func make(
        _ rob: Browser, _ visibility: String = "public", name: String = "Tuesday Club"
    ) throws -> String {
        try rob.get("/circles/new")
        let made = try rob.post(
            "/circles/new", ["name": name, "description": "Games.", "visibility": visibility])
        #expect(made.status == 303, "\(made.text)")
        let path = try #require(
            made["location"]?.firstMatch(of: /^(\/circles\/[0-9a-f-]{36})\/settings\?saved=made$/))
        return String(path.1)
    }

    /// A link to a circle, as a path.
    private static func invite(
        _ rob: Browser, to circle: String, uses: String = "20", days: String = "7"
    ) throws -> String {
        try rob.get(circle + "/settings")
        let page = try rob.post(circle + "/invitations", ["uses": uses, "days": days])
        expectPage(page, 200, "Send this link")
        #expect(page["cache-control"] == "no-store")
        let link = try #require(
            page.text.firstMatch(
                of: /https:\/\/fave\.example(\/circles\/join\?invitation=[\w-]{43})/))
        return String(link.1)
    }

    private static func join(_ browser: Browser, _ link: String) throws -> RawResponse {
        try browser.get(link)
        return try browser.post("/circles/join", ["invitation": String(link.suffix(43))])
    }

    @Test("are made, joined by a link, left and deleted")
    func life() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob)
            expectPage(try rob.get(circle), 200, "Invite people")
            let link = try Self.invite(rob, to: circle)
            expectPage(
                try rob.get(circle + "/settings"), 200, "For 20 of 20 people")
            let stored: String = try server.database.session().query(
                "SELECT string_agg(i::text, '') FROM circle_invitations i")[0][0]
            #expect(!stored.contains(link.suffix(43)))
            #expect(try !rob.get(circle + "/settings").text.contains(link.suffix(43)))

            let ada = try server.browser("ada")
            let page = try ada.get(link)
            expectPage(page, 200, "You’re invited to")
            expectPage(page, 200, "What the others see if you join")
            #expect(page["cache-control"] == "no-store")
            #expect(page.text.contains("noindex"))
            #expect(!page.text.contains("rel=\"canonical\""))
            for _ in 0..<3 { _ = try ada.get(link) }
            #expect(try server.count("circle_members") == 1, "opening a link joins nothing")
            #expect(try server.count("circle_invitations WHERE uses_left = 20") == 1)
            #expect(try Self.join(ada, link)["location"] == circle + "?done=joined")
            expectPage(try ada.get(circle + "?done=joined"), 200, "You’re in.")
            expectPage(try ada.get("/circles"), 200, "Tuesday Club")
            expectPage(try ada.get(link), 200, "You’re a member already")
            expectPage(try ada.get(circle + "/settings"), 404)

            try ada.get(circle)
            #expect(try ada.post(circle + "/leave")["location"] == "/circles?done=left")
            expectPage(try ada.get("/circles?done=left"), 200, "You’ve left the circle.")
            try rob.get(circle + "/settings")
            expectPage(try rob.post(circle + "/leave"), 409, "Hand it over")
            #expect(try rob.post(circle + "/delete")["location"] == "/circles?done=deleted")
            expectPage(try rob.get(circle), 404)
            expectPage(try ada.get(link), 403, "has been used up or revoked")
            expectPage(try Self.join(ada, link), 403, "has been used up or revoked")
        }
    }

    @Test("are joined after signing up or in, without losing the link")
    func strangers() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob, "members")
            let link = try Self.invite(rob, to: circle)
            let eve = Browser(server)
            expectPage(try eve.get(link), 200, "Sign in to join")
            let sent = try eve.post("/circles/join", ["invitation": String(link.suffix(43))])
            #expect(sent.status == 303)
            #expect(try server.count("circle_members") == 1)
            let way = try #require(sent["location"])
            #expect(way.hasPrefix("/sign-in?return=%2Fcircles%2Fjoin%3Finvitation"))
            let signIn = try eve.get(way)
            let signUp = try #require(
                signIn.text.firstMatch(of: /href="(\/sign-up\?return=[^"]*)"/))
            let path = String(signUp.1).replacing("&amp;", with: "&")
            try eve.get(path)
            let back = try eve.post(
                "/sign-up",
                ["username": "eve", "password": Browser.password, "return": link])
            #expect(back["location"] == link)
            #expect(try Self.join(eve, link)["location"] == circle + "?done=joined")
            expectPage(try eve.get(circle), 200, "A circle for its members only")
        }
    }

    @Test("for members only don't exist for anyone else, and are cached nowhere")
    func membersOnly() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob, "members")
            let other = "/circles/00000000-0000-4000-8000-000000000000"
            let eve = try server.browser("eve")
            let token = try await server.token(of: "eve")
            let own = try await server.token(of: "rob")
            for suffix in ["", "?from=2", "/platforms/win", "/settings"] {
                #expect(try eve.get(circle + suffix).status == 404)
                #expect(
                    try eve.get(circle + suffix).text.count
                        == eve.get(other + suffix).text.count)
                guard suffix != "/settings" else { continue }
                #expect(try server.send("GET", circle + suffix).status == 404)
                let page = try rob.get(circle + suffix)
                #expect(page.status == 200)
                #expect(page["cache-control"] == "no-store")
                #expect(page.text.contains("content=\"noindex\""))
            }
            for suffix in [
                "", "/members", "/rankings", "/platforms/win/ranking", "/common-games",
            ] {
                let path = "/api/v1\(circle)\(suffix)"
                try expectProblem(try server.send("GET", path), 404, "for its members only")
                try expectProblem(
                    try server.send("GET", path, token: token), 404, "for its members only")
                let response = try server.send("GET", path, token: own)
                #expect(response.status == 200)
                #expect(response["cache-control"] == "private, no-store")
            }
            // Nor can anyone but the owner do anything to it.
            try eve.get("/settings")
            let before = try server.contents()
            for suffix in ["settings", "invitations", "delete", "hide"] {
                let response = try eve.post(
                    "\(circle)/\(suffix)",
                    ["name": "Mine", "visibility": "public", "uses": "1", "days": "1"])
                #expect([403, 404].contains(response.status), "\(suffix)")
            }
            for (method, suffix) in [("PATCH", ""), ("DELETE", ""), ("POST", "/invitations")] {
                try expectProblem(
                    try server.send(method, "/api/v1\(circle)\(suffix)", token: token, json: "{}"),
                    404)
            }
            #expect(try server.contents() == before)
        }
    }

    @Test("that are public are cached in memory, exactly")
    func caching() async throws {
        // One loop, so that every request meets the same memory.
        try await TestServer.run(settings: ["LOOPS": "1"]) { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob)
            let token = try await server.token(of: "rob")
            func put(_ json: String) throws {
                let put = try server.send(
                    "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                    json: json)
                #expect(put.status == 200)
            }
            func text() throws -> String {
                let first = try server.send("GET", circle)
                #expect(first.status == 200)
                #expect(try server.send("GET", circle).text == first.text)
                return first.text
            }
            func expectCached() throws {
                for _ in 0..<4 { _ = try server.send("GET", circle) }
                let status = try server.send("GET", circle)["cache-status"] ?? ""
                #expect(status.contains("hit"), "\(status)")
            }
            #expect(try text().contains("No public list in this circle has a game yet."))
            try expectCached()
            try put(#"{"entries": [{"gameId": 71, "platformId": 6}]}"#)
            #expect(try text().contains("Portal"))
            try expectCached()
            for change in ["disabled_at = now()", "new_until = now() + interval '1 day'"] {
                try server.execute("UPDATE users SET \(change)")
                for _ in 0..<2 { #expect(try server.send("GET", circle).status == 404) }
                try server.execute("UPDATE users SET disabled_at = NULL, new_until = NULL")
                #expect(try text().contains("Portal"))
            }
            for change in ["visibility = 'unlisted'", "visibility = 'private'"] {
                try server.execute("UPDATE users SET \(change)")
                let hidden = try text()
                #expect(!hidden.contains("Portal"), "\(change)")
                #expect(!hidden.contains("/@rob\""), "\(change)")
                try expectCached()
                try server.execute("UPDATE users SET visibility = 'public'")
                #expect(try text().contains("Portal"))
            }
            let ada = try await server.makeUser("ada")
            #expect(try !text().contains("@ada"))
            let link = try Self.invite(rob, to: circle)
            let joined = try server.send(
                "POST", "/api/v1/me/circles", token: ada,
                json: #"{"invitation": "\#(link.suffix(43))"}"#)
            #expect(joined.status == 200)
            #expect(try text().contains("/@ada"))
            try server.execute("UPDATE users SET username = 'adele' WHERE username = 'ada'")
            #expect(try text().contains("/@adele"))
            let changed = try server.send(
                "PATCH", "/api/v1\(circle)", token: token, json: #"{"name": "Monday Club"}"#)
            #expect(changed.status == 200)
            #expect(try text().contains("Monday Club"))
            _ = try server.send(
                "PATCH", "/api/v1\(circle)", token: token, json: #"{"visibility": "members"}"#)
            #expect(try server.send("GET", circle).status == 404)
            #expect(try server.send("GET", "/api/v1\(circle)/members").status == 404)
        }
    }

    @Test(
        "show the names of people with hidden lists to members only, and never the way to their lists"
    )
    func hiddenMembers() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob)
            let link = try Self.invite(rob, to: circle)
            let ada = try server.browser("ada-91")
            _ = try Self.join(ada, link)
            try server.execute(
                """
                UPDATE users SET display_name = 'Adele', visibility = 'unlisted'
                WHERE username = 'ada-91';
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT id, 1, 71, 6 FROM users WHERE username = 'ada-91'
                """)
            let token = try await server.token(of: "rob")
            for (visibility, change) in [
                ("unlisted", "visibility = 'unlisted'"), ("private", "visibility = 'private'"),
            ] {
                try server.execute("UPDATE users SET \(change) WHERE username = 'ada-91'")
                let seen = try rob.get(circle)
                expectPage(seen, 200, "Adele")
                expectPage(seen, 200, "list not shown")
                let stranger = try server.send("GET", circle)
                #expect(!stranger.text.contains("Adele"), "\(visibility)")
                #expect(stranger.text.contains("1 member with public lists"))
                for page in [seen, stranger, try rob.get(circle + "/settings")] {
                    #expect(!page.text.contains("ada-91"), "\(visibility)")
                    #expect(!page.text.contains("Portal"))
                }
                let members = try server.send(
                    "GET", "/api/v1\(circle)/members", token: token
                ).object.objects("members")
                #expect(members.map { $0.string("displayName") } == ["rob", "Adele"])
                #expect(members.map { $0.string("username") } == ["rob", nil])
                let open = try server.send("GET", "/api/v1\(circle)/members")
                #expect(try open.object.objects("members").count == 1)
                #expect(!open.text.contains("ada-91") && !open.text.contains("Adele"))
            }
            try server.execute(
                "UPDATE users SET disabled_at = now() WHERE username = 'ada-91'")
            #expect(try !rob.get(circle).text.contains("Adele"))
        }
    }

    @Test("have owners who rename, remove, hand over and revoke")
    func owners() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob)
            let link = try Self.invite(rob, to: circle)
            let ada = try server.browser("ada")
            _ = try Self.join(ada, link)
            try rob.get(circle + "/settings")
            let changed = try rob.post(
                circle + "/settings",
                ["name": "  New \n Name ", "description": "", "visibility": "members"])
            #expect(changed["location"] == circle + "/settings?saved=changed")
            expectPage(try rob.get(circle), 200, "New Name")
            for (items, id, text) in [
                (
                    ["name": " ", "description": "", "visibility": "public"], "circle-name",
                    "1 to 60"
                ),
                (
                    [
                        "name": "x", "description": String(repeating: "x", count: 301),
                        "visibility": "public",
                    ], "circle-description", "at most 300"
                ),
            ] {
                expectFault(try rob.post(circle + "/settings", items), at: id, text)
            }
            expectPage(
                try rob.post(
                    circle + "/settings", ["name": "x", "description": "", "visibility": "x"]),
                422, "Choose one.")
            for (uses, days) in [("0", "7"), ("101", "7"), ("1", "31"), ("x", ""), ("1", "0")] {
                expectPage(
                    try rob.post(circle + "/invitations", ["uses": uses, "days": days]), 422,
                    "This must be ")
            }
            let page = try rob.get(circle + "/settings")
            func action(_ name: String) throws -> String {
                let all = page.text.matches(of: /action="(\/circles\/[^"]*)"/).map { String($0.1) }
                return try #require(all.first { $0.hasSuffix("/" + name) })
            }
            let revoke = try action("revoke")
            #expect(try rob.post(revoke)["location"] == circle + "/settings?saved=revoked")
            expectPage(try server.send("GET", link), 403)

            let again = try Self.invite(rob, to: circle)
            try rob.get(circle + "/settings")
            let remove = try action("owner").replacing("/owner", with: "/remove")
            #expect(try rob.post(remove)["location"] == circle + "/settings?saved=removed")
            expectPage(try ada.get(circle), 404)
            expectPage(try Self.join(ada, again), 403)
            let third = try Self.invite(rob, to: circle)
            _ = try Self.join(ada, third)
            let settings = try rob.get(circle + "/settings")
            let handOver = try #require(
                settings.text.firstMatch(of: /action="(\/circles\/[^"]*\/owner)"/))
            #expect(try rob.post(String(handOver.1))["location"] == circle + "?done=handedOver")
            expectPage(try rob.get(circle + "?done=handedOver"), 200, "has a new owner")
            expectPage(try rob.get(circle + "/settings"), 404)
            expectPage(try ada.get(circle + "/settings"), 200)
            expectPage(try server.send("GET", third), 403)
        }
    }

    @Test("have no names with blocked words, or that are too long")
    func names() async throws {
        try await TestServer.run(.migrated, settings: ["BLOCKED_WORDS": "pills"]) { server in
            let rob = try server.browser("rob")
            let token = try await server.token(of: "rob")
            try rob.get("/circles/new")
            for (items, id) in [
                (["name": "Pills", "description": "", "visibility": "public"], "circle-name"),
                (
                    ["name": "Club", "description": "Cheap pills", "visibility": "public"],
                    "circle-description"
                ),
            ] {
                expectFault(try rob.post("/circles/new", items), at: id, "isn’t allowed")
                let json = String(
                    decoding: try JSONSerialization.data(withJSONObject: items), as: UTF8.self)
                try expectProblem(
                    try server.send("POST", "/api/v1/circles", token: token, json: json), 422,
                    "isn’t allowed")
            }
            for json in [
                "{}", #"{"name": ""}"#, #"{"name": "x", "visibility": "unlisted"}"#,
                #"{"name": "\#(String(repeating: "x", count: 61))"}"#, #"{"name": 7}"#,
            ] {
                #expect(
                    try server.send("POST", "/api/v1/circles", token: token, json: json).status
                        == 422)
            }
            #expect(try server.count("circles") == 0)
            let circle = try Self.make(rob)
            try expectProblem(
                try server.send(
                    "PATCH", "/api/v1\(circle)", token: token, json: #"{"name": "Pills"}"#), 422,
                "isn’t allowed")
            // What was there before may stay.
            try server.execute("UPDATE circles SET name = 'Pills'")
            try rob.get(circle + "/settings")
            let saved = try rob.post(
                circle + "/settings",
                ["name": "Pills", "description": "New", "visibility": "public"])
            #expect(saved.status == 303)
        }
    }

    @Test("have links whose tokens nobody logs or tells other sites")
    func secrets() async throws {
        let log = Recorder<String>()
        var token = ""
        try await TestServer.run(.migrated, log: log) { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob)
            let link = try Self.invite(rob, to: circle)
            token = String(link.suffix(43))
            let ada = try server.browser("ada")
            let page = try ada.get(link)
            // Other sites get the origin at most.
            #expect(page["referrer-policy"] == "strict-origin-when-cross-origin")
            #expect(!page.text.contains("<img") && !page.text.contains("http-equiv"))
            let joined = try ada.post(
                "/circles/join", ["invitation": token],
                fields: [
                    ("Origin", Browser.origin), ("Referer", Browser.origin + link),
                    ("Sec-Fetch-Site", "same-origin"),
                ])
            #expect(joined.status == 303)
            #expect(joined["location"]?.contains(token) == false)
            _ = try Browser(server).get(link, fields: [("Referer", Browser.origin + link)])
            let hash = try server.send(
                "POST", "/api/v1/circle-invitations", json: #"{"invitation": "\#(token)"}"#)
            #expect(hash.status == 200)
            #expect(hash["cache-control"] == "no-store")
            #expect(!hash.text.contains(token))
        }
        // A server that has stopped has written all of its lines.
        #expect(log.elements.contains { $0.contains("/circles/join") })
        #expect(!log.elements.contains { $0.contains(token) })
    }

    @Test("have names that moderators can hide, and show again")
    func moderation() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob, name: "Buy this!")
            let ann = try server.browser("ann")
            #expect(try !ann.get(circle).text.contains("For moderators"))
            try ann.get("/settings")
            expectPage(try ann.post(circle + "/hide", ["reason": "Spam"]), 403)
            try server.execute("UPDATE users SET role = 'moderator' WHERE username = 'ann'")
            expectPage(try ann.get(circle), 200, "For moderators")
            expectPage(try ann.post(circle + "/hide", ["reason": " "]), 422, "must not be empty")
            let hidden = try ann.post(circle + "/hide", ["reason": "Advertising."])
            #expect(hidden["location"] == circle + "?done=hidden")
            let page = try server.send("GET", circle)
            expectPage(page, 200, "A circle")
            #expect(!page.text.contains("Buy this!") && !page.text.contains("Games."))
            expectPage(try ann.post(circle + "/hide", ["reason": "Again"]), 409)
            expectPage(try rob.get("/settings"), 200, "name and description of a circle of yours")
            expectPage(try rob.get("/settings"), 200, "Advertising.")
            let log = try ann.get("/moderation/log")
            expectPage(log, 200, "hid the name and the description of a circle of @rob")
            let undo = try #require(
                log.text.firstMatch(of: /action="(\/moderation\/acts\/\d+\/undo)"/)
            ).1
            #expect(try ann.post(String(undo)).status == 303)
            expectPage(try server.send("GET", circle), 200, "Buy this!")
            // Moderators see no circles that are for members only.
            try server.execute("UPDATE circles SET visibility = 'members'")
            expectPage(try ann.get(circle), 404)
            try ann.get("/settings")
            expectPage(try ann.post(circle + "/hide", ["reason": "Spam"]), 404)
        }
    }

    @Test("page through platforms and games")
    func paging() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob)
            let token = try await server.token(of: "rob")
            let platforms = try server.send("GET", "/api/v1/games/71").object.objects("platforms")
                .compactMap { $0["id"] as? Int }.prefix(5)
            let entries = platforms.map { #"{"gameId": 71, "platformId": \#($0)}"# }
            let put = try server.send(
                "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                json: #"{"entries": [\#(entries.joined(separator: ","))]}"#)
            #expect(put.status == 200)
            let api = "/api/v1\(circle)/rankings"
            func count(_ query: String) throws -> Int {
                try server.send("GET", api + query).object.objects("rankings").count
            }
            #expect(try count("") == platforms.count)
            #expect(try count("?limit=2") == 2)
            #expect(try count("?from=\(platforms.count)&limit=2") == 1)
            #expect(try count("?from=500") == 0)
            for query in ["?from=0", "?from=501", "?limit=21", "?games=x"] {
                #expect(try server.send("GET", api + query).status == 400)
                if query.hasPrefix("?from") {
                    #expect(try server.send("GET", circle + query).status == 400)
                }
            }
            expectPage(try server.send("GET", circle + "?from=7"), 200, "no more platforms")
            let upper = try server.send("GET", "/circles/" + circle.dropFirst(9).uppercased())
            #expect(upper["location"] == circle)
        }
    }
}
