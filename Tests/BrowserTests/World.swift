import Foundation
import TestSupport

/// A server with some people, for tests that only read.
///
/// Rob has a full list, Ada one entry and Newbie none; Noa writes from right to left, and Long has
/// words that do not break. Sixty others fill the rankings of PlayStation 3 (sixty games, one list
/// each) and Xbox 360 (one game on thirty-five lists).
struct World: Sendable {
    let server: TestServer

    /// Made by the first test that asks, and there until the process ends.
    static var shared: World {
        get async throws { try await task.value }
    }

    private static let task = Task(executorPreference: TestThreads.shared) { try await World() }

    static let member = "rob"
    static let password = "tulip staple 42"

    /// All that the operator's texts can have.
    private static let rules = """
        Be **kind**, *patient*, and ***both***.

        # What isn’t welcome
        1. Spoilers. Write `SPOILER` first.
        2. \(String(repeating: "unbreakable", count: 30))

        ## What happens then
        - Ask <jane@couch.example>, or
          read [how we moderate](https://couch.example/moderation).
        > Everyone gets one.

        ---
        ### In the end
        The last\\
        line
        """

    private init() async throws {
        let rules = FileManager.default.temporaryDirectory
            .appending(path: "fave-rules-\(UUID().uuidString).md")
        try Data(Self.rules.utf8).write(to: rules)
        defer { try? FileManager.default.removeItem(at: rules) }
        let own = ["RULES_FILE": rules.path, "CONTACT": "jane@couch.example"]
        server = try await TestServer(settings: TestServer.forBrowsers.merging(own) { $1 })
        try add(
            Self.member, "Rob",
            [
                entry(71, on: 6, "The cake is a lie.\n\nStill.", rating: 5, tags: ["puzzle"]),
                entry(117, on: 48, "Trico."),
                entry(120, on: 48, String(repeating: "Stay awhile and listen. ", count: 40)),
                entry(14593, on: 130), entry(72, on: 9, "Space!"),
            ])
        try add("ada", "<b>Ada & 'Co'</b>", [entry(120, on: 48, "<i>Not</i> markup.")])
        try add("newbie", "Newbie", [])
        try add(
            "noa", "נועה לוי",
            [
                entry(117, on: 48, "המשחק הכי יפה ששיחקתי בו. Trico!"),
                entry(71, on: 6, "لعبة رائعة"),
            ])
        try add(
            String(repeating: "l", count: 30), String(repeating: "Long", count: 20),
            [
                entry(120, on: 48, String(repeating: "unbreakable", count: 30))
            ])
        try fillRankings()
        try keepOrder()
        try takeSnapshots()
        try registerApp()
        try addBonds()
        try makeCircle()
        try bringGames()
    }

    /// What an app of Rob's asks.
    static let authorization =
        "/oauth/authorize?client_id=00000000-0000-4000-8000-0000000000a1&response_type=code"
        + "&redirect_uri=https%3A%2F%2Fshelf.example%2F&scope=read+list%3Awrite+account"
        + "&code_challenge_method=S256&code_challenge=" + String(repeating: "A", count: 43)

    private func registerApp() throws {
        try server.database.session().execute(
            """
            INSERT INTO apps (id, user_id, name, address, redirects)
            SELECT '00000000-0000-4000-8000-0000000000a1', id, 'Shelf <of> \(String(repeating: "x", count: 40))',
                   'https://shelf.example/\(String(repeating: "x", count: 200))', '{https://shelf.example/}'
            FROM users WHERE username = 'rob'
            """)
    }

    /// What Rob loved in two earlier years.
    private func takeSnapshots() throws {
        try server.database.session().execute(
            """
            INSERT INTO snapshots (user_id, slug, title, taken_at, year, size, shows_ratings)
            SELECT id, year::text, 'My five, ' || year,
                   make_timestamptz(year, 12, 31, 12, 0, 0, 'UTC'), year, 3, true
            FROM users, unnest('{2024,2025}'::integer[]) year WHERE username = 'rob';

            INSERT INTO snapshot_entries (snapshot_id, position, entry_id, game_id, platform_id,
                                          comment, rating, tags)
            SELECT k.id, e.position, gen_random_uuid(), e.game, e.platform, 'Because of <it>.', 5,
                   '{puzzle}'
            FROM snapshots k
            JOIN (VALUES (2024, 1, 71, 6), (2024, 2, 117, 48), (2024, 3, 120, 48),
                         (2025, 1, 117, 48), (2025, 2, 71, 6), (2025, 3, 72, 9))
                 e (year, position, game, platform) USING (year);
            """)
    }

    /// Rob follows Ada and Long, who follow him; and people agree with most comments.
    private func addBonds() throws {
        try server.database.session().execute(
            """
            INSERT INTO follows (follower_id, followed_id)
            SELECT a.id, b.id FROM users a, users b
            WHERE a.id <> b.id AND 'rob' IN (a.username, b.username)
              AND (a.username || b.username) ~ '^(rob)?(ada|l+)(rob)?$';

            INSERT INTO hearts (entry_id, user_id)
            SELECT e.id, u.id FROM entries e JOIN users u ON u.username LIKE 'filler-1%'
            WHERE e.comment <> '' AND e.game_id = 120;

            INSERT INTO hearts (entry_id, user_id)
            SELECT e.id, u.id FROM entries e JOIN users o ON o.id = e.user_id
            JOIN users u ON u.username = 'rob'
            WHERE e.comment <> '' AND o.username = 'ada';

            UPDATE entries SET agreed = 7
            WHERE comment <> '' AND user_id = (SELECT id FROM users WHERE username = 'ada');
            """)
    }

    static let circle = "00000000-0000-4000-8000-00000000000c"

    /// A public circle of rob's, with an invitation and with members who don't all show their lists.
    private func makeCircle() throws {
        try server.database.session().execute(
            """
            WITH c AS (
                INSERT INTO circles (id, slug, name, description, visibility)
                VALUES ('\(Self.circle)', '\(Self.circle)', 'The <b>Tuesday</b> Club', 'We meet on Tuesdays.', 'public')
                RETURNING id
            )
            INSERT INTO circle_members (circle_id, user_id, seat, place, owned)
            SELECT c.id, u.id, 1, 1, 1 FROM c, users u WHERE u.username = 'rob';

            SELECT add_circle_member('\(Self.circle)', id, false) FROM users
            WHERE username IN ('ada', 'noa') OR username LIKE 'llll%' OR username LIKE 'filler-1_';

            UPDATE users SET visibility = 'private' WHERE username = 'filler-11';

            INSERT INTO circle_invitations (circle_id, token_hash, uses, uses_left, expires_at)
            VALUES ('\(Self.circle)', sha256(decode(repeat('00', 32), 'hex')), 20, 19,
                    now() + interval '7 days');
            """)
    }

    /// Rob has brought games from elsewhere.
    private func bringGames() throws {
        try server.database.session().execute(
            """
            INSERT INTO imports (user_id, file_name, row_count, done_count, suggested_count, state)
            SELECT id, 'games of mine.csv', 4, 4, 3, 'done' FROM users WHERE username = 'rob';

            INSERT INTO import_rows (
                import_id, place, line, name, named_platforms, platform_ids, score, rating, comment,
                tags, shelf, dated, finding, game_id, platform_id, candidates)
            SELECT i.id, r.* FROM imports i, (VALUES
                (1, 2, 'Portal', 'PC', '{6}'::integer[], '5', 5, 'Still.', 'puzzle', 'Played',
                 '2011-04-19', 'found', 71, 6, 1),
                (2, 3, 'Portal 2', 'Amiga', '{}', '4.5', 5, repeat('unbreakable', 80), '', 'Played', '',
                 'unknown_platform', 72, NULL, 1),
                (3, 4, repeat('Long', 50), '', '{}', '', NULL, '', '', '', '', 'several_games', 120, NULL, 3),
                (4, 5, '<b>Nothing</b>', '', '{}', '', NULL, '', '', '', '', 'no_game', NULL, NULL, 0)) r
            """)
    }

    /// Rob is a moderator, for whom something waits, and who has done something.
    private func keepOrder() throws {
        try server.database.session().execute(
            """
            UPDATE users SET role = 'moderator' WHERE username = 'rob';

            INSERT INTO cases (kind, user_id, entry_id)
            SELECT 'entry', e.user_id, e.id FROM entries e JOIN users u ON u.id = e.user_id
            WHERE u.username = 'ada';

            INSERT INTO reports (case_id, reporter, reason, note)
            SELECT id, 'someone', 'spam', 'Look at this.' FROM cases;

            INSERT INTO moderation_actions (actor_id, action, user_id, reason)
            SELECT m.id, 'suspend', u.id, 'Advertising.' FROM users m, users u
            WHERE m.username = 'rob' AND u.username = 'newbie';
            """)
    }

    private func add(
        _ username: String, _ displayName: String, _ entries: [[String: Any]]
    ) throws {
        let me = ["username": username, "password": Self.password]
        try send("POST", "/api/v1/users", me)
        let session = try send("POST", "/api/v1/sessions", me).object
        let token = session["accessToken"] as? String
        try send(
            "PATCH", "/api/v1/me", ["displayName": displayName, "bio": "I play."], token: token)
        try send("PUT", "/api/v1/me/list", ["entries": entries], token: token)
    }

    @discardableResult
    private func send(
        _ method: String, _ target: String, _ body: [String: Any], token: String? = nil
    ) throws -> RawResponse {
        let json = try JSONSerialization.data(withJSONObject: body)
        let response = try server.send(
            method, target, token: token, fields: [("If-Match", "*")],
            json: String(decoding: json, as: UTF8.self))
        guard (200..<300).contains(response.status) else {
            throw TestFailure("\(method) \(target): \(response.text)")
        }
        return response
    }

    private func entry(
        _ game: Int, on platform: Int, _ comment: String = "", rating: Int? = nil,
        tags: [String] = []
    ) -> [String: Any] {
        var entry: [String: Any] = [
            "gameId": game, "platformId": platform, "comment": comment, "tags": tags,
        ]
        entry["rating"] = rating
        return entry
    }

    private func fillRankings() throws {
        try server.database.session().execute(
            """
            INSERT INTO users (username, display_name)
            SELECT 'filler-' || n, 'Filler ' || n FROM generate_series(1, 60) n;

            INSERT INTO entries (user_id, position, game_id, platform_id)
            SELECT u.id, 1, g.game_id, 9
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS n
                  FROM users WHERE username LIKE 'filler-%') u
            JOIN (SELECT game_id, row_number() OVER (ORDER BY game_id) AS n
                  FROM game_platforms WHERE platform_id = 9 AND game_id <> 73) g USING (n);

            INSERT INTO entries (user_id, position, game_id, platform_id, comment)
            SELECT u.id, 2, 73, 12, 'Shepard.'
            FROM users u WHERE username LIKE 'filler-%' ORDER BY username LIMIT 35;
            """)
    }
}

extension TestServer {
    /// So that cookies go without TLS.
    /// Without limits for pages: all browsers of the tests have one address.
    static let forBrowsers = ["PUBLIC_URL": "http://127.0.0.1", "PAGES_PER_MINUTE": "0"]

    func url(_ target: String) -> String { "http://127.0.0.1:\(port)\(target)" }
}

extension WebDriver {
    func signIn(_ username: String, to server: TestServer) async throws {
        try open(server.url("/sign-in"))
        try find("#username").fill(username)
        try find("#password").fill(World.password)
        try await find("main form button").follow()
        guard try has("nav.account-menu") else { throw TestFailure("\(username) is not signed in") }
    }
}
