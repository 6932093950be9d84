import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Racing changes of visibility", .blocking)
struct VisibilityRaceTests {
    private let database: TestDatabase
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        games = try database.games(on: [ps4, pc], 8)
    }

    private static func picks(_ games: [Int], from start: Int) -> [Pick] {
        (0..<5).map {
            Pick(
                game: games[(start + $0) % games.count],
                platform: $0.isMultiple(of: 2) ? ps4 : pc)
        }
    }

    @Test("of fifty lists that change meanwhile never fail, and leave right counts")
    func fiftyLists() async throws {
        let users = try (0..<50).map { try database.makeUser("user-\($0)") }
        try await withStores(2, database, connections: 8) { [games] index, store in
            try await withThrowingTaskGroup { group in
                for number in 0..<25 {
                    let user = users[index * 25 + number]
                    // One who writes the list, and one who changes who may see it.
                    group.addTask {
                        for round in 0..<5 {
                            var picks = Self.picks(games, from: number + round * 3)
                            if round.isMultiple(of: 2) { picks.reverse() }
                            try await store.put(picks, for: user)
                        }
                    }
                    group.addTask {
                        for round in 0..<5 {
                            let visibility = Visibility.allCases[(number + round) % 3]
                            let changed = try await store.change(
                                userID: user, ProfileChanges(visibility: visibility))
                            #expect(changed?.visibility == visibility)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try database.brokenRules() == [])
        let (counted, shown): (Int, Int) = try {
            let row = try database.session().query(
                """
                SELECT (SELECT sum(count) FROM included_by),
                       (SELECT 5 * count(*) FROM users WHERE visibility <> 'private')
                """)[0]
            return (try row[0], try row[1])
        }()
        #expect(counted == shown)
        #expect((1..<250).contains(counted))
    }

    @Test("of one list that two connections change never leave its entries behind")
    func oneList() async throws {
        let user = try database.makeUser("rob")
        try await withStores(2, database, connections: 6) { [games] index, store in
            try await withThrowingTaskGroup { group in
                for number in 0..<30 {
                    group.addTask {
                        if number.isMultiple(of: 2) {
                            try await store.put(
                                Self.picks(games, from: number + index), for: user)
                        } else {
                            _ = try await store.change(
                                userID: user,
                                ProfileChanges(visibility: Visibility.allCases.randomElement()))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try database.brokenRules() == [])
    }

    @Test("with those who disable, rename and delete never fail, and leave right counts")
    func disableAndDelete() async throws {
        let users = try (0..<24).map { try database.makeUser("user-\($0)") }
        async let operators: Void = withStores(3, database, connections: 1) { number, store in
            for round in 0..<24 {
                let user = users[(round * 5 + number) % 24]
                switch number {
                case 0: _ = try await store.setDisabled(round.isMultiple(of: 2), userID: user)
                case 1: _ = try await store.setDisabled(false, userID: user)
                default: if round.isMultiple(of: 3) { try await store.deleteAccount(userID: user) }
                }
            }
        }
        try await withStores(2, database, connections: 6) { [games] index, store in
            try await withThrowingTaskGroup { group in
                for number in 0..<24 {
                    group.addTask {
                        for round in 0..<4 {
                            try await store.put(
                                Self.picks(games, from: number + round + index),
                                for: users[number])
                            if index == 0 {
                                _ = try await store.change(
                                    userID: users[number],
                                    ProfileChanges(
                                        username: Username("user-\(number)-\(round)"),
                                        visibility: Visibility.allCases[round % 3]))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await operators
        #expect(try database.brokenRules() == [])
        #expect(try database.session().query("SELECT count(*) FROM users")[0][0] == 16)
    }

    @Test("with raw inserts are refused or counted right, whichever comes first")
    func rawInserts() async throws {
        let users = try (0..<8).map { try database.makeUser("user-\($0)") }
        let outcomes = Counter()
        try await onThreads(16) { [database, games] number in
            let session = try database.session()
            let user = users[number / 2]
            for round in 0..<12 {
                do {
                    if number.isMultiple(of: 2) {
                        try session.query(
                            "UPDATE users SET visibility = $2 WHERE id = $1",
                            [
                                .uuid(user),
                                .text(Visibility.allCases[round % 3].rawValue),
                            ])
                    } else if round % 4 == 3 {
                        try session.query("DELETE FROM entries WHERE user_id = $1", [.uuid(user)])
                    } else {
                        try session.query(
                            """
                            INSERT INTO entries (user_id, position, game_id, platform_id)
                            VALUES ($1, $2, $3, 48)
                            """,
                            [
                                .uuid(user), .int(round % 4 + 1),
                                .int(games[(number + round) % games.count]),
                            ])
                    }
                    outcomes.increment()
                } catch let error as PostgresError
                    where error.isRetryableConflict
                    || error.constraint?.hasPrefix("entries_") == true
                {}
            }
        }
        #expect(outcomes.value > 8 * 12)
        #expect(try database.brokenRules() == [])
    }

    /// Waits until a statement with this mark waits for a lock.
    private func waitFor(_ mark: String) async throws {
        let watcher = try database.session()
        try await eventually {
            try watcher.query(
                """
                SELECT FROM pg_stat_activity
                WHERE datname = $1 AND wait_event_type = 'Lock' AND query LIKE '%' || $2
                """, [.text(database.name), .text(mark)]
            ).count == 1
        }
    }

    @Test("refuse a raw insert that looked before they were committed")
    func insertLosesToHiding() async throws {
        let user = try database.makeUser("rob")
        let hiding = try database.session()
        try hiding.execute("BEGIN; UPDATE users SET visibility = 'private'")
        async let refusal: Void = onThreads(1) { [database, games] _ in
            let error = #expect(throws: PostgresError.self) {
                try database.session().execute(
                    """
                    INSERT INTO entries (user_id, position, game_id, platform_id)
                    VALUES ('\(user)', 1, \(games[0]), 48) /* late */
                    """)
            }
            #expect(error?.sqlState == SQLState.serializationFailure)
        }
        try await waitFor("/* late */")
        try hiding.execute("COMMIT")
        try await refusal
        #expect(try database.brokenRules() == [])
        #expect(try database.count(of: games[0]) == 0)
    }

    @Test("wait for an insert that came first, and take its entry along")
    func hidingWaitsForInsert() async throws {
        let user = try database.makeUser("rob")
        let inserting = try database.session()
        try inserting.execute(
            """
            BEGIN;
            INSERT INTO entries (user_id, position, game_id, platform_id)
            VALUES ('\(user)', 1, \(games[0]), 48)
            """)
        async let hiding: Void = onThreads(1) { [database] _ in
            try database.session().execute(
                "UPDATE users SET visibility = 'private' /* patient */")
        }
        try await waitFor("/* patient */")
        try inserting.execute("COMMIT")
        try await hiding
        #expect(try database.brokenRules() == [])
        #expect(try database.count(of: games[0]) == 0)
        #expect(try database.session().query("SELECT count(*) FROM entries")[0][0] == 1)
    }
}
