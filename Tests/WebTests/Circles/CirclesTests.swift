import Foundation
import HTTP
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
            made["location"]?.firstMatch(of: /^(\/circles\/[a-z0-9-]+)\/settings\?saved=made$/))
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

    /// The address in the API of the circle with a page.
    private static func api(_ server: TestServer, _ circle: String) throws -> String {
        let id: String = try server.database.session().query(
            "SELECT id::text FROM circles WHERE slug = $1",
            [.text(String(circle.dropFirst("/circles/".count)))])[0][0]
        return "/api/v1/circles/\(id)"
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
                try rob.get(circle + "/settings"), 200, "20 places left · expires ")
            let stored: String = try server.database.session().query(
                "SELECT string_agg(i::text, '') FROM circle_invitations i")[0][0]
            #expect(!stored.contains(link.suffix(43)))
            #expect(try !rob.get(circle + "/settings").text.contains(link.suffix(43)))

            let ada = try server.browser("ada")
            let page = try ada.get(link)
            expectPage(page, 200, "You’re invited to")
            expectPage(page, 200, "More about what’s shown")
            expectPage(page, 200, "<button>Join</button>")
            #expect(page["cache-control"] == "no-store")
            #expect(page.text.contains("noindex"))
            #expect(!page.text.contains("rel=\"canonical\""))
            for _ in 0..<3 { _ = try ada.get(link) }
            #expect(try server.count("circle_members") == 1, "opening a link joins nothing")
            #expect(try server.count("circle_invitations WHERE uses_left = 20") == 1)
            #expect(try Self.join(ada, link)["location"] == circle + "?done=joined")
            expectPage(try ada.get(circle + "?done=joined"), 200, "You’re in.")
            expectPage(try ada.get("/circles"), 200, "Tuesday Club")
            expectPage(try ada.get(link), 200, "You’re in already")
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
            expectPage(try eve.get(link), 200, "Sign up to join")
            let way = try Self.signUpPath(eve, link)
            #expect(try server.count("circle_members") == 1)
            let back = try Self.signUp(eve, "eve", way)
            #expect(back["location"] == circle + "?done=joined")
            let page = try eve.get(circle + "?done=joined")
            expectPage(page, 200, "You’re in.")
            expectPage(page, 200, "Members only")
            expectPage(page, 200, "Which five would you pick?")
            // Someone with an account signs in, and has joined, too.
            let ada = try server.browser("ada")
            try ada.get("/sign-out")
            _ = try ada.post("/sign-out")
            try ada.get(link)
            let signIn = try ada.post(
                "/circles/join",
                ["invitation": String(link.suffix(43)), "hasAccount": "yes"])
            let path = try #require(signIn["location"])
            #expect(path.hasPrefix("/sign-in?return=%2Fcircles%2Fjoin%3Finvitation"))
            let signedIn = try Self.signIn(ada, "ada", path)
            #expect(signedIn["location"] == circle + "?done=joined")
            #expect(try server.count("circle_members") == 3)
        }
    }

    @Test("are joined by signing up only if the form was sent in the same browser")
    func forgedReturnPaths() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob, "members")
            let link = try Self.invite(rob, to: circle)
            let mallory = Browser(server)
            try mallory.get(link)
            let forged = try Self.returnPath(in: Self.signUpPath(mallory, link))
            #expect(forged.contains("&confirmed="))
            let other = try Self.invite(rob, to: circle)
            for (name, path) in [
                ("eve", forged), ("mia", link), ("zoe", link + "&confirmed="),
                ("ann", link + "&confirmed=" + String(repeating: "A", count: 43)),
            ] {
                let victim = Browser(server)
                try victim.get("/sign-up?return=" + PercentCoding.encodeQueryValue(path))
                let signedUp = try victim.post(
                    "/sign-up",
                    ["username": name, "password": Browser.password, "return": path])
                #expect(signedUp["location"] == path, "\(name)")
                expectPage(try victim.get(path), 200, "<button>Join</button>")
            }
            // The proof is of one invitation.
            let proof = try #require(forged.split(separator: "=").last)
            let signedUp = try mallory.post(
                "/sign-up",
                [
                    "username": "mallory", "password": Browser.password,
                    "return": "\(other)&confirmed=\(proof)",
                ])
            #expect(signedUp["location"] == "\(other)&confirmed=\(proof)")
            #expect(try server.count("circle_members") == 1)
        }
    }

    @Test("say so after signing up if the invitation has ended in the meantime")
    func endedMeanwhile() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let link = try Self.invite(rob, to: Self.make(rob), uses: "1")
            let eve = Browser(server)
            try eve.get(link)
            let way = try Self.signUpPath(eve, link)
            try server.execute("UPDATE circle_invitations SET uses_left = 0")
            let back = try Self.signUp(eve, "eve", way)
            #expect(back["location"]?.hasPrefix(link) == true)
            expectPage(
                try eve.get(#require(back["location"])), 403, "has been used up or revoked")
        }
    }

    /// Sends the form of an invitation without having signed in.
    ///
    /// - Returns: Where it leads.
    private static func signUpPath(_ browser: Browser, _ link: String) throws -> String {
        let sent = try browser.post("/circles/join", ["invitation": String(link.suffix(43))])
        #expect(sent.status == 303)
        let path = try #require(sent["location"])
        #expect(path.hasPrefix("/sign-up?return=%2Fcircles%2Fjoin%3Finvitation"))
        return path
    }

    private static func returnPath(in path: String) throws -> String {
        try #require(RequestTarget(parsing: path).queryItems()["return"])
    }

    private static func signUp(
        _ browser: Browser, _ name: String, _ path: String
    ) throws -> RawResponse {
        try browser.get(path)
        return try browser.post(
            "/sign-up",
            ["username": name, "password": Browser.password, "return": returnPath(in: path)])
    }

    private static func signIn(
        _ browser: Browser, _ name: String, _ path: String
    ) throws -> RawResponse {
        try browser.get(path)
        return try browser.post(
            "/sign-in",
            ["username": name, "password": Browser.password, "return": returnPath(in: path)])
    }

    @Test("for members only don't exist for anyone else, and are cached nowhere")
    func membersOnly() async throws {
        // Links to other languages would contain the address in another form.
        try await TestServer.run(settings: ["SITE_LANGUAGES": "en"]) { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob, "members")
            let api = try Self.api(server, circle)
            let other = "/circles/tuesday-club-x"
            let eve = try server.browser("eve")
            let token = try await server.token(of: "eve")
            let own = try await server.token(of: "rob")
            // A public circle of the same name gets the address that tells nothing.
            #expect(try Self.make(eve) == "/circles/tuesday-club")
            for suffix in ["", "?from=2", "/platforms/win", "/settings"] {
                #expect(try eve.get(circle + suffix).status == 404)
                let unlike = try eve.get(circle + suffix).text.replacing(circle, with: other)
                #expect(try unlike.count == eve.get(other + suffix).text.count)
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
                let path = api + suffix
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
                    try server.send(method, api + suffix, token: token, json: "{}"),
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
            let api = try Self.api(server, circle)
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
            #expect(try text().contains("No public list here has a game yet."))
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
                "PATCH", api, token: token, json: #"{"name": "Monday Club"}"#)
            #expect(changed.status == 200)
            #expect(try changed.object.string("url") == circle, "links keep working")
            #expect(try text().contains("Monday Club"))
            _ = try server.send("PATCH", api, token: token, json: #"{"visibility": "members"}"#)
            #expect(try server.send("GET", circle).status == 404)
            #expect(try server.send("GET", api + "/members").status == 404)
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
            let api = try Self.api(server, circle)
            for (visibility, change) in [
                ("unlisted", "visibility = 'unlisted'"), ("private", "visibility = 'private'"),
            ] {
                try server.execute("UPDATE users SET \(change) WHERE username = 'ada-91'")
                let seen = try rob.get(circle)
                expectPage(seen, 200, "Adele")
                expectPage(seen, 200, "No public list yet")
                let stranger = try server.send("GET", circle)
                #expect(!stranger.text.contains("Adele"), "\(visibility)")
                #expect(stranger.text.contains("1 member with a public list"))
                for page in [seen, stranger, try rob.get(circle + "/settings")] {
                    #expect(!page.text.contains("ada-91"), "\(visibility)")
                    #expect(!page.text.contains("Portal"))
                }
                let members = try server.send(
                    "GET", api + "/members", token: token
                ).object.objects("members")
                #expect(members.map { $0.string("displayName") } == ["rob", "Adele"])
                #expect(members.map { $0.string("username") } == ["rob", nil])
                let open = try server.send("GET", api + "/members")
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

    @Test("have no names with refused words, or that are too long")
    func names() async throws {
        try await TestServer.run(.migrated, settings: ["REFUSED_WORDS": "pills"]) { server in
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
                    "PATCH", Self.api(server, circle), token: token, json: #"{"name": "Pills"}"#),
                422,
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
            // The address has the name, so it is another one.
            let path = try #require(
                hidden["location"]?.firstMatch(of: /^(\/circles\/circle-[0-9a-f]{8})\?done=hidden$/)
            ).1
            expectPage(try server.send("GET", circle), 404)
            let page = try server.send("GET", String(path))
            expectPage(page, 200, "A circle")
            for text in ["Buy this!", "buy-this", "Games."] { #expect(!page.text.contains(text)) }
            expectPage(try ann.post(path + "/hide", ["reason": "Again"]), 409)
            expectPage(try rob.get("/settings"), 200, "address of your circle “Buy this!”")
            expectPage(try rob.get("/settings"), 200, "Advertising.")
            let log = try ann.get("/moderation/log")
            expectPage(
                log, 200, "hid the name, the description and the address of a circle of @rob")
            let undo = try #require(
                log.text.firstMatch(of: /action="(\/moderation\/actions\/\d+\/undo)"/)
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
            let api = try Self.api(server, circle) + "/rankings"
            func count(_ query: String) throws -> Int {
                try server.send("GET", api + query).object.objects("rankings").count
            }
            #expect(try count("") == platforms.count)
            #expect(try count("?limit=2") == 2)
            #expect(try count("?from=\(platforms.count)&limit=2") == 1)
            #expect(try count("?from=500") == 0)
            for query in ["?from=0", "?from=501", "?limit=21", "?games=x"] {
                #expect(try server.send("GET", api + query).status == 400)
            }
            for query in ["?from=0", "?from=101", "?from=x"] {
                #expect(try server.send("GET", circle + query).status == 400)
            }
            expectPage(try server.send("GET", circle + "?from=31"), 200, "no more members")
            let upper = try server.send("GET", "/circles/" + circle.dropFirst(9).uppercased())
            #expect(upper["location"] == circle)
            // The viewer comes first, and the others thirty to a page.
            try server.execute(
                """
                INSERT INTO users (username, display_name)
                SELECT 'member-' || n, 'Member ' || n FROM generate_series(1, 40) n;
                SELECT add_circle_member(c.id, u.id, false) FROM circles c, users u
                WHERE u.username LIKE 'member-%'
                """)
            let last = try server.browser(signedInAs: "member-40")
            func members(_ text: String) -> [String] {
                text.matches(of: /<b><bdi>((?:rob|Member)[^<]*)<\/bdi>/).map { String($0.1) }
            }
            #expect(try members(last.get(circle).text).prefix(2) == ["Member 40", "rob"])
            #expect(try members(last.get(circle).text).count == 30)
            #expect(try members(last.get(circle + "?from=31").text).count == 11)
            #expect(try members(server.send("GET", circle + "?from=31").text).count == 11)
        }
    }

    // MARK: What is loved

    /// Puts games on the list of someone who is then a member.
    private static func add(
        _ name: String, _ games: [(game: Int, platform: Int)], to circle: String,
        _ server: TestServer
    ) throws {
        try server.execute(
            """
            INSERT INTO users (username, display_name) VALUES ('\(name)', '\(name.capitalized)')
            ON CONFLICT DO NOTHING;
            SELECT add_circle_member(c.id, u.id, false) FROM circles c, users u
            WHERE u.username = '\(name)' AND c.slug = '\(circle.dropFirst("/circles/".count))'
              AND NOT EXISTS (SELECT FROM circle_members m
                              WHERE (m.circle_id, m.user_id) = (c.id, u.id));
            """)
        for (index, pick) in games.enumerated() {
            try server.execute(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT id, \(index + 1), \(pick.game), \(pick.platform) FROM users
                WHERE username = '\(name)'
                """)
        }
    }

    @Test("lead with what most members love on any platform, and then show everyone’s five")
    func loved() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let circle = try Self.make(rob)
            try Self.add("ada", [(120, 6), (71, 6)], to: circle, server)
            try Self.add("bob", [(120, 48)], to: circle, server)
            try Self.add("cyd", [(71, 6), (120, 48)], to: circle, server)
            try Self.add("eve", [(120, 6)], to: circle, server)
            let visitor = try server.send("GET", circle).text
            let loved = visitor.matches(of: />on (\d) lists</).map { String($0.1) }
            #expect(loved == ["4", "2"])
            let titles = try #require(
                visitor.firstMatch(of: /<ol class="loved".*?<\/ol>/.dotMatchesNewlines())
            ).0
            #expect(
                titles.matches(of: /<bdi>([^<]+)</).map { String($0.1) } == [
                    "Diablo III", "Portal",
                ])
            // Both platforms have a game on two lists.
            #expect(
                visitor.contains("<bdi>PC</bdi></a></h3>")
                    && visitor.contains("<bdi>PS4</bdi></a></h3>"))
            #expect(!visitor.contains("Add your five"), "that is for members")
            // Rob, who has no games, comes first, and is asked for them.
            let own = try rob.get(circle).text
            #expect(own.contains("Which five would you pick?"))
            let people = own.matches(of: /<b><bdi>(rob|Ada|Bob|Cyd|Eve)</).map { String($0.1) }
            #expect(people == ["rob", "Ada", "Bob", "Cyd", "Eve"])
            let api = try server.send("GET", Self.api(server, circle) + "/common-games")
            #expect(
                try api.object.objects("games").map { $0.int("includedBy") } == [4, 2])

            // Lists that aren't public don't count, and are shown to no one else.
            try server.execute("UPDATE users SET visibility = 'unlisted' WHERE username = 'cyd'")
            try server.execute("UPDATE users SET visibility = 'private' WHERE username = 'eve'")
            let less = try server.send("GET", circle).text
            #expect(less.contains(">on 2 lists<") && !less.contains("Portal</bdi></a>\n<span"))
            #expect(!less.contains("by platform"), "no platform is shared any more")
            let cyd = try server.browser(signedInAs: "cyd").get(circle).text
            #expect(cyd.contains("only you see it here"))
            #expect(cyd.contains("<b><bdi>Portal</bdi></b>"))
            #expect(try !rob.get(circle).text.contains("<b><bdi>Portal</bdi></b>"))
            try server.execute(
                """
                UPDATE users SET visibility = 'public', new_until = now() + interval '1 day'
                WHERE username = 'cyd'
                """)
            expectPage(
                try server.browser(signedInAs: "cyd").get(circle), 200,
                "The others see your list from ")
        }
    }

    @Test("have an address with their name, which stays theirs")
    func addresses() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            for (name, path) in [
                ("Thursday Club", "thursday-club"), ("Thursday  club!", "thursday-club-2"),
                ("Ada’s Café №1 & Co.", "adas-cafe-no1-co"), ("Join", "join-circle"),
                ("new", "new-circle"),
                (String(repeating: "ab ", count: 20), "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-a"),
            ] { #expect(try Self.make(rob, name: name) == "/circles/" + path, "\(name)") }
            for (name, visibility) in [
                ("木曜会", "public"), ("!", "public"), ("木曜会", "members"),
            ] {
                let path = try Self.make(rob, visibility, name: name)
                #expect(path.wholeMatch(of: /\/circles\/circle-[0-9a-f]{4}/) != nil, "\(path)")
            }
            // An address that is taken would tell that there is a circle of that name.
            let hidden = try Self.make(rob, "members", name: "Secret")
            #expect(hidden.wholeMatch(of: /\/circles\/secret-[0-9a-f]{4}/) != nil, "\(hidden)")
            #expect(try Self.make(rob, name: "Secret") == "/circles/secret")

            try rob.get("/circles/thursday-club/settings")
            _ = try rob.post(
                "/circles/thursday-club/settings",
                ["name": "Friday Club", "description": "", "visibility": "public"])
            expectPage(try rob.get("/circles/thursday-club"), 200, "Friday Club")
            for path in ["x--y", "-x", "x-", "%C3%A9", String(repeating: "x", count: 61), "x%20y"] {
                expectPage(try rob.get("/circles/" + path), 404)
            }
        }
    }
}
