import Foundation
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import App
@testable import Demo

@Suite("The starter data", .blocking)
struct StarterDataTests {
    @Test("are 220 platforms and 15,221 games, each once, with platforms that there are")
    func starterData() throws {
        let platforms = try StarterData.platforms()
        let games = try StarterData.games()
        #expect(platforms.count == 220)
        #expect(games.count == 15_221)
        let ids = Set(platforms.map(\.platform.id))
        #expect(ids.count == 220)
        #expect(Set(platforms.map(\.platform.slug)).count == 220)
        #expect(Set(games.map(\.game.id)).count == 15_221)
        #expect(DemoCatalogue.ids.isSubset(of: games.map(\.game.id)))
        #expect(games.count { $0.game.coverImageID == nil } == 9)
        for game in games {
            #expect(!game.platformIDs.isEmpty, "\(game.game.name)")
            #expect(ids.isSuperset(of: game.platformIDs), "\(game.game.name)")
            #expect(Set(game.platformIDs).count == game.platformIDs.count, "\(game.game.name)")
        }
        #expect(DemoCatalogue.favoured.keys.allSatisfy(ids.contains))
    }

    @Test("fill a database once, and then say that there is nothing to do")
    func seeding() throws {
        let database = try TestDatabase(.migrated)
        let store = BulkStore(try database.session())
        #expect(try store.seed(StarterData.platforms()).added == 220)
        #expect(try store.seed(StarterData.games()).added == 15_221)
        #expect(
            try store.seed(StarterData.platforms())
                == BulkStore.Changes(added: 0, updated: 0, unchanged: 220))
        #expect(
            try store.seed(StarterData.games())
                == BulkStore.Changes(added: 0, updated: 0, unchanged: 15_221))
        withExtendedLifetime(database) {}
    }
}

@Suite("Demo lists in a database", .blocking)
struct DemoLoadTests {
    private static func load(_ count: Int, into database: TestDatabase, seed: UInt64) throws {
        let lists = DemoLists(
            seed: seed,
            games: try StarterData.demoGames().map {
                DemoCatalogue.Game(
                    id: $0.game.id, name: $0.game.name.main, year: $0.game.releaseYear,
                    platforms: $0.platformIDs)
            })
        let store = BulkStore(try database.session())
        for start in stride(from: 0, to: count, by: 1_000) {
            let batch = try (start..<min(count, start + 1_000)).map { number in
                let user = lists.user(number)
                return ListSeed(
                    username: user.username, displayName: user.displayName,
                    madeAt: Date(timeIntervalSince1970: 1_700_000_000 - Double(user.ageInSeconds)),
                    entries: try user.entries.map {
                        try .init(
                            gameID: $0.gameID, platformID: $0.platformID,
                            comment: .init($0.comment))
                    })
            }
            let added = try store.load(batch)
            #expect(added.users == batch.count)
            #expect(added.entries == batch.map(\.entries.count).reduce(0, +))
        }
    }

    private static func digest(_ database: TestDatabase) throws -> String {
        try database.session().query(
            """
            SELECT md5(string_agg(concat_ws('|', username, display_name, lists.updated_at,
                       position, game_id, platform_id, comment), '#' ORDER BY username, position))
            FROM users JOIN lists ON lists.user_id = users.id
            LEFT JOIN entries ON entries.user_id = users.id
            """)[0][0]
    }

    @Test("keep the rules and the counts, and are the same for the same seed")
    func load() throws {
        let databases = try (0..<3).map { _ in try TestDatabase() }
        for (database, seed) in zip(databases, [7, 7, 8] as [UInt64]) {
            try Self.load(2_500, into: database, seed: seed)
            let session = try database.session()
            #expect(try BulkStore(session).countDifferences() == [])
            let broken: Int = try session.query(
                """
                SELECT count(*) FROM (
                    SELECT FROM entries GROUP BY user_id
                    HAVING max(position) <> count(*) OR count(*) > 5
                ) bad
                """)[0][0]
            #expect(broken == 0)
            let ranked: Int = try session.query(
                "SELECT count(*) FROM included_by WHERE platform_id IN (48, 130, 6, 49)")[0][0]
            #expect(ranked > 100)
        }
        let digests = try databases.map(Self.digest)
        #expect(digests[0] == digests[1])
        #expect(digests[0] != digests[2])
    }
}
