import Foundation
import Identity
import Postgres
import TestSupport
import Testing

@testable import Web

@Suite("Blocking people", .blocking)
struct BlockingTests {
    /// Someone on the site, with all that could give them away to the other.
    private struct Someone {
        let username: String
        let name: String
        let comment: String

        static let quill = Someone(
            username: "quillquartz", name: "Quillon Quartz", comment: "Quicksilver prose.")
        static let moss = Someone(
            username: "mossmeadow", name: "Mossy Meadow", comment: "Meandering marvel.")

        /// The names and the words of this person that a text has.
        func traces(in text: String) -> [String] {
            [username, name, comment].filter { text.contains($0) }
        }
    }

    /// A site where the two follow each other, agree with each other, are in bo's circle and have one
    /// each.
    private static func run(_ body: (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            _ = try await server.makeUser("bo")
            for character in [Someone.quill, .moss] {
                let person = Person(
                    server: server, token: try await server.makeUser(character.username))
                _ = try person.put(
                    """
                    {"entries": [
                        {"gameId": 71, "platformId": 6, "comment": "\(character.comment)",
                         "rating": 5, "tags": ["puzzle"]},
                        {"gameId": 72, "platformId": 6}]}
                    """)
                _ = try person.send("POST", "/me/snapshots", "{}")
                try server.execute(
                    """
                    UPDATE users SET display_name = '\(character.name)'
                    WHERE username = '\(character.username)';
                    SELECT make_circle(id, 'Club', '', 'public') FROM users
                    WHERE username = '\(character.username)'
                    """)
            }
            try server.execute(
                """
                WITH c AS (SELECT make_circle(id, 'Shared', '', 'public') AS id FROM users
                           WHERE username = 'bo')
                SELECT add_circle_member(c.id, u.id, false) FROM c, users u WHERE u.username <> 'bo';
                INSERT INTO follows (follower_id, followed_id)
                SELECT a.id, b.id FROM users a, users b
                WHERE a.id <> b.id AND 'bo' NOT IN (a.username, b.username);
                INSERT INTO hearts (entry_id, user_id)
                SELECT e.id, u.id FROM entries e JOIN users u ON u.id <> e.user_id
                WHERE e.comment <> '' AND u.username <> 'bo';
                UPDATE entries SET agreed = 9 WHERE comment <> '';
                UPDATE users SET created_at = now() - interval '2 days'
                """)
            try await body(server)
        }
    }

    /// Addresses of everything that someone who is signed in can read, for each route.
    private static func targets(
        _ server: TestServer, about other: Someone
    ) throws -> [(route: Web.Route, target: String)] {
        let session = try server.database.session()
        func value(_ sql: String) throws -> String { try session.query("SELECT \(sql)")[0][0] }
        let user = "(SELECT id FROM users WHERE username = '\(other.username)')"
        let circle = "(SELECT circle_id FROM circle_members WHERE user_id = \(user) AND owned = 1)"
        let shared = "(SELECT id FROM circles WHERE name = 'Shared')"
        let digest = try value("user_digest(\(user))")
        let entry = try value("(SELECT id::text FROM entries WHERE user_id = \(user) LIMIT 1)")
        let slug = try value("(SELECT slug FROM snapshots WHERE user_id = \(user))")
        let circles = try [circle, shared].map { circle in
            [try value("\(circle)::text"), try value("slug FROM circles WHERE id = \(circle)")]
        }
        let values = [
            "username": [other.username, "bo"], "platform": ["win", "6"], "game": ["71"],
            "entry": [entry], "snapshot": [slug], "circle": circles.flatMap { $0 },
            "user": [digest], "id": [digest, "71"],
        ]
        let queries = [
            "", "?search=qui", "?search=mea", "?username=\(other.username)", "?platform=win",
            "?platform=6", "?tag=puzzle", "?game=71", "?entry=\(entry)", "?search=club",
            "?circle=\(circles[0][0])", "?ids=71", "?sent=yes&username=\(other.username)",
        ]
        return Routes.all.flatMap { route -> [(Web.Route, String)] in
            guard route.method == .get, route.kind == .page || route.kind.isAPI else { return [] }
            var paths = [route.pattern]
            for parameter in route.pattern.matches(of: /\{(\w+)\}/) {
                let choices = values[String(parameter.1)] ?? ["x"]
                paths = paths.flatMap { path in
                    choices.map { path.replacing(parameter.0, with: $0) }
                }
            }
            let takesQuery = route.inputs.contains { input in
                input.parameters.contains { $0.place == .query }
            }
            let isDescribed = route.kind.isAPI
            return paths.flatMap { path in
                (takesQuery || !isDescribed ? queries : [""]).map { (route, path + $0) }
            }
        }
    }

    /// Reads everything as one person, and finds the patterns of the routes that show the other.
    private static func routes(
        showing other: Someone, to viewer: Someone, _ server: TestServer,
        but exceptions: Set<String> = []
    ) async throws -> Set<String> {
        let browser = try server.browser(signedInAs: viewer.username)
        let token = try await server.token(of: viewer.username)
        var found: Set<String> = []
        for (route, target) in try targets(server, about: other)
        where !exceptions.contains(route.pattern) {
            let response =
                route.kind == .page
                ? try browser.get(target) : try server.send("GET", target, token: token)
            #expect(response.status < 500, "\(target): \(response.text)")
            // A form returns to the address, and errors name it.
            let text = response.text.replacing(
                target.contains(other.username) ? other.username : "\0", with: "")
            if !other.traces(in: text).isEmpty { found.insert(route.pattern) }
        }
        return found
    }

    /// Where people see whom they have blocked.
    private static let ofBlocker: Set = [
        "/@{username}", "/settings/blocked", "/api/v1/me/blocks", "/api/v1/me/export",
        "/settings/export", "/report",
    ]

    @Test("hides each from the other wherever they are signed in, and from no one else")
    func everywhere() async throws {
        try await Self.run { server in
            let (quill, moss) = (Someone.quill, Someone.moss)
            let before = try await Self.routes(showing: quill, to: moss, server)
            // What would be missed if addresses were wrong.
            #expect(
                before.isSuperset(of: [
                    "/", "/@{username}", "/@{username}/{snapshot}", "/@{username}/similar",
                    "/platforms/{platform}", "/platforms/{platform}/games/{game}", "/games/{game}",
                    "/entries", "/users", "/following", "/following/people", "/followers",
                    "/circles/{circle}", "/report", "/api/v0/users",
                    "/api/v1/users", "/api/v1/users/{username}", "/api/v1/users/{username}/list",
                    "/api/v1/lists", "/api/v1/entries", "/api/v1/platforms/{platform}/ranking",
                    "/api/v1/platforms/{platform}/games/{game}/entries",
                    "/api/v1/circles/{circle}/members", "/api/v1/me/followers",
                    "/api/v1/me/following", "/api/v1/me/following/entries", "/api/v1/me/news",
                ]), "\(before.sorted())")

            let token = try await server.token(of: quill.username)
            let blocked = try server.send(
                "PUT", "/api/v1/me/blocks/\(moss.username)", token: token)
            #expect(blocked.status == 204, "\(blocked.text)")
            // Where people protect themselves from someone, who can't take that from them.
            let toBlocked = try await Self.routes(
                showing: quill, to: moss, server, but: ["/report", "/@{username}/block"])
            #expect(toBlocked == [])
            let toBlocker = try await Self.routes(
                showing: moss, to: quill, server, but: Self.ofBlocker)
            #expect(toBlocker == [])
            #expect(try server.database.brokenRules() == [])

            // Others still see both, signed in or not, from the same caches.
            let bo = try server.browser(signedInAs: "bo")
            for target in ["/", "/entries", "/users", "/platforms/win"] {
                for text in [try bo.get(target).text, try server.send("GET", target).text] {
                    #expect(quill.traces(in: text) != [] && moss.traces(in: text) != [])
                }
            }
            // From moderators no one hides.
            try server.execute("UPDATE users SET role = 'moderator' WHERE username <> 'bo'")
            for (kind, name) in [("list", moss.username), ("profile", quill.username)] {
                _ = try server.send(
                    "POST", "/api/v1/reports",
                    json: #"{"kind": "\#(kind)", "username": "\#(name)", "reason": "spam"}"#)
            }
            let cases = try server.send("GET", "/api/v1/moderation/cases", token: token)
            #expect(cases.text.contains(moss.username))
            let other = try server.browser(signedInAs: moss.username)
            // Not even from one who has blocked someone, too, and so doesn't see everyone.
            let own = try server.send(
                "PUT", "/api/v1/me/blocks/bo", token: try await server.token(of: moss.username))
            #expect(own.status == 204, "\(own.text)")
            #expect(try other.get("/moderation").text.contains(quill.username))
            #expect(try other.get("/@\(quill.username)").text.contains(quill.comment))
        }
    }

    /// A response's text, without what is new in each: the token of a form and the request's id.
    private static func plain(_ response: RawResponse, _ someone: Someone) -> String {
        response.text.replacing(someone.username, with: "nobodyhere")
            .replacing(/[\w-]{36,}/, with: "")
    }

    @Test("looks to the one who is blocked as if there were no such person")
    func unknown() async throws {
        try await Self.run { server in
            let (quill, moss) = (Someone.quill, Someone.moss)
            let (one, other) = (
                try await server.token(of: quill.username),
                try await server.token(of: moss.username)
            )
            _ = try server.send("PUT", "/api/v1/me/blocks/\(moss.username)", token: one)
            let browser = try server.browser(signedInAs: moss.username)
            for target in [
                "/@NAME", "/@NAME/similar", "/@NAME/2026", "/@NAME/share",
            ] {
                let found = try browser.get(target.replacing("NAME", with: quill.username))
                let missed = try browser.get(target.replacing("NAME", with: "nobodyhere"))
                #expect(found.status == 404 && missed.status == 404, "\(target)")
                #expect(Self.plain(found, quill) == Self.plain(missed, quill), "\(target)")
            }
            for (method, target) in [
                ("GET", "/users/NAME"), ("GET", "/users/NAME/list"), ("GET", "/users/NAME/similar"),
                ("GET", "/users/NAME/shared"), ("GET", "/users/NAME/snapshots"),
                ("PUT", "/me/following/NAME"), ("DELETE", "/me/blocks/NAME"),
                ("DELETE", "/me/following/NAME"),
            ] {
                func send(_ name: String) throws -> RawResponse {
                    try server.send(
                        method, "/api/v1" + target.replacing("NAME", with: name), token: other)
                }
                let (found, missed) = (try send(quill.username), try send("nobodyhere"))
                #expect(found.status == missed.status, "\(method) \(target)")
                #expect(
                    Self.plain(found, quill) == Self.plain(missed, quill), "\(method) \(target)")
            }
            // Only while someone is signed in. The cached page is everyone's.
            expectPage(try server.send("GET", "/@\(quill.username)"), 200, quill.name)
            #expect(try server.send("GET", "/api/v1/users/\(quill.username)").status == 200)
            // A token says who asks, whatever else it allows.
            let token = PersonalToken()
            let secret = try #require(SecretToken(String(token.text.suffix(43))))
            try server.database.session().query(
                """
                INSERT INTO personal_tokens (user_id, token_hash, name, scopes)
                SELECT id, $2, 'Sheet', '{list:write}' FROM users WHERE username = $1
                """, [.text(moss.username), .bytes(secret.hash)])
            let refused = try server.send(
                "GET", "/api/v1/users/\(quill.username)", token: token.text)
            #expect(refused.status == 404, "\(refused.text)")
            // One that isn't valid opens nothing, either.
            let stale = try server.send(
                "GET", "/api/v1/users/\(quill.username)", token: "fgp_nonsense")
            #expect(stale.status == 401)
        }
    }

    @Test("takes no one's means to report the one who blocks them, or to block back")
    func protection() async throws {
        try await Self.run { server in
            let (quill, moss) = (Someone.quill, Someone.moss)
            let one = try await server.token(of: quill.username)
            let other = try await server.token(of: moss.username)
            _ = try server.send("PUT", "/api/v1/me/blocks/\(moss.username)", token: one)
            let session = try server.database.session()
            let ids = try session.query(
                """
                SELECT e.id::text, c.circle_id::text
                FROM users u JOIN entries e ON e.user_id = u.id AND e.comment <> ''
                JOIN circle_members c ON c.user_id = u.id AND c.owned = 1
                WHERE u.username = $1
                """, [.text(quill.username)])
            let (entry, circle): (String, String) = (try ids[0][0], try ids[0][1])

            // As the person who sends them, and not as a stranger.
            let reports = [
                #""kind": "list", "username": "\#(quill.username)""#,
                #""kind": "profile", "username": "\#(quill.username)""#,
                #""kind": "entry", "entry": "\#(entry)""#,
                #""kind": "circle", "circle": "\#(circle)""#,
            ]
            for report in reports {
                let sent = try server.send(
                    "POST", "/api/v1/reports", token: other,
                    json: "{\(report), \"reason\": \"abuse\"}")
                #expect(sent.status == 204, "\(report): \(sent.text)")
            }
            let mine = """
                reports r JOIN users u ON u.id = r.reporter_id WHERE u.username = '\(moss.username)'
                """
            #expect(try server.count(mine) == 4)
            try session.execute("DELETE FROM cases")

            let browser = try server.browser(signedInAs: moss.username)
            for (target, fields, words) in [
                (
                    "/report?username=\(quill.username)",
                    ["username": quill.username, "kind": "list"], quill.name
                ),
                ("/report?entry=\(entry)", ["entry": entry, "kind": "entry"], quill.comment),
            ] {
                expectPage(try browser.get(target), 200, words)
                let sent = try browser.post(
                    "/report", fields.merging(["reason": "abuse"]) { one, _ in one })
                let thanks = "/report?sent=yes&username=\(quill.username)"
                #expect(sent["location"] == thanks)
                expectPage(try browser.get(thanks), 200, "href=\"/@\(quill.username)/block\"")
            }
            #expect(try server.count(mine) == 2)

            expectPage(try browser.get("/@\(quill.username)/block"), 200, quill.name)
            #expect(try browser.post("/@\(quill.username)/block").status == 303)
            expectPage(try browser.get("/settings/blocked"), 200, "@\(quill.username)")
            expectPage(try browser.get("/@\(quill.username)"), 200, "You blocked")
            _ = try server.send("DELETE", "/api/v1/me/blocks/\(moss.username)", token: one)
            let hidden = try server.send("GET", "/api/v1/users/\(moss.username)", token: one)
            #expect(hidden.status == 404)
            let again = try server.send(
                "PUT", "/api/v1/me/blocks/\(quill.username)", token: other)
            #expect(again.status == 204)
            // What no one may see can't be found out in these ways.
            try server.execute("UPDATE users SET visibility = 'private'")
            for name in [quill.username, "nobodyhere"] {
                let report = #"{"kind": "list", "username": "\#(name)", "reason": "spam"}"#
                try expectProblem(
                    try server.send("POST", "/api/v1/reports", token: other, json: report), 422)
            }
        }
    }

    @Test("is in the menu of a list, says what happens, and ends in the settings")
    func pages() async throws {
        try await Self.run { server in
            let moss = Someone.moss
            let (list, block) = ("/@\(moss.username)", "/@\(moss.username)/block")
            #expect(!(try server.send("GET", list).text.contains(block)))
            let quill = try server.browser(signedInAs: Someone.quill.username)
            #expect(try quill.get(list).text.contains("href=\"\(block)\""))
            #expect(!(try quill.get("/@\(Someone.quill.username)").text.contains("/block\"")))
            expectPage(try quill.get(block), 200, "when they are signed out, and in feeds")
            #expect(try quill.post(block)["location"] == list)
            let page = try quill.get(list)
            expectPage(page, 200, "You blocked")
            expectPage(page, 200, moss.name)
            #expect(page["cache-control"] == "no-store")
            #expect(!page.text.contains(moss.comment))
            #expect(try quill.get(block)["location"] == list)
            // Someone who is blocked can still be reported.
            expectPage(try quill.get("/report?username=\(moss.username)"), 200, moss.name)
            expectPage(try quill.get("/settings"), 200, "/settings/blocked")
            expectPage(try quill.get("/settings/blocked"), 200, "@\(moss.username)")
            let ended = try quill.post(
                "/@\(moss.username)/unblock", ["return": "/settings/blocked"])
            #expect(ended["location"] == "/settings/blocked?done=unblocked")
            expectPage(try quill.get("/settings/blocked?done=unblocked"), 200, "Unblocked.")
            expectPage(try quill.get(list), 200, moss.comment)
            #expect(try quill.post(block).status == 303)
            #expect(try quill.post(list + "/unblock")["location"] == list)

            expectPage(
                try quill.post("/@\(Someone.quill.username)/block"), 409, "can’t block yourself")
            expectPage(try quill.post("/@nobodyhere/block"), 404, "no user called")
            let stranger = try Browser(server).get(block)
            #expect(stranger["location"]?.hasPrefix("/sign-in") == true)

            // It is offered after a report.
            try quill.get("/report?username=\(moss.username)")
            let sent = try quill.post(
                "/report", ["username": moss.username, "kind": "list", "reason": "abuse"])
            #expect(sent["location"] == "/report?sent=yes&username=\(moss.username)")
            expectPage(
                try quill.get("/report?sent=yes&username=\(moss.username)"), 200,
                "href=\"\(block)\"")
            #expect(
                !(try server.send("GET", "/report?sent=yes&username=\(moss.username)").text
                    .contains(block)))
        }
    }

    @Test("can be repeated, also once the other can't be found any more")
    func repeated() async throws {
        try await Self.run { server in
            let one = try await server.token(of: Someone.quill.username)
            let target = "/api/v1/me/blocks/\(Someone.moss.username)"
            let changes = [
                "", "UPDATE users SET visibility = 'private'",
                "UPDATE users SET disabled_at = now() WHERE username = '\(Someone.moss.username)'",
            ]
            for change in changes {
                try server.execute(change)
                for _ in 0..<2 {
                    let response = try server.send("PUT", target, token: one)
                    #expect(response.status == 204, "\(change): \(response.text)")
                }
            }
            #expect(try server.count("blocks") == 1)
            for _ in 0..<2 {
                #expect(try server.send("DELETE", target, token: one).status == 204)
            }
        }
    }

    @Test("hides the public circles of each from the other, with members or without")
    func circles() async throws {
        try await Self.run { server in
            let (quill, moss) = (Someone.quill, Someone.moss)
            let one = try await server.token(of: quill.username)
            let tokens = [one, try await server.token(of: moss.username)]
            // Bo is in Quill's circle, and no one else in Moss'.
            try server.execute(
                """
                SELECT add_circle_member(m.circle_id, b.id, false)
                FROM circle_members m JOIN users u ON u.id = m.user_id, users b
                WHERE m.owned = 1 AND u.username = '\(quill.username)' AND b.username = 'bo'
                """)
            let circles: [UUID] = try server.database.session().query(
                """
                SELECT m.circle_id FROM circle_members m JOIN users u ON u.id = m.user_id
                WHERE m.owned = 1 AND u.username <> 'bo' ORDER BY u.username
                """
            ).map { try $0[0] }
            // Moss' comes first.
            for (circle, token) in zip(circles, tokens) {
                let target = "/api/v1/circles/\(circle.text)"
                #expect(try server.send("GET", target, token: token).status == 200)
            }
            _ = try server.send("PUT", "/api/v1/me/blocks/\(moss.username)", token: one)
            for (circle, token) in zip(circles, tokens) {
                let target = "/api/v1/circles/\(circle.text)"
                for path in ["", "/members", "/rankings"] {
                    #expect(
                        try server.send("GET", target + path, token: token).status == 404, "\(path)"
                    )
                }
                #expect(try server.send("GET", target).status == 200)
            }
            let pages: [String] = try server.database.session().query(
                "SELECT slug FROM circles WHERE id = ANY ($1) ORDER BY array_position($1, id)",
                [.uuids(circles)]
            ).map { try $0[0] }
            for (slug, name) in zip(pages, [quill.username, moss.username]) {
                let browser = try server.browser(signedInAs: name)
                #expect(try browser.get("/circles/\(slug)").status == 404)
            }
        }
    }

    @Test("is part of what someone can download, but being blocked isn't")
    func export() async throws {
        try await Self.run { server in
            let one = try await server.token(of: Someone.quill.username)
            let other = try await server.token(of: Someone.moss.username)
            _ = try server.send("PUT", "/api/v1/me/blocks/mossmeadow", token: one)
            let blocks = try server.send("GET", "/api/v1/me/export", token: one).object
                .objects("blocks")
            #expect(blocks.map { $0.string("username") } == ["mossmeadow"])
            let text = try server.send("GET", "/api/v1/me/export", token: other).text
            #expect(!text.contains("quillquartz"))
            let page = try server.send("GET", "/api/v1/me/blocks?limit=1", token: one).object
            #expect(page.objects("people").map { $0.string("username") } == ["mossmeadow"])
        }
    }
}
