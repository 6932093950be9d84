import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// What the planner does with some thousand lists, the same in every run: a statement that reads a
/// whole table would get slower with every user.
///
/// `ReadPlanTests` does this for every request. Here are the statements that no request runs, and what
/// depends on whose lists are public, on what is searched for, or on far more games.
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

    @Test("of snapshots that are due goes by their year")
    func dueSnapshots() throws {
        expectIndexes(
            try plan(Snapshots.due.sql, types: "text", values: "''2026-12-31''"),
            ["users_next_snapshot"])
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

    @Test("of sessions that have ended goes by their ends")
    func endedSessions() throws {
        let database = try Self.database.get()
        try database.session().execute(
            """
            INSERT INTO sessions (user_id, kind, token_hash, expires_at)
            SELECT id, 'browser', sha256(convert_to(username, 'UTF8')), now() + interval '1 day'
            FROM users;
            ANALYZE sessions
            """)
        expectIndexes(
            try plan(ExpiringData.sessions.deletion.sql, types: "integer", values: "1"),
            ["sessions_expiry"])
    }
}
