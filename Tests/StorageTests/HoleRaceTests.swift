import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Two transactions on one list, each right by itself, that would leave a hole, or two entries in one
/// place, together.
@Suite("Two transactions that would spoil the places of a list together", .blocking)
struct HoleRaceTests {
    private let database: TestDatabase
    private let user: UUID
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        user = try database.makeUser("rob")
        games = try database.games(on: [ps4], 5)
        try database.session().query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id)
            VALUES ($1, 1, $2, 48), ($1, 2, $3, 48)
            """, [.uuid(user), .int(games[0]), .int(games[1])])
    }

    private func sql(_ change: String) -> String {
        change == "delete"
            ? "DELETE FROM entries WHERE position = 2"
            : """
            INSERT INTO entries (user_id, position, game_id, platform_id)
            VALUES ('\(user)', 3, \(games[change == "insert" ? 2 : 3]), 48)
            """
    }

    @Test(
        "wait for each other, and the later one is refused",
        arguments: ["delete", "insert", "insert another"],
        ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
    func secondIsRefused(first: String, isolation: String) async throws {
        let one = try database.session()
        try one.execute("BEGIN ISOLATION LEVEL \(isolation)")
        try one.query(sql(first))

        let later = sql(first == "insert" ? "delete" : "insert")
        let mark = "/* \(isolation) \(first) */"
        async let refusal: Void = onThreads(1) { [database] _ in
            let other = try database.session()
            try other.execute("BEGIN ISOLATION LEVEL \(isolation)")
            let error = #expect(throws: PostgresError.self) {
                try other.query("\(later) \(mark)")
            }
            let expected =
                isolation == "READ COMMITTED"
                ? SQLState.checkViolation : SQLState.serializationFailure
            #expect(error?.sqlState == expected)
            try other.execute("ROLLBACK")
        }
        let watcher = try database.session()
        try await eventually {
            try watcher.query(
                """
                SELECT FROM pg_stat_activity
                WHERE datname = $1 AND wait_event_type = 'Lock' AND query LIKE '%' || $2
                """, [.text(database.name), .text(mark)]
            ).count == 1
        }
        try one.execute("COMMIT")
        try await refusal
        #expect(try database.brokenRules() == [])
    }

    @Test("leave the later one be if the first is rolled back")
    func firstRollsBack() async throws {
        let one = try database.session()
        try one.execute("BEGIN")
        try one.query(sql("delete"))
        let later = sql("insert")
        async let success: Void = onThreads(1) { [database] _ in
            _ = try database.session().query("\(later) /* patient */")
        }
        let watcher = try database.session()
        try await eventually {
            try watcher.query(
                """
                SELECT FROM pg_stat_activity
                WHERE datname = $1 AND wait_event_type = 'Lock' AND query LIKE '%patient */'
                """, [.text(database.name)]
            ).count == 1
        }
        try one.execute("ROLLBACK")
        try await success
        #expect(try watcher.query("SELECT count(*) FROM entries")[0][0] == 3)
        #expect(try database.brokenRules() == [])
    }

    @Test("are refused when the check of places is deferred, too")
    func deferred() async throws {
        let one = try database.session()
        try one.execute("BEGIN; SET CONSTRAINTS ALL DEFERRED")
        try one.query(sql("delete"))
        try one.execute("COMMIT")
        let other = try database.session()
        try other.execute("BEGIN; SET CONSTRAINTS ALL DEFERRED")
        let error = #expect(throws: PostgresError.self) { try other.query(sql("insert")) }
        #expect(error?.constraint == "entries_position_holes")
        try other.execute("ROLLBACK")
        #expect(try database.brokenRules() == [])
    }
}
