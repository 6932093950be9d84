import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Racing writers", .blocking)
struct RaceTests {
    private let database: TestDatabase
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        games = try database.games(on: [ps4, pc], 8)
    }

    private static func randomPick(_ games: [Int]) -> Pick {
        Pick(game: games.randomElement() ?? 0, platform: Bool.random() ? ps4 : pc)
    }

    /// Some change, as one of the API's would be.
    private static func change(_ list: FaveList, _ games: [Int]) throws -> ListDraft {
        var draft = ListDraft(list)
        let entry = DraftEntry(randomPick(games))
        switch Int.random(in: 0..<10) {
        case 0..<4:
            try draft.insert(entry, at: Bool.random() ? 1 : nil)
        case 4..<6:
            if let old = list.entries.randomElement() { try draft.remove(old.id) }
        case 6..<8:
            if let old = list.entries.randomElement() {
                let comment = try Comment("\(Int.random(in: 0..<9))")
                try draft.change(old.id, position: Int.random(in: 1...list.entries.count)) {
                    if Bool.random() { $0.gameID = entry.gameID }
                    $0.comment = comment
                }
            }
        default:
            let picks = Set((0..<5).map { _ in randomPick(games) })
            draft = try ListDraft(picks.shuffled().map(DraftEntry.init), replacing: list)
        }
        return draft
    }

    @Test("of one list, two hundred of them, leave a valid list and right counts")
    func oneList() async throws {
        let user = try database.makeUser("rob")
        let written = Counter()
        try await withStores(4, database, connections: 5) { [games] _, store in
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 {
                    group.addTask {
                        do {
                            let list = try await store.changeList(userID: user) {
                                try Self.change($0, games)
                            }
                            let entries = try #require(list).entries
                            #expect(entries.map(\.position) == (0..<entries.count).map { $0 + 1 })
                            written.increment()
                        } catch ListError.tooManyEntries, ListError.duplicateGame {
                            // As it happened to be, the list could not be changed so.
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(written.value > 50)
        #expect(try database.brokenRules() == [])
    }

    @Test("of one list that insert raw rows never fill more than five places")
    func rawInserts() async throws {
        let user = try database.makeUser("rob")
        try database.session().execute(
            "ALTER DATABASE \(database.name) SET deadlock_timeout = '20ms'")
        let inserted = Counter()
        try await onThreads(20) { [database, games] number in
            let session = try database.session()
            // On a busy machine ten are not always enough to get through.
            for attempt in 0..<200 where attempt < 10 || inserted.value < 5 {
                do {
                    // Reads and then writes, as a program that knows no better would.
                    try session.query(
                        """
                        INSERT INTO entries (user_id, position, game_id, platform_id)
                        SELECT $1, count(*) + 1, $2, $3 FROM entries WHERE user_id = $1
                        """,
                        [
                            .uuid(user), .int(games[(number + attempt) % games.count]),
                            .int(attempt.isMultiple(of: 2) ? ps4 : pc),
                        ])
                    inserted.increment()
                } catch let error as PostgresError
                    where error.constraint?.hasPrefix("entries_") == true
                {
                } catch let error as PostgresError
                    where error.sqlState == SQLState.deadlockDetected
                {
                    // Without a pause it would be back before those it waited for are through, and
                    // twenty such programs keep each other from writing anything.
                    usleep(.random(in: 0..<100_000))
                }
            }
        }
        #expect(inserted.value == 5)
        #expect(try database.brokenRules() == [])
    }

    @Test("of one list, raw and by the program, leave a valid list and right counts")
    func rawAndStore() async throws {
        let user = try database.makeUser("rob")
        // Raw writers and the program lock in different orders, so there will be deadlocks.
        try database.session().execute(
            "ALTER DATABASE \(database.name) SET deadlock_timeout = '20ms'")
        async let raw: Void = onThreads(8) { [database, games] number in
            let session = try database.session()
            for attempt in 0..<25 {
                let pick = Self.randomPick(games)
                let statement =
                    switch (number + attempt) % 4 {
                    case 0, 1:
                        """
                        INSERT INTO entries (user_id, position, game_id, platform_id)
                        SELECT $1, count(*) + 1, $2, $3 FROM entries WHERE user_id = $1
                        """
                    case 2:
                        """
                        DELETE FROM entries WHERE user_id = $1 AND $2::int > 0 AND $3::int > 0
                        AND position = (SELECT max(position) FROM entries WHERE user_id = $1)
                        """
                    default:
                        """
                        UPDATE entries SET game_id = $2, platform_id = $3
                        WHERE user_id = $1 AND position = 1
                        """
                    }
                do {
                    try session.query(
                        statement, [.uuid(user), .int(pick.game), .int(pick.platform)])
                } catch let error as PostgresError
                    where error.sqlState == SQLState.deadlockDetected
                    || error.constraint?.hasPrefix("entries_") == true
                {}
            }
        }
        try await withStores(2, database, connections: 4) { [games] _, store in
            for _ in 0..<40 {
                do {
                    _ = try await store.changeList(userID: user) { try Self.change($0, games) }
                } catch is ListError {
                    // The raw writers come in between: `changedMeanwhile`, too.
                } catch let error as PostgresError where error.isRetryableConflict {
                    // Only they lock in another order.
                }
            }
        }
        try await raw
        #expect(try database.brokenRules() == [])
    }

    @Test("of fifty lists with the same games never fail, and leave right counts")
    func manyLists() async throws {
        let users = try (0..<50).map { try database.makeUser("user-\($0)") }
        try await withStores(2, database, connections: 8) { [games] index, store in
            try await withThrowingTaskGroup { group in
                for number in 0..<25 {
                    let user = users[index * 25 + number]
                    group.addTask {
                        for round in 0..<6 {
                            // Whole lists in opposite orders, half of the picks new each time.
                            let start = (number + round * 3) % games.count
                            var picks = (0..<5).map {
                                Pick(
                                    game: games[(start + $0) % games.count],
                                    platform: $0.isMultiple(of: 2) ? ps4 : pc)
                            }
                            if (number + round).isMultiple(of: 2) { picks.reverse() }
                            try await store.put(picks, for: user)
                            let changed = try await store.changeList(userID: user) { list in
                                var draft = ListDraft(list)
                                try draft.remove(list.entries[round % list.entries.count].id)
                                return draft
                            }
                            #expect(changed?.entries.count == 4)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try database.brokenRules() == [])
        let total: Int = try database.session().query("SELECT sum(count) FROM included_by")[0][0]
        #expect(total == 200)
    }

    @Test("of several lists in one statement never wait for each other in a circle")
    func severalListsAtOnce() async throws {
        let users = try (0..<16).map { try database.makeUser("user-\($0)") }
        try await onThreads(8) { [database, games] number in
            let session = try database.session()
            let mine = PostgresParameter.uuids([users[number], users[15 - number]])
            for _ in 0..<10 {
                try session.query(
                    """
                    INSERT INTO entries (user_id, position, game_id, platform_id)
                    SELECT owner, place, game, 48
                    FROM unnest($1::uuid[]) AS owner,
                         unnest($2::integer[]) WITH ORDINALITY AS pick (game, place)
                    """, [mine, .ints(games.shuffled().prefix(5))])
                try session.query(
                    """
                    UPDATE entries SET platform_id = 54 - platform_id, position = 6 - position
                    WHERE user_id = ANY ($1::uuid[])
                    """, [mine])
                try session.query("DELETE FROM entries WHERE user_id = ANY ($1::uuid[])", [mine])
            }
        }
        #expect(try database.brokenRules() == [])
    }
}

extension DraftEntry {
    init(_ pick: Pick) { self.init(gameID: pick.game, platformID: pick.platform) }
}
