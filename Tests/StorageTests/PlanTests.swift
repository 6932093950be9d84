import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@_spi(Writing) @testable import Storage

/// What the planner does with some thousand lists, the same in every run: a statement that reads a
/// whole table would get slower with every user.
@Suite("The plan", .blocking)
struct PlanTests {
    private static let database = Result { try makeDatabase() }

    /// The same when hardly anybody's list is public.
    private static let unlistedDatabase = Result {
        let database = try makeDatabase { session in
            try session.execute("ALTER TABLE users ALTER visibility SET DEFAULT 'unlisted'")
        }
        let session = try database.session()
        try session.execute(
            "UPDATE users SET visibility = 'public' WHERE right(username, 2) = '00'")
        try BulkStore(session).analyze()
        return database
    }

    private static func makeDatabase(
        _ prepare: (BlockingSession) throws -> Void = { _ in }
    ) throws -> TestDatabase {
        let database = try TestDatabase()
        let session = try database.session()
        try prepare(session)
        let picks = try session.query(
            "SELECT game_id, platform_id FROM game_platforms ORDER BY game_id, platform_id"
        ).map { row in Pick(game: try row[0], platform: try row[1]) }
        _ = try BulkStore(session).load(
            (0..<4_000).map { number in
                let entries = try (0..<5).map { place in
                    // A prime, so that the lists have all games, each with others.
                    let pick = picks[(number * 5 + place) * 7919 % picks.count]
                    return DraftEntry(
                        gameID: pick.game, platformID: pick.platform,
                        comment: try Comment("Because of \(number)."))
                }
                return ListSeed(
                    username: "user-\(number)", displayName: "User \(number)",
                    madeAt: Date(timeIntervalSinceNow: -Double(number) * 1_000),
                    entries: entries,
                    snapshots: [2024, 2025].map { SnapshotSeed(year: $0, entries: entries) })
            })
        try session.execute(
            """
            INSERT INTO follows (follower_id, followed_id)
            SELECT a.id, b.id
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM users) a
            JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM users) b
              ON b.n BETWEEN a.n + 1 AND a.n + 10
            """)
        // Circles of ten, hearts for every tenth list, of which half come first, and some days' ranks.
        try session.execute(
            """
            SET session_replication_role = replica;
            INSERT INTO circles (slug, name)
            SELECT 'circle-' || n, 'Circle' FROM generate_series(1, 400) n;
            INSERT INTO circle_members (circle_id, user_id, seat, place)
            SELECT c.id, u.id, 1 + u.n % 10, 1
            FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM circles) c
            JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM users) u
              ON u.n / 10 = c.n;
            INSERT INTO hearts (entry_id, user_id)
            SELECT e.id, f.followed_id FROM entries e JOIN follows f ON f.follower_id = e.user_id
            WHERE e.position <= 2 AND left(e.user_id::text, 1) = '0';
            UPDATE entries SET agreed = 10 WHERE position = 1 AND left(user_id::text, 1) = '0';
            INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
            SELECT i.platform_id, DATE '2026-01-01' + d, i.game_id, 1
            FROM included_by i, generate_series(1, 9) d;
            INSERT INTO news_visits (user_id, since, seen_at) SELECT id, now(), now() FROM users;
            SET session_replication_role = origin
            """)
        try BulkStore(session).analyze()
        return database
    }

    /// - Parameter mode: With a generic plan the planner takes every LIMIT for a tenth of all.
    private func plan(
        _ sql: String, types: String, values: String, mode: String = "force_generic_plan",
        of database: TestDatabase? = nil
    ) throws -> String {
        let session = try (database ?? Self.database.get()).session()
        try session.execute("SET plan_cache_mode = \(mode)")
        try session.execute("PREPARE asked (\(types)) AS \(sql)")
        // EXPLAIN's lines have no binary format; PL/pgSQL makes them rows of text.
        try session.execute(
            """
            CREATE FUNCTION pg_temp.explain() RETURNS SETOF text LANGUAGE plpgsql AS
            $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN EXECUTE asked (\(values))'; END $$
            """)
        return try session.query(
            "SELECT string_agg(line, E'\\n') FROM pg_temp.explain() AS line")[0][0]
    }

    private func expectIndexes(_ plan: String, _ names: [String]) {
        for table in [
            "entries", "included_by", "users", "lists", "sessions", "snapshots", "snapshot_entries",
        ] {
            #expect(!plan.contains("Seq Scan on \(table)"), "\(plan)")
        }
        for name in names { #expect(plan.contains(name), "\(plan)") }
    }

    @Test("of a ranking's first page reads the ranking's index as far as it needs")
    func ranking() throws {
        let plan = try plan(
            HotStatements.ranking, types: "integer, bigint, bigint", values: "48, 21, 3")
        expectIndexes(plan, ["included_by_ranking", "entries_quotes", "Limit"])
    }

    @Test("of a ranking's later pages begins where the page before ended")
    func rankingAfter() throws {
        let plan = try plan(
            Rankings.after.sql, types: "integer, bigint, bigint, integer, text, integer",
            values: "48, 21, 3, -100, ''m'', 7")
        expectIndexes(plan, ["included_by_ranking", "entries_quotes"])
        #expect(plan.contains("ROW("), "the comparison belongs to the index: \(plan)")
    }

    @Test("of one's list goes by the username and the owner")
    func list() throws {
        expectIndexes(
            try plan(
                Lists.byUsername.sql, types: "text, uuid", values: "''user-7'', NULL"),
            ["Index Cond: (username = "])
        expectIndexes(
            try plan(
                Lists.byUserID.sql, types: "uuid", values: "gen_random_uuid()"),
            ["users_pkey"])
        for sql in [Users.visibleByDigest.sql, Lists.byDigest.sql] {
            expectIndexes(
                try plan(sql, types: "text, uuid", values: "''00ff'', NULL"), ["users_digest"])
        }
    }

    @Test("of snapshots goes by their owner, and of those that are due by their year")
    func snapshots() throws {
        expectIndexes(
            try plan(
                Snapshots.byUsername.sql, types: "text, uuid, text",
                values: "''user-7'', NULL, ''2025''"),
            ["users_username_key", "Index Cond: ((user_id = ", "Index Cond: (snapshot_id = "])
        expectIndexes(
            try plan(
                Snapshots.ofUsername.sql, types: "text, uuid", values: "''user-7'', NULL"),
            ["users_username_key", "snapshots_"])
        expectIndexes(
            try plan(Snapshots.due.sql, types: "text", values: "''2026-12-31''"),
            ["users_next_snapshot"])
    }

    @Test("of those who include a game reads them in their order")
    func inclusions() throws {
        let values = "740, 48, 21, 4000000000000000, gen_random_uuid()"
        let types = "integer, integer, bigint, bigint, uuid"
        expectIndexes(
            try plan(InclusionQueries.after.sql, types: types, values: values),
            ["entries_inclusions"])
        expectIndexes(
            try plan(InclusionQueries.anywhere.sql, types: types, values: values),
            ["entries_game"])
        expectIndexes(
            try plan(InclusionQueries.before.sql, types: types, values: values),
            ["entries_inclusions"])
        expectIndexes(
            try plan(InclusionQueries.anywhereBefore.sql, types: types, values: values),
            ["entries_game"])
    }

    @Test("of a ranking's page before another goes by the ranking's index")
    func rankingBefore() throws {
        expectIndexes(
            try plan(
                Rankings.before.sql,
                types: "integer, bigint, bigint, bigint, text, integer",
                values: "48, 21, 3, -1, ''m'', 1"),
            // Backwards, or, of a few, all: there is a constant limit, and they are fewer.
            ["included_by_ranking"])
        expectIndexes(
            try plan(
                Rankings.preceding.sql, types: "integer, bigint, text, integer",
                values: "48, -1, ''m'', 1"),
            ["included_by_ranking"])
    }

    @Test("of the users with a short name goes by the index of public ones")
    func users() throws {
        let plan = try plan(Users.beginning.sql, types: "text, bigint", values: "''us'', 100")
        expectIndexes(plan, ["users_public"])
        #expect(plan.contains("Index Cond: ((username ~>=~"), "\(plan)")
    }

    @Test("of everyone's entries goes by an index, whatever the filter")
    func entries() throws {
        let user: UUID = try Self.database.get().session()
            .query("SELECT id FROM users LIMIT 1")[0][0]
        // Of a platform that many entries are on, the latest are found among the latest of all.
        let rare: Int = try Self.database.get().session().query(
            "SELECT platform_id FROM entries GROUP BY 1 ORDER BY count(*) LIMIT 1")[0][0]
        let filters: [(String, String?, (inout EntryFilter) -> Void)] = [
            ("entries_recent", nil, { _ in }),
            ("entries_platform", "\(rare)", { $0.platformID = rare }),
            ("entries_game", "{740,1020}", { $0.gameIDs = [740, 1020] }),
            ("user_id", user.uuidString, { $0.userID = user }),
            ("entries_pkey", "rare", { $0.tag = Tag("rare") }),
            ("entries_recent", "1", { $0.rating = Rating(1) }),
            ("entries_pkey", "zzz", { $0.search = SearchText("zzz") }),
        ]
        for (index, value, set) in filters {
            var filter = EntryFilter()
            set(&filter)
            let isRare = filter.tag != nil || filter.search != nil
            let search = EntrySearch(filter, rare: isRare ? [] : nil)
            let values = (isRare ? ["''{}''"] : []) + (value.map { ["''\($0)''"] } ?? [])
            // The conditions' own casts make of texts what they need.
            let types = values.map { _ in "text" }
            let future = 4_000_000_000_000_000
            for (statement, cursor, index) in [
                (search.entries(.after).statement, future, index),
                (search.entries(.before).statement, 0, index),
                // It looks at so many that any index will do for these few thousand.
                (search.gameIDs.statement, future, "entries_"),
            ] {
                let sql = statement.sql.replacing(/(\$[5-9])::/) { "\($0.1)::text::" }
                let plan = try plan(
                    sql,
                    types: (["bigint, bigint, uuid, bigint"] + types).joined(separator: ", "),
                    values: (["21, \(cursor), gen_random_uuid(), 2000"] + values)
                        .joined(separator: ", "),
                    mode: "force_custom_plan")
                // Of a few thousand users it may read all: they are fewer pages than the probes.
                #expect(!plan.contains("Seq Scan on entries"), "\(plan)")
                #expect(plan.contains(index), "\(statement.name): \(plan)")
            }
        }
    }

    @Test("of lists of the same taste reads a bounded part of each game's")
    func similar() throws {
        let plan = try plan(
            Entries.similarLists.sql, types: "uuid, bigint, bigint",
            values: "gen_random_uuid(), 24, 2000")
        expectIndexes(plan, ["entries_game", "Limit"])
    }

    @Test("of what someone follows reads five entries of each, and of followers a page")
    func follows() throws {
        let cursor = "21, 4000000000000000, gen_random_uuid()"
        for statement in [Follows.changes.sql, Follows.changesBefore.sql] {
            expectIndexes(
                try plan(
                    statement, types: "uuid, bigint, bigint, uuid",
                    values: "gen_random_uuid(), \(cursor)"),
                ["Index Cond: (user_id = f.followed_id)"])
        }
        for statement in [Follows.followers.sql, Follows.followersBefore.sql] {
            expectIndexes(
                try plan(
                    statement, types: "uuid, bigint, bigint, uuid",
                    values: "gen_random_uuid(), \(cursor)"),
                ["follows_followed", "users_pkey"])
        }
    }

    @Test("of the comments that most people agree with reads only those")
    func agreed() throws {
        for (sql, platform) in [
            (InclusionQueries.agreed.sql, "48"), (InclusionQueries.agreedAnywhere.sql, "NULL"),
        ] {
            let plan = try plan(
                sql, types: "integer, integer, bigint", values: "740, \(platform), 3")
            expectIndexes(plan, ["Limit"])
            #expect(plan.contains("entries_agreed") || plan.contains("entries_quotes"), "\(plan)")
        }
    }

    @Test("of what the home page asks for reads no whole table")
    func home() throws {
        expectIndexes(
            try plan(
                Lists.recent.sql, types: "bigint, bigint, uuid",
                values: "10, 4000000000000000, gen_random_uuid()", mode: "auto"),
            ["lists_recent"])
        expectIndexes(
            try plan(
                Platforms.tops.sql, types: "integer[], bigint",
                values: "''{48,6,130}'', 5"),
            ["included_by_ranking"])
    }

    @Test("goes past the many who are unlisted by what the indexes hold")
    func unlisted() throws {
        let database = try Self.unlistedDatabase.get()
        for mode in ["force_generic_plan", "force_custom_plan"] {
            expectIndexes(
                try plan(
                    HotStatements.ranking, types: "integer, bigint, bigint",
                    values: "48, 21, 3", mode: mode, of: database),
                ["included_by_ranking", "entries_quotes"])
            for (sql, platform) in [
                (InclusionQueries.after.sql, "48"), (InclusionQueries.anywhere.sql, "NULL"),
            ] {
                let plan = try plan(
                    sql, types: "integer, integer, bigint, bigint, uuid",
                    values: "740, \(platform), 21, 4000000000000000, gen_random_uuid()",
                    mode: mode, of: database)
                // Any will do: all begin with the few that are public.
                let indexes = ["entries_inclusions", "entries_game", "entries_platform"]
                #expect(indexes.contains { plan.contains("Index Scan using \($0) ") }, "\(plan)")
                #expect(!plan.contains("Filter: (audience"), "\(plan)")
                expectIndexes(plan, [])
            }
            expectIndexes(
                try plan(
                    Lists.recent.sql, types: "bigint, bigint, uuid",
                    values: "10, 4000000000000000, gen_random_uuid()", mode: "auto",
                    of: database),
                ["lists_recent"])
        }
    }

    @Test(
        "of a search for games, and of one for an imported game, reads no whole table",
        arguments: [
            "a1", "game", "gmae 1a2b", "x 1a2b", "零一", "ゼルダ ブレス", "無無無無無", "ゼ", "zz (1999)",
            "zzzz (PC)",
        ])
    func games(text: String) throws {
        let session = try Self.gamesDatabase.get().session()
        for call in [
            "find_games($1, NULL, 20)", "find_games($1, 48, 20)",
            "imported_game($1, 7, false, '{48}', 1999)", "imported_game($1, 7, true, '{48}', 1999)",
        ] {
            try session.execute("BEGIN")
            _ = try session.query("SELECT count(*) FROM \(call)", [.text(text)])
            let read: [String] = try session.query(
                "SELECT relname FROM pg_stat_xact_user_tables WHERE seq_scan > 0"
            ).map { try $0[0] }
            try session.execute("ROLLBACK")
            #expect(read.isEmpty, "\(call) for \(text)")
        }
    }

    /// Forty thousand games, half of them with a name of Chinese characters.
    private static let gamesDatabase = Result {
        let database = try TestDatabase(.migrated)
        let session = try database.session()
        try session.execute(
            """
            INSERT INTO platforms (id, slug, name) VALUES (48, 'ps4', 'PlayStation 4');
            INSERT INTO games (id, name, release_year)
            SELECT n, 'Game ' || left(md5(n::text), 4) || ' ' || n, 1990 + n % 30
            FROM generate_series(1, 40000) n;
            INSERT INTO game_names (game_id, name)
            SELECT n, chr(19968 + n % 5000) || chr(19968 + n % 4999) || chr(19968 + n % 97) || n
            FROM generate_series(1, 40000, 2) n;
            INSERT INTO game_platforms SELECT n, 48 FROM generate_series(1, 40000, 3) n
            """)
        try BulkStore(session).analyze()
        return database
    }

    @Test("of a sitemap's parts reads no more than the part")
    func sitemap() throws {
        let lists = try plan(SitemapQueries.lists.sql, types: "bigint", values: "0")
        expectIndexes(lists, ["Tid Range Scan on users", "lists_pkey", "entries_"])
        let games = try plan(SitemapQueries.games.sql, types: "bigint", values: "0")
        expectIndexes(games, ["included_by_pkey"])
        expectIndexes(
            try plan(SitemapQueries.gameParts.sql, types: "bigint", values: "0"),
            ["included_by_pkey"])
        expectIndexes(
            try plan(SitemapQueries.listParts.sql, types: "bigint", values: "0"),
            ["lists_recent"])
    }

    @Test("of when games were last included reads one entry of each")
    func latestInclusions() throws {
        expectIndexes(
            try plan(
                SitemapQueries.latestInclusions.sql, types: "integer, integer[]",
                values: "48, ''{740,120}''"),
            ["entries_inclusions", "Limit"])
    }

    @Test("of what is new goes by the user, those they follow, and their circles")
    func news() throws {
        let values = "gen_random_uuid(), 0"
        expectIndexes(
            try plan(NewsQueries.hearts.sql, types: "uuid, bigint", values: values),
            ["hearts_recent"])
        expectIndexes(
            try plan(NewsQueries.lists.sql, types: "uuid, bigint", values: values),
            ["follows_pkey", "lists_pkey", "Index Cond: (user_id = "])
        expectIndexes(
            try plan(NewsQueries.members.sql, types: "uuid, bigint", values: values),
            ["users_pkey"])
        expectIndexes(
            try plan(NewsQueries.numberOne.sql, types: "uuid, bigint", values: values),
            ["included_by_ranking", "past_ranks_pkey"])
        expectIndexes(
            try plan(NewsQueries.visitOfUser.sql, types: "uuid", values: "gen_random_uuid()"),
            ["users_pkey", "hearts_recent", "follows_pkey"])
        #expect(
            try plan(Entries.best.sql, types: "integer", values: "1").contains("entries_best"))
    }

    @Test("of whoever shows a cookie or a token goes by its hash")
    func sessions() throws {
        let database = try Self.database.get()
        try database.session().execute(
            """
            INSERT INTO sessions (user_id, kind, token_hash, expires_at)
            SELECT id, 'browser', sha256(convert_to(username || n, 'UTF8')), now() + interval '1 day'
            FROM users, generate_series(1, 2) n;
            INSERT INTO sessions (user_id, kind, token_hash, family_hash, expires_at)
            SELECT user_id, 'api', sha256(token_hash), sha256(sha256(token_hash)), expires_at
            FROM sessions;
            ANALYZE sessions
            """)
        let some = "sha256(''x'')"
        expectIndexes(
            try plan(
                Sessions.browser.sql, types: "bytea", values: some, of: database),
            ["sessions_token_hash_key", "users_pkey", "lists_pkey", "hearts_recent"])
        expectIndexes(
            try plan(
                Sessions.refresh.sql, types: "bytea, bytea, integer, integer, bytea",
                values: "\(some), \(some), 1, 1, \(some)", of: database),
            ["_hash_key", "users_pkey"])
        expectIndexes(
            try plan(
                Sessions.endFamily.sql, types: "bytea", values: some, of: database),
            ["sessions_family_hash_key"])
        expectIndexes(
            try plan(
                Sessions.bearer.sql, types: "uuid, uuid",
                values: "gen_random_uuid(), gen_random_uuid()", of: database),
            ["users_pkey", "sessions_pkey"])
        expectIndexes(
            try plan(
                ExpiringData.sessions.deletion.sql, types: "integer", values: "1",
                of: database),
            ["sessions_expiry"])
    }
}
