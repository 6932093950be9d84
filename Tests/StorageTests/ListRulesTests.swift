import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// What the database itself refuses, whatever program asks for it.
@Suite("PostgreSQL", .blocking)
struct ListRulesTests {
    private let database: TestDatabase
    private let session: BlockingSession
    private let user: UUID
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        session = try database.session()
        user = try database.makeUser("rob")
        games = try database.games(on: [ps4, pc], 8)
    }

    private func insert(
        _ index: Int, at position: Int, on platform: Int = ps4, comment: String = "",
        for owner: UUID? = nil
    ) throws {
        try session.query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id, comment)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .uuid(owner ?? user), .int(position), .int(games[index]), .int(platform),
                .text(comment),
            ])
    }

    private func fill(_ count: Int) throws {
        for index in 0..<count { try insert(index, at: index + 1) }
    }

    /// The constraint that `body` breaks.
    private func broken(_ body: () throws -> Void) throws -> String? {
        do {
            try body()
        } catch let error as PostgresError {
            #expect(try database.brokenRules() == [])
            return error.constraint ?? error.debugDescription
        }
        return nil
    }

    @Test("refuses a sixth entry")
    func sixth() throws {
        try fill(5)
        #expect(try broken { try insert(5, at: 6) } == "entries_position_check")
        #expect(try broken { try insert(5, at: 5) } == "entries_position_holes")
        #expect(try broken { try insert(5, at: 0) } == "entries_position_check")
    }

    @Test("refuses a hole, however it is made")
    func holes() throws {
        #expect(try broken { try insert(0, at: 2) } == "entries_position_holes")
        try fill(3)
        #expect(try broken { try insert(3, at: 5) } == "entries_position_holes")
        #expect(
            try broken { try session.execute("DELETE FROM entries WHERE position = 2") }
                == "entries_position_holes")
        #expect(
            try broken { try session.execute("UPDATE entries SET position = 5 WHERE position = 3") }
                == "entries_position_holes")
        try session.execute("DELETE FROM entries WHERE position = 3")
        #expect(try database.brokenRules() == [])
    }

    @Test("refuses a hole that is hidden behind two entries in one place")
    func hiddenHole() throws {
        try fill(3)
        let constraint = try broken {
            try session.withTransaction {
                try session.execute("SET CONSTRAINTS ALL DEFERRED")
                try session.execute("UPDATE entries SET position = 3 WHERE position = 2")
            }
        }
        #expect(constraint == "entries_position_holes")
        #expect(try database.brokenRules() == [])
    }

    @Test("refuses any number of entries in one place", arguments: [2, 33, 65])
    func onePlace(count: Int) throws {
        let games = try database.games(on: [ps4], count)
        let constraint = try broken {
            try session.query(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT $1, 1, game, $2 FROM unnest($3::integer[]) game
                """, [.uuid(user), .int(ps4), .ints(games)])
        }
        #expect(constraint == "entries_position_holes")
    }

    @Test("reorders a list in one statement")
    func reorder() throws {
        try fill(5)
        try session.execute("UPDATE entries SET position = 6 - position")
        #expect(try database.brokenRules() == [])
        let first: Int = try session.query("SELECT game_id FROM entries WHERE position = 1")[0][0]
        #expect(first == games[4])
    }

    @Test("refuses a game twice for one platform, and takes it for two")
    func duplicate() throws {
        try fill(1)
        #expect(try broken { try insert(0, at: 2) } == "entries_game_key")
        try insert(0, at: 2, on: pc)
        #expect(
            try broken { try session.execute("UPDATE entries SET platform_id = 6") }
                == "entries_game_key")
    }

    @Test("is saved only in the version that was read, and with ids of its own")
    func saving() throws {
        try fill(2)
        let id: UUID = try session.query(
            "SELECT id FROM entries WHERE position = 2")[0][0]
        let version: Int = try session.query(
            "SELECT version FROM lists WHERE user_id = $1", [.uuid(user)])[0][0]
        func save(_ base: Int?, _ ids: [UUID?]) throws {
            try session.query(
                """
                SELECT save_list($1, $2, array_agg(
                    (ids[position], platform_id, game_id, 'Now.', NULL, '{}')::wanted_entry
                    ORDER BY position))
                FROM entries, CAST($3 AS uuid[]) ids WHERE user_id = $1
                """,
                [
                    .uuid(user), base.map { .int($0) } ?? nil,
                    .texts(ids.map { $0?.uuidString }),
                ])
        }
        func state(_ base: Int?, _ ids: [UUID?]) throws -> String? {
            do {
                try save(base, ids)
                return nil
            } catch let error as PostgresError {
                return error.sqlState
            }
        }
        #expect(try state(version + 1, [nil, id]) == SQLState.serializationFailure)
        #expect(try state(version, [UUID(), id]) == "22023")
        #expect(try state(version, [nil, id]) == nil)
        let rows = try session.query("SELECT id, comment FROM entries ORDER BY position")
        #expect(try rows[1][0] == id)
        for row in rows { #expect(try row[1] == "Now.") }
        #expect(try state(version, [nil, id]) == SQLState.serializationFailure)
        #expect(try database.brokenRules() == [])
    }

    @Test("refuses a platform that the game is not on, and unknown games")
    func wrongPlatform() throws {
        let only = try database.makeGames(["Only on PlayStation 4"])[0]
        let wrong = try broken {
            try session.query(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                VALUES ($1, 1, $2, 6)
                """, [.uuid(user), .int(only)])
        }
        #expect(wrong == "entries_game_platform_fkey")
        try fill(1)
        #expect(
            try broken { try session.execute("UPDATE entries SET game_id = 2000000000") }
                == "entries_game_platform_fkey")
        #expect(
            try broken { try session.execute("DELETE FROM game_platforms") }
                == "entries_game_platform_fkey")
    }

    @Test("refuses a comment of 1,001 characters, and takes 1,000, whatever their bytes")
    func longComment() throws {
        try insert(0, at: 1, comment: String(repeating: "🎮", count: 1_000))
        #expect(
            try broken { try insert(1, at: 2, comment: String(repeating: "a", count: 1_001)) }
                == "entries_comment_check")
    }

    @Test("refuses to move an entry to another user's list")
    func newOwner() throws {
        let other = try database.makeUser("other")
        try fill(2)
        let moved = try broken {
            try session.query(
                "UPDATE entries SET user_id = $1, position = 1 WHERE position = 2", [.uuid(other)])
        }
        #expect(moved == "entries_constant")
        try session.query("UPDATE entries SET user_id = $1", [.uuid(user)])
    }

    @Test("counts right through INSERT, UPDATE and DELETE of many lists at once")
    func counts() throws {
        let others = try (0..<5).map { try database.makeUser("user-\($0)") }
        for (number, other) in others.enumerated() {
            for index in 0..<3 { try insert(index + number % 3, at: index + 1, for: other) }
        }
        #expect(try database.brokenRules() == [])
        let most: Int = try session.query("SELECT max(count) FROM included_by")[0][0]
        #expect(most == 5)
        for statement in [
            "UPDATE entries SET platform_id = 6 WHERE position <> 2",
            "UPDATE entries SET game_id = \(games[7]) WHERE position = 1",
            "UPDATE entries SET comment = 'x', position = 4 - position",
            "UPDATE entries SET platform_id = 54 - platform_id",
            "DELETE FROM entries WHERE position = 3",
            "DELETE FROM users WHERE username IN ('user-0', 'user-3')",
            "DELETE FROM entries",
        ] {
            try session.execute(statement)
            #expect(try database.brokenRules() == [], "after \(statement)")
        }
        #expect(try session.query("SELECT sum(count) FROM included_by")[0][0] as Int == 0)
    }

    @Test("counts nothing of a transaction that is rolled back")
    func rollback() throws {
        try fill(2)
        #expect(throws: TestFailure.self) {
            try session.withTransaction {
                try insert(2, at: 3)
                try session.execute("UPDATE entries SET platform_id = 6")
                throw TestFailure("no")
            }
        }
        #expect(try database.brokenRules() == [])
        #expect(try session.query("SELECT sum(count) FROM included_by")[0][0] == 2)
    }

    @Test("counts nothing any more after TRUNCATE, and the lists have changed")
    func truncate() throws {
        try fill(3)
        let before: Int = try session.query("SELECT version FROM lists")[0][0]
        try session.execute("TRUNCATE entries CASCADE")
        #expect(try database.brokenRules() == [])
        #expect(try session.query("SELECT version FROM lists")[0][0] == before + 1)
        try fill(1)
        #expect(try database.brokenRules() == [])
    }

    @Test("moves a renamed game in the order of rankings")
    func rename() throws {
        let renamed = try database.makeGames(["Zelda", "Äpfel", "mario"])
        for game in renamed { try database.include(game, times: 1) }
        func order() throws -> [Int] {
            try session.query(
                """
                SELECT array_agg(game_id ORDER BY -count, sort_name, game_id) FROM included_by
                WHERE platform_id = 48
                """)[0][0]
        }
        #expect(try order() == [renamed[1], renamed[2], renamed[0]])
        try session.query("UPDATE games SET name = 'Aaa' WHERE id = $1", [.int(renamed[0])])
        #expect(try order() == [renamed[0], renamed[1], renamed[2]])
        #expect(try database.brokenRules() == [])
    }

    @Test("marks a list as changed with every change, also of a position only")
    func versions() throws {
        func version() throws -> Int { try session.query("SELECT version FROM lists")[0][0] }
        var last = try version()
        for change in [
            { try fill(2) },
            { try session.execute("UPDATE entries SET position = 3 - position") },
            { try session.execute("UPDATE entries SET comment = 'x' WHERE position = 1") },
            { try session.execute("DELETE FROM entries WHERE position = 2") },
        ] {
            try change()
            let now = try version()
            #expect(now > last)
            last = now
        }
    }
}
