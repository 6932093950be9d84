import FaveGames
import Foundation
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import Web

@Suite("Keeping order", .blocking)
struct ModerationTests {
    /// A site on which rob has a list with a comment, ann is a moderator and zoe an administrator.
    private struct Community {
        let server: TestServer
        let rob: Browser
        let ann: Browser
        let zoe: Browser
        let entry: String

        init(_ server: TestServer) async throws {
            self.server = server
            rob = try server.browser("robin")
            ann = try server.browser("annie")
            zoe = try server.browser("zoe")
            try server.execute(
                """
                UPDATE users SET role = 'moderator' WHERE username = 'annie';
                UPDATE users SET role = 'admin' WHERE username = 'zoe'
                """)
            let added = try server.send(
                "POST", "/api/v1/me/list/entries", token: await server.token(of: "robin"),
                json: #"{"gameId": 71, "platformId": 48, "comment": "Buy my pills!"}"#)
            guard added.status == 201 else { throw TestFailure("\(added.text)") }
            entry = try #require(added.object.string("id"))
        }

        static func run(
            settings: [String: String] = [:], _ body: (Community) async throws -> Void
        ) async throws {
            try await TestServer.run(.migrated, settings: settings) { server in
                try server.execute(
                    """
                    INSERT INTO platforms (id, slug, name) VALUES (48, 'ps4--1', 'PlayStation 4');
                    INSERT INTO games (id, name) VALUES (71, 'Portal');
                    INSERT INTO game_platforms VALUES (71, 48)
                    """)
                try await body(try await Community(server))
            }
        }

        func report(
            _ browser: Browser, _ items: [String: String], _ more: [String: String] = [:]
        ) throws -> RawResponse {
            let query = items.map { "\($0)=\($1)" }.joined(separator: "&")
            try browser.get("/report?\(query)")
            return try browser.post(
                "/report",
                items.merging(
                    ["kind": items["entry"] == nil ? "list" : "entry", "reason": "spam"]
                ) { $1 }.merging(more) { $1 })
        }

        /// The number of the only open case.
        var openCase: Int {
            get throws {
                try server.database.session().query(
                    "SELECT id FROM cases WHERE closed_at IS NULL")[0][0]
            }
        }

        func decide(
            _ moderator: Browser, _ what: String, reason: String = "Advertising", days: String = "7"
        ) throws -> RawResponse {
            try moderator.get("/moderation")
            return try moderator.post(
                "/moderation/cases/\(openCase)", ["decision": what, "reason": reason, "days": days])
        }

        func seen(_ path: String = "/@robin") throws -> RawResponse {
            try server.send("GET", path)
        }
    }

    @Test("begins with a report, by anyone; many reports of one thing are one case")
    func reports() async throws {
        try await Community.run { site in
            let guest = Browser(site.server)
            expectPage(try guest.get("/report?entry=\(site.entry)"), 200, "Buy my pills!")
            let sent = try site.report(guest, ["entry": site.entry], ["note": "Third time."])
            let thanks = "/report?sent=yes&username=robin"
            #expect(sent["location"] == thanks, "\(sent.text)")
            expectPage(try guest.get(thanks), 200, "Thank you")
            expectPage(try guest.get(thanks), 200, #"href="/@robin">Back to <bdi>"#)
            for gone in ["", "&username=nobody", "&circle=x", "&circle=\(site.entry)"] {
                let page = try guest.get("/report?sent=yes" + gone)
                expectPage(page, 200, #"href="/">Back to the home page"#)
            }
            // The same guest again, and people who are signed in.
            #expect(try site.report(guest, ["entry": site.entry]).status == 303)
            #expect(try site.report(site.ann, ["entry": site.entry]).status == 303)
            let api = try site.server.send(
                "POST", "/api/v1/reports", token: await site.server.token(of: "zoe"),
                json: #"{"kind": "entry", "entry": "\#(site.entry)", "reason": "abuse"}"#)
            #expect(api.status == 204, "\(api.text)")
            #expect(try site.server.count("cases") == 1)
            #expect(try site.server.count("reports") == 3)
            let queue = try site.ann.get("/moderation")
            expectPage(queue, 200, "Buy my pills!")
            expectPage(queue, 200, "3 reports")
            expectPage(queue, 200, "Third time.")
            // The list and the profile are other things.
            for kind in ["list", "profile", "list"] {
                let sent = try site.report(site.zoe, ["username": "robin"], ["kind": kind])
                #expect(sent.status == 303, "\(sent.text)")
            }
            #expect(try site.server.count("cases") == 3)
        }
    }

    @Test("can be about a circle, by those who see it, until a moderator hides its texts")
    func circles() async throws {
        try await Community.run { site in
            func make(_ visibility: String) throws -> (id: String, path: String) {
                try site.server.execute(
                    """
                    SELECT make_circle(id, 'Pill Club', 'Buy my pills!', '\(visibility)')
                    FROM users WHERE username = 'robin'
                    """)
                let made = try site.server.database.session().query(
                    "SELECT id::text, slug FROM circles WHERE visibility = $1", [.text(visibility)])
                return (try made[0][0], "/circles/\(try made[0][1] as String)")
            }
            let (circle, path) = try make("public")
            let guest = Browser(site.server)
            #expect(try guest.get(path).text.contains("/report?circle=\(circle)"))
            #expect(try site.ann.get(path).text.contains("/report?circle=\(circle)"))
            #expect(!(try site.rob.get(path).text.contains("/report?circle=")))
            expectPage(try guest.get("/report?circle=\(circle)"), 200, "Buy my pills!")
            for browser in [guest, site.zoe, site.zoe] {
                let sent = try site.report(browser, ["circle": circle], ["kind": "circle"])
                let thanks = "/report?sent=yes&circle=\(circle)"
                #expect(sent["location"] == thanks, "\(sent.text)")
                expectPage(try browser.get(thanks), 200, #"href="\#(path)">Back to <bdi>Pill Club"#)
            }
            #expect(try site.server.count("cases") == 1)
            #expect(try site.server.count("reports") == 2)

            // One for members only is there for members only.
            let (secret, _) = try make("members")
            let json = #"{"kind": "circle", "circle": "\#(secret)", "reason": "spam"}"#
            for token in [nil, try await site.server.token(of: "zoe")] {
                let refused = try site.server.send(
                    "POST", "/api/v1/reports", token: token, json: json)
                let missing = try site.server.send(
                    "POST", "/api/v1/reports", token: token,
                    json: json.replacing(secret, with: UUID().text))
                #expect(refused.status == 422 && missing.status == 422)
                #expect(try refused.object.string("detail") == missing.object.string("detail"))
            }
            for browser in [guest, site.zoe] {
                expectPage(try browser.get("/report?circle=\(secret)"), 404)
            }
            expectPage(try guest.get("/report?circle=x"), 404)
            try site.server.execute(
                """
                SELECT add_circle_member('\(secret)', id, false) FROM users WHERE username = 'zoe'
                """)
            expectPage(try site.zoe.get("/report?circle=\(secret)"), 200, "Pill Club")
            #expect(
                try site.server.send(
                    "POST", "/api/v1/reports", token: await site.server.token(of: "zoe"), json: json
                ).status == 204)
            let queue = try site.ann.get("/moderation")
            expectPage(queue, 200, "Pill Club, \(path): Buy my pills!")
            expectPage(queue, 200, "for members only")
            #expect(queue.text.contains("href=\"\(path)\""))

            let numbers: [Int] = try site.server.database.session().query(
                "SELECT array_agg(id ORDER BY id) FROM cases")[0][0]
            #expect(numbers.count == 2)
            for number in numbers {
                let decided = try site.ann.post(
                    "/moderation/cases/\(number)",
                    ["decision": "hide_circle", "reason": "Advertising", "days": "7"])
                #expect(decided["location"] == "/moderation?done=decided", "\(decided.text)")
            }
            #expect(try site.server.count("circles WHERE name = 'Pill Club'") == 0)
            expectPage(try site.ann.get("/moderation"), 200, "All clear.")
            expectPage(try site.rob.get("/settings"), 200, "the address of your circle “Pill Club”")
            #expect(
                try site.server.count("moderation_actions WHERE case_id IS NOT NULL") == 2)
            // There is nothing left to hide, but a new case can still be dismissed.
            _ = try site.report(site.zoe, ["circle": circle], ["kind": "circle"])
            #expect(try site.decide(site.ann, "hide_circle").status == 409)
            #expect(try site.decide(site.ann, "dismiss").status == 303)
        }
    }

    @Test("says what is wrong with a report, and takes none of what isn't there")
    func badReports() async throws {
        try await Community.run { site in
            let guest = Browser(site.server)
            for query in ["", "entry=x", "entry=\(UUID())", "username=nobody-here", "username=!"] {
                expectPage(try guest.get("/report?\(query)"), 404)
            }
            expectPage(
                try site.report(guest, ["username": "robin"], ["reason": "x"]), 422, "Choose")
            let long = try site.report(
                guest, ["username": "robin"], ["note": String(repeating: "x", count: 501)])
            expectFault(long, at: "note", "at most 500")
            for (json, status) in [
                (#"{"kind": "entry", "reason": "spam"}"#, 422),
                (#"{"kind": "list", "reason": "spam"}"#, 422),
                (#"{"kind": "list", "username": "robin", "reason": "x"}"#, 422),
                (#"{"kind": "user", "username": "robin", "reason": "spam"}"#, 422),
                (#"{"kind": "list", "username": "nobody-here", "reason": "spam"}"#, 422),
            ] {
                let response = try site.server.send("POST", "/api/v1/reports", json: json)
                #expect(response.status == status, "\(json): \(response.text)")
            }
            try site.server.execute(
                "UPDATE users SET visibility = 'private' WHERE username = 'robin'")
            expectPage(try guest.get("/report?entry=\(site.entry)"), 404)
            #expect(
                try site.server.send(
                    "POST", "/api/v1/reports",
                    json: #"{"kind": "entry", "entry": "\#(site.entry)", "reason": "spam"}"#
                ).status == 422)
            #expect(try site.server.count("cases") == 0)
        }
    }

    @Test("accepts a few reports in an hour from someone who isn't signed in")
    func spam() async throws {
        try await Community.run { site in
            let statuses = try (0..<8).map { _ in
                try site.server.send(
                    "POST", "/api/v1/reports",
                    json: #"{"kind": "list", "username": "robin", "reason": "spam"}"#
                ).status
            }
            #expect(statuses == [204, 204, 204, 204, 204, 429, 429, 429])
            let guest = Browser(site.server)
            expectPage(try site.report(guest, ["username": "robin"]), 429, "Too many attempts")
            #expect(try site.server.count("reports") == 1)
            // Someone who is signed in isn't kept from it.
            #expect(try site.report(site.zoe, ["username": "robin"]).status == 303)
        }
    }

    @Test("takes a comment away, tells its author why, and puts it back")
    func hideComment() async throws {
        try await Community.run { site in
            #expect(try site.seen().text.contains("Buy my pills!"))
            _ = try site.report(site.zoe, ["entry": site.entry])
            expectPage(
                try site.decide(site.ann, "hide_comment", reason: " "), 422, "This is missing.")
            let decided = try site.decide(site.ann, "hide_comment", reason: "No advertising.")
            #expect(decided["location"] == "/moderation?done=decided", "\(decided.text)")
            for path in [
                "/@robin", "/platforms/ps4--1", "/entries", "/platforms/ps4--1/games/71",
                "/@robin/feed", "/@robin/embed", "/api/v1/users/robin/list", "/api/v1/entries",
                "/api/v1/platforms/48/ranking?comments=5",
            ] {
                #expect(try !site.seen(path).text.contains("Buy my pills!"), "\(path)")
            }
            // The author reads why where it was, in settings, and while editing.
            for path in ["/settings", "/@robin", "/me"] {
                let page = try site.rob.get(path)
                expectPage(page, 200, "No advertising.")
                expectPage(page, 200, "You wrote: “<bdi>Buy my pills!")
            }
            let settings = try site.rob.get("/settings")
            expectPage(settings, 200, "You wrote: “<bdi>Buy my pills!")
            #expect(
                try site.server.send(
                    "GET", "/api/v1/me/notices", token: await site.server.token(of: "robin")
                ).text.contains("hide_comment"))
            // Decided once, and in the log.
            expectPage(
                try site.ann.post("/moderation/cases/1", ["decision": "hide_list", "reason": "x"]),
                404)
            let log = try site.ann.get("/moderation/log")
            expectPage(log, 200, "@annie hid a reason of @robin for Portal")
            let undo = try #require(
                log.text.firstMatch(of: /\/moderation\/actions\/[0-9]+\/undo/)
            ).0
            let undone = try site.ann.post(String(undo))
            #expect(undone["location"] == "/moderation/log?done=undone")
            #expect(try site.seen().text.contains("Buy my pills!"))
            #expect(try !site.rob.get("/settings").text.contains("No advertising."))
            expectPage(try site.ann.post(String(undo)), 404)
        }
    }

    @Test("hides a list, which its owner can't show again, and shows it as it was")
    func hideList() async throws {
        try await Community.run { site in
            _ = try site.report(site.zoe, ["username": "robin"])
            #expect(try site.decide(site.ann, "hide_list").status == 303)
            #expect(try site.seen().status == 404)
            #expect(try site.server.count("included_by WHERE count > 0") == 0)
            expectPage(try site.rob.get("/@robin"), 200)
            expectPage(try site.rob.get("/settings"), 200, "A moderator hid your list")
            // What they choose is for later.
            let shown = try site.rob.post(
                "/settings/profile",
                [
                    "displayName": "Robin", "bio": "", "visibility": "unlisted",
                    "showsRatings": "no",
                ])
            #expect(shown.status == 303)
            #expect(
                try site.server.send(
                    "PATCH", "/api/v1/me", token: await site.server.token(of: "robin"),
                    json: #"{"bio": "I play."}"#
                ).status == 200)
            #expect(try site.seen().status == 404)
            #expect(
                try site.rob.get("/settings").text.contains(
                    /value="unlisted"[^>]* checked/))
            let log = try site.ann.get("/moderation/log")
            let undo = try #require(
                log.text.firstMatch(of: /\/moderation\/actions\/[0-9]+\/undo/)
            ).0
            #expect(try site.ann.post(String(undo)).status == 303)
            expectPage(try site.seen(), 200, "Buy my pills!")
            expectPage(try site.seen(), 200, "noindex")
            #expect(try site.server.count("included_by WHERE count = 1") == 1)
        }
    }

    @Test("shuts someone out until the term is over, and tells only them why")
    func suspend() async throws {
        try await Community.run { site in
            #expect(try site.report(site.zoe, ["username": "robin"]).status == 303)
            let access = try await site.server.token(of: "robin")
            #expect(try site.decide(site.ann, "suspend", days: "0").status == 422)
            #expect(try site.decide(site.ann, "suspend", days: "366").status == 422)
            #expect(try site.decide(site.ann, "suspend", reason: "Insults.").status == 303)
            #expect(try !site.rob.isSignedIn)
            #expect(try site.server.send("GET", "/api/v1/me", token: access).status == 401)
            #expect(try site.seen().status == 404)
            let again = Browser(site.server)
            expectPage(try again.signIn("robin"), 403, "The moderators say: Insults.")
            expectPage(try again.signIn("robin", password: "wrong"), 401)
            // Not over yet, and then over.
            func endTerms() async throws {
                try await withStore(site.server.database) {
                    _ = try await $0.maintain(.endTerms, ifDue: false)
                }
            }
            try await endTerms()
            #expect(try again.signIn("robin").status == 403)
            try site.server.execute(
                "UPDATE users SET disabled_until = now() WHERE username = 'robin'")
            try await endTerms()
            #expect(try !site.rob.isSignedIn, "the sessions from before have ended")
            #expect(try again.signIn("robin").status == 303)
            #expect(try site.seen().status == 200)
            expectPage(try again.get("/settings"), 200, "Your account was suspended until")
        }
    }

    @Test("lets nobody but moderators at any of their addresses")
    func members() async throws {
        try await Community.run { site in
            _ = try site.report(site.zoe, ["username": "robin"])
            let routes = Routes.all.filter { $0.audience == "moderators" }
            #expect(routes.count >= 11)
            let member = try await site.server.token(of: "robin")
            let before = try site.server.contents()
            for route in routes {
                let path = route.pattern.replacing("{case}", with: try String(site.openCase))
                    .replacing("{action}", with: "1").replacing("{username}", with: "robin")
                    .replacing("{circle}", with: "00000000-0000-4000-8000-000000000000")
                if route.kind == .page {
                    let items = ["decision": "hide_list", "reason": "x", "days": "1"]
                    let responses =
                        route.method == .get
                        ? (try site.rob.get(path), try Browser(site.server).get(path))
                        : (
                            try site.rob.post(path, items),
                            try Browser(site.server).post(path, items)
                        )
                    expectPage(responses.0, 403, "moderators only")
                    // What a stranger has typed isn't lost, but needs a sign-in first.
                    #expect(
                        responses.1["location"]?.hasPrefix("/sign-in") == true
                            || responses.1.status == 403
                                && responses.1.text.contains("href=\"/sign-in")
                    )
                } else {
                    let json = #"{"decision": "hide_list", "reason": "x"}"#
                    func status(_ token: String?) throws -> Int {
                        try site.server.send(
                            route.method.rawValue, path, token: token, json: json
                        ).status
                    }
                    #expect(try status(member) == 403, "\(path)")
                    #expect(try status(nil) == 401, "\(path)")
                }
            }
            #expect(try site.server.contents() == before)
            #expect(try site.server.count("moderation_actions") == 0)
        }
    }

    @Test("lets no moderator decide about themselves, or about others with a role")
    func equals() async throws {
        try await Community.run { site in
            _ = try site.report(site.rob, ["username": "annie"])
            expectPage(try site.decide(site.ann, "dismiss"), 403, "about yourself")
            #expect(try site.decide(site.zoe, "dismiss").status == 303)
            _ = try site.report(site.rob, ["username": "zoe"])
            expectPage(try site.decide(site.ann, "suspend"), 403, "only an administrator")
            expectPage(try site.decide(site.zoe, "suspend"), 403, "about yourself")
            #expect(try site.zoe.isSignedIn)
            // The database itself knows who may: a page from before can do nothing.
            try site.server.execute("UPDATE users SET role = 'user' WHERE username = 'zoe'")
            expectPage(try site.zoe.post("/moderation/cases/2", ["decision": "dismiss"]), 403)
        }
    }

    @Test("keeps what was reported, and keeps nobody from changing their list")
    func changed() async throws {
        try await Community.run { site in
            try site.server.execute(
                "INSERT INTO games (id, name) VALUES (72, 'Portal 2'); INSERT INTO game_platforms VALUES (72, 48)"
            )
            let robin = try await site.server.token(of: "robin")
            func put(_ game: Int, _ comment: String) throws -> Int {
                try site.server.send(
                    "PUT", "/api/v1/me/list", token: robin, fields: [("If-Match", "*")],
                    json:
                        #"{"entries": [{"gameId": \#(game), "platformId": 48, "comment": "\#(comment)"}]}"#
                ).status
            }
            _ = try site.report(site.zoe, ["entry": site.entry])
            // The author cleans up before a moderator comes.
            #expect(try put(71, "What a game.") == 200)
            let queue = try site.ann.get("/moderation")
            expectPage(queue, 200, "Buy my pills!")
            expectPage(queue, 200, "It says now: “What a game.”")
            // Another game in its place.
            #expect(try put(72, "Even better.") == 200)
            expectPage(try site.ann.get("/moderation"), 200, "The entry is gone.")
            expectPage(try site.decide(site.ann, "hide_comment"), 409, "There is nothing to do")
            #expect(try site.decide(site.ann, "dismiss").status == 303)
            #expect(try put(71, "And back.") == 200)

            // A comment that was hidden belongs to its own game.
            let entry: String = try site.server.database.session().query(
                "SELECT id::text FROM entries")[0][0]
            _ = try site.report(site.zoe, ["entry": entry])
            #expect(try site.decide(site.ann, "hide_comment").status == 303)
            let moved = try site.server.send(
                "PATCH", "/api/v1/me/list/entries/\(entry)", token: robin,
                json: #"{"gameId": 72}"#)
            if moved.status == 200 {
                let log = try site.ann.get("/moderation/log")
                let undo = try #require(
                    log.text.firstMatch(of: /\/moderation\/actions\/[0-9]+\/undo/)
                ).0
                _ = try site.ann.post(String(undo))
                #expect(try !site.seen().text.contains("And back."))
            }
        }
    }

    @Test("shows how a profile has changed since it was reported")
    func profiles() async throws {
        try await Community.run { site in
            let token = try await site.server.token(of: "robin")
            func describe(_ bio: String) throws {
                let changed = try site.server.send(
                    "PATCH", "/api/v1/me", token: token, json: #"{"bio": "\#(bio)"}"#)
                #expect(changed.status == 200, "\(changed.text)")
            }
            for (bio, later) in [
                ("", "I sell pills."), ("I sell pills.", ""), ("Hm.", "I am nice."),
            ] {
                try describe(bio)
                _ = try site.report(site.zoe, ["username": "robin"], ["kind": "profile"])
                #expect(try !site.ann.get("/moderation").text.contains("It says now"), "\(bio)")
                try describe(later)
                expectPage(
                    try site.ann.get("/moderation"), 200,
                    "It says now: “@robin, robin\(later.isEmpty ? "" : ": \(later)")”")
                #expect(try site.decide(site.ann, "dismiss").status == 303)
            }
        }
    }

    @Test("doesn't show a moderator what is said about them")
    func selves() async throws {
        try await Community.run { site in
            _ = try site.report(site.rob, ["username": "annie"], ["note": "She is unfair."])
            #expect(try !site.ann.get("/moderation").text.contains("She is unfair."))
            #expect(try site.zoe.get("/moderation").text.contains("She is unfair."))
            let token = try await site.server.token(of: "annie")
            let cases = try site.server.send("GET", "/api/v1/moderation/cases", token: token)
            #expect(!cases.text.contains("unfair"))
        }
    }

    @Test("has pages")
    func pages() async throws {
        try await Community.run { site in
            try site.server.execute(
                """
                INSERT INTO users (username, display_name)
                SELECT 'user' || n, 'User' || n FROM generate_series(1, 60) n;
                INSERT INTO cases (kind, user_id)
                SELECT 'list', id FROM users WHERE username ~ 'user[0-9]' ORDER BY created_at, username;
                INSERT INTO reports (case_id, reporter, reason) SELECT id, 'x', 'spam' FROM cases
                """)
            func names(_ page: RawResponse) -> Set<String> {
                Set(page.text.matches(of: /\/@(user[0-9]+)"/).map { String($0.1) })
            }
            let first = try site.ann.get("/moderation")
            #expect(names(first).count == 50)
            let next = try #require(first.text.firstMatch(of: /\/moderation\?after=[0-9]+/)).0
            let second = try site.ann.get(String(next))
            #expect(names(second).count == 10)
            #expect(names(first).isDisjoint(with: names(second)))
            let token = try await site.server.token(of: "annie")
            for (query, status) in [("?after=50", 200), ("?after=x", 400), ("?after=-1", 400)] {
                #expect(
                    try site.server.send(
                        "GET", "/api/v1/moderation/cases\(query)", token: token
                    ).status == status)
            }
        }
    }

    @Test("leaves an operator's disabling alone")
    func operators() async throws {
        try await Community.run { site in
            _ = try site.report(site.zoe, ["username": "robin"])
            #expect(try site.decide(site.ann, "suspend", days: "1").status == 303)
            // As fave-admin users disable does it.
            try site.server.execute(
                """
                UPDATE users SET disabled_at = clock_timestamp(), disabled_until = NULL
                WHERE username = 'robin'
                """)
            #expect(try !site.ann.get("/moderation/log").text.contains("/undo"))
            let action: Int = try site.server.database.session().query(
                "SELECT id FROM moderation_actions WHERE action = 'suspend'")[0][0]
            expectPage(try site.ann.post("/moderation/actions/\(action)/undo"), 404)
            try await withStore(site.server.database) {
                _ = try await $0.maintain(.endTerms, ifDue: false)
            }
            #expect(try Browser(site.server).signIn("robin").status == 403)
        }
    }

    @Test("decides each case once, however many decide at the same time")
    func race() async throws {
        try await Community.run { site in
            _ = try site.report(site.zoe, ["entry": site.entry])
            let id = try site.openCase
            let server = site.server
            let tokens = [
                try await site.server.token(of: "annie"), try await site.server.token(of: "zoe"),
            ]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for token in tokens + tokens {
                    group.addTask {
                        try server.send(
                            "POST", "/api/v1/moderation/cases/\(id)/decision", token: token,
                            json: #"{"decision": "hide_comment", "reason": "x"}"#
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [204, 404, 404, 404])
            #expect(try site.server.count("hidden_comments") == 1)
            #expect(try site.server.count("moderation_actions") == 1)
        }
    }

    @Test("begins with an administrator, who opened a link that is good once")
    func administrator() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("robin")
            let eve = try server.browser("eve")
            let secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            func offer(_ lifetime: String = "1 hour") throws {
                try server.execute(
                    """
                    INSERT INTO administrator_links
                    VALUES (sha256(decode(repeat('00', 32), 'hex')), now() + interval '\(lifetime)')
                    """)
            }
            func claim(_ browser: Browser, _ link: String = secret) throws -> RawResponse {
                try browser.get("/administrator?token=\(link)")
                return try browser.post("/administrator", ["link": link])
            }
            let guest = try Browser(server).get("/administrator?token=\(secret)")
            #expect(guest["location"]?.hasPrefix("/sign-in?return=") == true)
            try offer("-1 second")
            expectPage(try claim(rob), 403, "has been used or has expired")
            try server.execute("DELETE FROM administrator_links")
            try offer()
            for link in ["", "x", String(secret.dropLast()) + "E"] {
                expectPage(try claim(rob, link), 403)
            }
            #expect(try claim(rob)["location"] == "/moderation")
            expectPage(try rob.get("/moderation"), 200, "All clear")
            // What the site lacks, with what to do about it.
            for remedy in [
                "fave-admin seed-platforms", "fave-games-backup.timer", "RULES_FILE",
                "IMPRINT_FILE",
                "CONTACT", "SMTP_URL",
            ] { #expect(try rob.get("/moderation").text.contains(remedy), "\(remedy)") }
            try server.execute(
                """
                INSERT INTO platforms (id, slug, name) VALUES (6, 'win', 'PC');
                INSERT INTO maintenance (task, succeeded_at) VALUES ('backup', clock_timestamp());
                UPDATE users SET role = 'moderator' WHERE username = 'eve'
                """)
            let later = try rob.get("/moderation").text
            for remedy in ["seed-platforms", "backup.timer"] {
                #expect(!later.contains(remedy), "\(remedy)")
            }
            expectPage(try eve.get("/moderation"), 200, "All clear")
            #expect(try !eve.get("/moderation").text.contains("RULES_FILE"), "a moderator can't")
            try server.execute("UPDATE users SET role = 'user' WHERE username = 'eve'")
            try offer()
            expectPage(try claim(eve), 403, "there is an administrator already")
            expectPage(try eve.get("/moderation"), 403)
        }
    }
}
