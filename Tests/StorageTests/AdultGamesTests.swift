import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Games that are marked as for adults only, on a site that hides or shows them.
@Suite("A game for adults", .blocking)
struct AdultGamesTests {
    private let database: TestDatabase
    private let session: BlockingSession
    private let store: BulkStore
    private let rob: UUID
    private let ada: UUID
    /// The first of these is marked by the tests. It is on both lists, as is the second, and the third is
    /// on Ada's.
    private let games: [Int]

    init() throws {
        database = try TestDatabase()
        session = try database.session()
        store = BulkStore(session)
        rob = try database.makeUser("rob")
        ada = try database.makeUser("ada")
        games = try database.makeGames(["Aglow", "Beacon", "Candle", "Dusk"])
        try database.insert([games[0], games[1]], for: rob, comment: "Rob says so.")
        try database.insert([games[0], games[1], games[2]], for: ada, comment: "Ada says so.")
    }

    private func counts() throws -> [Int] {
        #expect(try database.brokenRules() == [])
        return try games.map { try database.count(of: $0) }
    }

    /// What IGDB tells of the first game.
    private func fetched(theme: Bool? = nil, rating: Bool? = nil, ratingCount: Int = 1)
        async throws
    {
        let game = FetchedGame(
            game: Game(id: games[0], name: GameTitle("Aglow"), releaseYear: nil, coverImageID: nil),
            type: 0,
            isEdition: false, ratingCount: ratingCount, platformIDs: [ps4],
            screenshotImageIDs: [], hasAdultTheme: theme, hasAdultRating: rating)
        try await withStore(database) { try await $0.keep([game]) }
    }

    @Test("counts nowhere, and leaves no gap in a ranking")
    func ranking() async throws {
        #expect(try counts() == [2, 2, 1, 0])
        try await fetched(theme: true)
        #expect(try counts() == [0, 2, 1, 0])
        try await withStore(database) { [games] store in
            let ranked = try await store.ranking(platform: ps4, limit: 10, quotes: 2).games
            #expect(ranked.map(\.game.id) == [games[1], games[2]])
            #expect(ranked.map(\.rank) == [1, 2])
            #expect(try await store.games(ids: [games[0]]).isEmpty)
            #expect(try await store.heldGames(among: games) == Set(games))
            #expect(try await store.hiddenGames(among: games) == [games[0]])
            let search = try #require(SearchText("aglow"))
            #expect(
                try await store.games(matching: search, platform: nil, limit: 5).allSatisfy {
                    $0.game.id != games[0]
                })
        }
    }

    @Test("is shown, and counted again, while a server says so")
    func setting() async throws {
        try await fetched(rating: true)
        try store.showAdultGames(true)
        #expect(try counts() == [2, 2, 1, 0])
        try store.showAdultGames(true)
        try store.showAdultGames(false)
        #expect(try counts() == [0, 2, 1, 0])
    }

    @Test("keeps its mark if IGDB leaves the field out, and loses it if IGDB says otherwise")
    func refreshing() async throws {
        try await fetched(theme: true, rating: true)
        try await fetched(ratingCount: 2)
        try await fetched(theme: false, ratingCount: 3)
        #expect(try counts() == [0, 2, 1, 0], "the rating still says so")
        try await fetched(rating: false)
        #expect(try counts() == [2, 2, 1, 0])
    }

    @Test("is what an operator says, whatever IGDB says afterwards")
    func byHand() async throws {
        try await fetched(theme: true)
        #expect(try #require(try store.markGame(games[0], isAdult: false)).isHidden == false)
        try await fetched(theme: true, ratingCount: 2)
        #expect(try counts() == [2, 2, 1, 0])
        #expect(try #require(try store.markGame(games[0], isAdult: nil)).isHidden)
        #expect(try counts() == [0, 2, 1, 0])
        #expect(try #require(try store.markGame(games[1], isAdult: true)).isHidden)
        #expect(try counts() == [0, 0, 1, 0])
        #expect(try store.markGame(1_999_999_999, isAdult: true) == nil)
    }

    @Test("stays on a list, and does not come onto another")
    func lists() async throws {
        try await fetched(theme: true)
        try await withStore(database) { [rob, games] store in
            let own = try #require(try await store.list(userID: rob))
            #expect(own.entries.map(\.game.id) == [games[0], games[1]])
            for viewer in [nil, rob] {
                let seen = try await store.list(username: "rob", seenBy: viewer)
                #expect(seen?.entries.map(\.game.id) == [games[1]])
            }
            #expect(try await store.hiddenEntries(of: rob).map(\.game.id) == [games[0]])
            let changed = try await store.changeList(userID: rob) { list in
                var draft = ListDraft(list)
                try draft.insert(
                    DraftEntry(gameID: games[3], platformID: ps4), at: nil)
                return draft
            }
            #expect(changed?.entries.map(\.game.id) == [games[0], games[1], games[3]])
        }
        _ = try store.markGame(games[2], isAdult: true)
        try await withStore(database) { [rob, games] store in
            _ = await #expect(
                throws: ListError.wrongPicks([
                    WrongPick(
                        at: 3, Pick(game: games[2], platform: ps4), .unknownGame)
                ])
            ) {
                _ = try await store.changeList(userID: rob) { list in
                    var draft = ListDraft(list)
                    try draft.insert(DraftEntry(gameID: games[2], platformID: ps4), at: nil)
                    return draft
                }
            }
        }
        #expect(try counts() == [0, 2, 0, 1])
    }

    @Test("was never in a ranking, once it is hidden")
    func pastRanks() async throws {
        try session.query(
            """
            INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
            SELECT 48, current_date - 7, game, rank
            FROM unnest($1::integer[], '{1,1,3,4}'::integer[]) AS r (game, rank)
            """, [.ints(games)])
        try await fetched(theme: true)
        let ranks: [Int] = try session.query(
            "SELECT array_agg(rank ORDER BY game_id) FROM past_ranks")[0][0]
        #expect(ranks == [1, 2, 3])
        #expect(try counts() == [0, 2, 1, 0])
    }

    @Test("is hidden by maintenance and when a server starts, if a save has missed it")
    func missed() async throws {
        try await fetched(theme: true)
        func miss() throws {
            try session.execute(
                """
                ALTER TABLE entries DISABLE TRIGGER entries_audience;
                UPDATE entries SET audience = 'public' WHERE game_id = \(games[0]);
                ALTER TABLE entries ENABLE TRIGGER entries_audience
                """)
            #expect(try !database.brokenRules().isEmpty)
        }
        try miss()
        try store.showAdultGames(false)
        #expect(try counts() == [0, 2, 1, 0])
        try miss()
        _ = try await withStore(database) { try await $0.maintain(.hideMissedEntries) }
        #expect(try counts() == [0, 2, 1, 0])
    }

    @Test("is not among the suggestions of an import, whether it is hidden before or afterwards")
    func imports() async throws {
        try await fetched(theme: true)
        try await withStore(database) { [rob, games] store in
            let rows = ["Aglow", "Dusk"].enumerated().map { index, name in
                var row = ImportedRow(line: index + 2)
                row.name = name
                row.gameID = games[index * 3]
                return row
            }
            let begun = try #require(
                try await store.beginImport(StoredImport(rows), fileName: "x.csv", userID: rob))
            try await store.finishImport(id: begun.id)
            let found = try await store.importRows(userID: rob, areSuggested: true, limit: 10)
            #expect(found.rows.map(\.game?.id) == [games[3]])
        }
        _ = try store.markGame(games[3], isAdult: true)
        try await withStore(database) { [rob] store in
            let found = try await store.importRows(userID: rob, areSuggested: true, limit: 10)
            #expect(found.rows.isEmpty)
            #expect(try await store.importRows(userID: rob, places: [1, 2]).isEmpty)
        }
    }
}
