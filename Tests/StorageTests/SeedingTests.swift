import FaveGames
import Foundation
import Languages
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Seeding", .blocking)
struct SeedingTests {
    private let database: TestDatabase
    private let session: BlockingSession
    private var store: BulkStore { BulkStore(session) }

    init() throws {
        database = try TestDatabase(.migrated)
        session = try database.session()
    }

    private func platform(
        _ id: Int, _ slug: String, _ name: String, generation: Int? = nil
    ) -> PlatformSeed {
        PlatformSeed(
            platform: Platform(id: id, slug: slug, name: name, abbreviation: nil),
            generation: generation, family: nil)
    }

    private func game(
        _ id: Int, _ name: String, on platforms: [Int], names: [GameName?] = []
    ) -> GameSeed {
        let names = names.compactMap(\.self)
        return GameSeed(
            game: Game(
                id: id, name: GameTitle(name, names: names), releaseYear: nil, coverImageID: nil),
            platformIDs: platforms, names: names)
    }

    @Test("platforms a second time changes nothing and says so")
    func platformsTwice() throws {
        let seeds = [platform(1, "one", "One", generation: 3), platform(2, "two", "Two")]
        #expect(
            try store.seed(seeds) == BulkStore.Changes(added: 2, updated: 0, unchanged: 0))
        #expect(
            try store.seed(seeds) == BulkStore.Changes(added: 0, updated: 0, unchanged: 2))
    }

    @Test("platforms updates those that differ, also if they swap their slugs, and deletes none")
    func renamedPlatforms() throws {
        _ = try store.seed([platform(1, "a", "A"), platform(2, "b", "B"), platform(3, "c", "C")])
        let changes = try store.seed([
            platform(1, "b", "B"), platform(2, "a", "A"), platform(4, "d", "D"),
        ])
        #expect(changes == BulkStore.Changes(added: 1, updated: 2, unchanged: 0))
        let slugs: [String] = try session.query(
            "SELECT array_agg(slug ORDER BY id) FROM platforms")[0][0]
        #expect(slugs == ["b", "a", "c", "d"])
    }

    @Test("platforms keeps none of them if one is not right")
    func badPlatform() throws {
        for bad in ["", "Upper", "123", "a b", "é"] {
            #expect(throws: PostgresError.self) {
                try store.seed([platform(1, "good", "Good"), platform(2, bad, "Bad")])
            }
        }
        #expect(try session.query("SELECT count(*) FROM platforms")[0][0] == 0)
    }

    @Test("games adds what is missing, updates the others, and keeps what IGDB has said")
    func games() throws {
        _ = try store.seed([platform(1, "a", "A"), platform(2, "b", "B")])
        let seeds = [game(10, "Ten", on: [1]), game(11, "Eleven", on: [1, 2])]
        #expect(
            try store.seed(seeds) == BulkStore.Changes(added: 2, updated: 0, unchanged: 0))
        #expect(
            try store.seed(seeds) == BulkStore.Changes(added: 0, updated: 0, unchanged: 2))
        try session.execute("UPDATE games SET fetched_at = now() WHERE id = 10")
        let changes = try store.seed([
            game(10, "Other name", on: [1, 2]), game(11, "Elevenses", on: [1]),
            game(12, "Twelve", on: [2]),
        ])
        #expect(changes == BulkStore.Changes(added: 1, updated: 2, unchanged: 0))
        let names: [String] = try session.query(
            "SELECT array_agg(name ORDER BY id) FROM games")[0][0]
        #expect(names == ["Ten", "Elevenses", "Twelve"])
        #expect(try session.query("SELECT count(*) FROM game_platforms")[0][0] == 5)
    }

    @Test("games says what readers of other languages call them, until IGDB does")
    func localizedNames() throws {
        _ = try store.seed([platform(1, "a", "A")])
        func seed(_ names: [GameName?]) throws -> String {
            _ = try store.seed([game(10, "Ten", on: [1], names: names)])
            return try session.query("SELECT localized_names FROM games")[0][0]
        }
        let ten = GameName("テン", language: .ja)
        #expect(
            try seed([ten, GameName("10"), GameName("열", language: .ko)]) == "ja=テン\nko=열")
        #expect(try session.query("SELECT count(*) FROM game_names")[0][0] == 3)
        #expect(try seed([ten]) == "ja=テン")
        #expect(try seed([]) == "")
        #expect(try seed([ten]) == "ja=テン")
        try session.execute("UPDATE games SET fetched_at = now()")
        #expect(try seed([]) == "ja=テン")
    }

    @Test("games is followed by IGDB's names, which replace those of the same language")
    func fetchedNames() async throws {
        func keep(_ names: [GameName?]) async throws -> String {
            let names = names.compactMap(\.self)
            let game = Game(
                id: 10, name: GameTitle("Ten", names: names), releaseYear: nil, coverImageID: nil)
            try await withStore(database) { store in
                try await store.keep([
                    FetchedGame(
                        game: game, type: 0, isEdition: false, ratingCount: 1, platformIDs: [],
                        screenshotImageIDs: [], names: names)
                ])
            }
            return try session.query("SELECT localized_names FROM games")[0][0]
        }
        let ten = GameName("テン", language: .ja)
        #expect(try await keep([ten]) == "ja=テン")
        #expect(try await keep([ten, GameName("열", language: .ko)]) == "ja=テン\nko=열")
        #expect(try await keep([]) == "ja=テン\nko=열")
        #expect(try await keep([GameName("십", language: .ko)]) == "ko=십\nja=テン")
    }

    @Test("games for platforms that are not there fails, and keeps no game")
    func gamesWithoutPlatforms() throws {
        let error = #expect(throws: PostgresError.self) {
            try store.seed([game(10, "Ten", on: [1])])
        }
        #expect(error?.constraint == "game_platforms_platform_id_fkey")
        #expect(try session.query("SELECT count(*) FROM games")[0][0] == 0)
    }

    @Test("lists leaves out those whose username is taken, and dates the others back")
    func lists() throws {
        _ = try store.seed([platform(48, "ps4", "PlayStation 4")])
        _ = try store.seed([game(10, "Ten", on: [48])])
        let madeAt = Date(timeIntervalSince1970: 1_600_000_000)
        let seeds = try ["ann", "bob"].map {
            ListSeed(
                username: $0, displayName: "\($0)\t\\ 🎮", madeAt: madeAt,
                entries: [
                    DraftEntry(
                        gameID: 10, platformID: 48, comment: try Comment("two\nlines \\ \"q\""))
                ])
        }
        let first = try store.load([seeds[0]])
        #expect(first == (1, 1))
        let both = try store.load(seeds)
        #expect(both == (1, 1))
        #expect(try database.brokenRules() == [])
        let row = try session.query(
            """
            SELECT u.display_name, u.created_at, l.updated_at, e.created_at, e.comment
            FROM users u JOIN lists l ON l.user_id = u.id JOIN entries e ON e.user_id = u.id
            WHERE username = 'bob'
            """)[0]
        #expect(try row[0] == "bob\t\\ 🎮")
        for column in 1...3 { #expect(try row[column] == madeAt) }
        #expect(try row[4] == "two\nlines \\ \"q\"")
    }

    @Test("lists that break a rule keeps none of them")
    func badLists() throws {
        _ = try store.seed([platform(48, "ps4", "PlayStation 4")])
        _ = try store.seed([game(10, "Ten", on: [48])])
        let good = DraftEntry(gameID: 10, platformID: 48)
        for bad in [[good, good], [DraftEntry(gameID: 11, platformID: 48)]] {
            #expect(throws: PostgresError.self) {
                try store.load([
                    ListSeed(username: "ann", displayName: "A", madeAt: Date(), entries: [good]),
                    ListSeed(username: "bob", displayName: "B", madeAt: Date(), entries: bad),
                ])
            }
        }
        #expect(try store.hasNoUsers())
        #expect(try database.brokenRules() == [])
    }
}

@Suite("Recounting", .blocking)
struct RecountTests {
    private let database: TestDatabase
    private let session: BlockingSession

    init() throws {
        database = try TestDatabase()
        session = try database.session()
    }

    @Test(
        "finds and corrects counts and names that are not what they should be, as maintenance does",
        arguments: [false, true])
    func tampered(byMaintenance: Bool) async throws {
        let games = try database.makeGames(["A", "B", "C", "D"])
        for game in games.prefix(3) { try database.include(game, times: 3) }
        let store = BulkStore(session)
        #expect(try store.countDifferences() == [])
        try session.execute(
            """
            UPDATE included_by SET count = 7 WHERE game_id = \(games[0]);
            UPDATE included_by SET sort_name = 'zzz' WHERE game_id = \(games[1]);
            DELETE FROM included_by WHERE game_id = \(games[2]);
            INSERT INTO included_by VALUES (48, \(games[3]), 'd', 2);
            """)
        let differences = try store.countDifferences()
        #expect(
            differences == [
                CountDifference(platformID: 48, gameID: games[0], stored: 7, actual: 3),
                CountDifference(platformID: 48, gameID: games[1], stored: 3, actual: 3),
                CountDifference(platformID: 48, gameID: games[2], stored: 0, actual: 3),
                CountDifference(platformID: 48, gameID: games[3], stored: 2, actual: 0),
            ])
        if byMaintenance {
            _ = try await withStore(database) { try await $0.maintain(.mendCounts) }
        } else {
            #expect(try store.mendCounts() == 4)
        }
        #expect(try store.countDifferences() == [])
    }
}
