import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage

/// What the planner does with some thousand lists: a statement that reads a whole table would get
/// slower with every user.
@Suite("The plan")
struct PlanTests {
    private static let database = Result {
        let database = try TestDatabase()
        let session = try database.session()
        var picks: [Pick] = []
        for row in try session.query("SELECT game_id, platform_id FROM game_platforms") {
            picks.append(Pick(game: try row[0], platform: try row[1]))
        }
        _ = try BulkStore(session).load(
            (0..<4_000).map { number in
                ListSeed(
                    username: "user-\(number)", displayName: "User \(number)",
                    madeAt: Date(timeIntervalSinceNow: -Double(number) * 1_000),
                    entries: try Set((0..<5).compactMap { _ in picks.randomElement() }).map {
                        DraftEntry(
                            gameID: $0.game, platformID: $0.platform,
                            comment: try Comment("Because of \(number)."))
                    })
            })
        try BulkStore(session).analyze()
        return database
    }

    /// - Parameter mode: With a generic plan the planner takes every LIMIT for a tenth of all.
    private func plan(
        _ sql: String, types: String, values: String, mode: String = "force_generic_plan"
    ) throws -> String {
        let session = try Self.database.get().session()
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
        for table in ["entries", "included_by", "users", "lists"] {
            #expect(!plan.contains("Seq Scan on \(table)"), "\(plan)")
        }
        for name in names { #expect(plan.contains(name), "\(plan)") }
    }

    @Test("of a ranking's first page reads the ranking's index as far as it needs")
    func ranking() throws {
        let plan = try plan(
            HotStatements.ranking, types: "integer, bigint, bigint", values: "48, 21, 3")
        expectIndexes(plan, ["included_by_ranking", "entries_comments", "Limit"])
    }

    @Test("of a ranking's later pages begins where the page before ended")
    func rankingAfter() throws {
        let plan = try plan(
            Statement.rankingAfter.sql, types: "integer, bigint, bigint, integer, text, integer",
            values: "48, 21, 3, -100, ''m'', 7")
        expectIndexes(plan, ["included_by_ranking", "entries_comments"])
        #expect(plan.contains("ROW("), "the comparison belongs to the index: \(plan)")
    }

    @Test("of one's list goes by the username and the owner")
    func list() throws {
        expectIndexes(
            try plan(
                Statement.listByUsername.sql, types: "text, uuid", values: "''user-7'', NULL"),
            ["Index Cond: (username = "])
        expectIndexes(
            try plan(
                Statement.listByUserID.sql, types: "uuid", values: "gen_random_uuid()"),
            ["users_pkey"])
    }

    @Test("of those who include a game reads them in their order")
    func inclusions() throws {
        let values = "740, 48, 21, 4000000000000000, gen_random_uuid()"
        let types = "integer, integer, bigint, bigint, uuid"
        expectIndexes(
            try plan(Statement.inclusions.sql, types: types, values: values),
            ["entries_inclusions"])
        expectIndexes(
            try plan(Statement.inclusionsAnywhere.sql, types: types, values: values),
            ["entries_game"])
    }

    @Test("of what the home page asks for reads no whole table")
    func home() throws {
        expectIndexes(
            try plan(Statement.recentLists.sql, types: "bigint", values: "10", mode: "auto"),
            ["lists_recent"])
        expectIndexes(
            try plan(
                Statement.topsOfPlatforms.sql, types: "integer[], bigint",
                values: "''{48,6,130}'', 5"),
            ["included_by_ranking"])
    }
}
