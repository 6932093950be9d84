import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Compares everything that says a rank with one reference, for the same entries: many games with
/// equal counts, of which some also have equal names.
@Suite("A rank", .blocking)
struct RankOrderTests {
    private struct Place: Hashable, Comparable, CustomStringConvertible {
        let game: Int
        let name: String
        let count: Int
        var rank = 0

        var description: String { "\(rank). \(game) (\(count))" }

        static func < (one: Self, other: Self) -> Bool {
            (-one.count, one.name, one.game) < (-other.count, other.name, other.game)
        }
    }

    private static let people = 60
    private let database: TestDatabase
    /// By rank.
    private let reference: [Place]

    /// Gives sixty people lists with 130 games for PlayStation 4. The first has its rank alone; the
    /// hundredth place, the last that is recorded of a day, is one of fifty with the same rank.
    init() throws {
        database = try TestDatabase()
        let ids = try database.makeGames(
            (0..<130).map { "\($0 < 65 ? "Game" : "game") \($0 % 65)" })
        let counts = [(1, 12), (4, 9), (15, 4), (60, 2), (50, 1)].flatMap { games, count in
            Array(repeating: count, count: games)
        }
        let games = ids.indices.map { index in
            Place(
                game: ids[index], name: "game \(index % 65)", count: counts[index * 59 % 130])
        }
        var lists = [[DraftEntry]](repeating: [], count: Self.people)
        for (turn, game) in games.flatMap({ Array(repeating: $0.game, count: $0.count) })
            .enumerated()
        {
            lists[turn % Self.people].append(DraftEntry(gameID: game, platformID: ps4))
        }
        _ = try BulkStore(database.session()).load(
            lists.enumerated().map { number, entries in
                ListSeed(
                    username: "fan-\(number)", displayName: "Fan",
                    madeAt: Date(timeIntervalSinceNow: -30 * 86_400), entries: entries)
            })
        reference = Self.ranked(games)
    }

    private var session: BlockingSession { get throws { try database.session() } }

    /// The rule, as simply as it can be said.
    private static func ranked(_ games: [Place]) -> [Place] {
        games.sorted().map { game in
            var game = game
            game.rank = 1 + games.count { $0.count > game.count }
            return game
        }
    }

    @Test(
        "is the same on pages in both directions, of a game, in tops, of circles, in news and of a day"
    )
    func everywhere() async throws {
        try await withStore(database) { store in
            try await expectRanks(reference, store)
            // What nobody should see any more is out of all rankings, also those of earlier days.
            let hidden = reference[2]
            _ = try BulkStore(session).markGame(hidden.game, isAdult: true)
            let others = reference.filter { $0 != hidden }
            try expectPastRanks(Array(Self.ranked(others).prefix(Movement.storedRanks - 1)))
            try await expectRanks(Self.ranked(others), store)
        }
    }

    private func expectRanks(_ reference: [Place], _ store: Store) async throws {
        for limit in [3, 10, 64] {
            let pages = try await Self.pages(store, limit)
            #expect(pages.forth == reference.map { Found($0) }, "\(limit) to a page")
            #expect(pages.back == reference.map { Found($0) }, "\(limit) to a page, backwards")
        }
        for tops in [
            try await store.platformTops(games: 100),
            try await store.platformTops(ids: [ps4], games: 100),
        ] {
            #expect(
                tops.map { $0.games.map { Found($0) } } == [reference.prefix(100).map { Found($0) }]
            )
        }
        for place in reference {
            let standing = try #require(try await store.standings(game: place.game).first)
            #expect(standing.rank == place.rank && standing.includedBy == place.count)
            #expect(standing.isTied == (reference.count { $0.count == place.count } > 1))
            #expect(standing.highestCount == reference[0].count)
        }
        try await expectCircleRanks(reference, store)
        try await expectNews(reference, store)

        try session.execute("DELETE FROM past_ranks")
        try await store.noteRanks()
        try session.execute("UPDATE past_ranks SET taken_on = taken_on - 7")
        try expectPastRanks(Array(reference.prefix(Movement.storedRanks)))
        let noted = try await store.pastRanks(platform: ps4)
        let movements = reference.prefix(Movement.storedRanks).map {
            noted.movement(of: $0.game, to: $0.rank)
        }
        #expect(movements.allSatisfy { $0 == .same })
        try session.execute("DELETE FROM past_ranks")
        try BulkStore(session).deriveLastWeeksRanks()
        try expectPastRanks(Array(reference.prefix(Movement.storedRanks)))
    }

    /// What a ranking says of a game.
    private struct Found: Hashable, CustomStringConvertible {
        let game: Int
        let rank: Int
        let count: Int

        init(_ place: Place) { (game, rank, count) = (place.game, place.rank, place.count) }
        init(_ ranked: RankedGame) {
            (game, rank, count) = (ranked.game.id, ranked.rank, ranked.includedBy)
        }

        var description: String { "\(rank). \(game) (\(count))" }
    }

    private static func pages(
        _ store: Store, _ limit: Int
    ) async throws -> (forth: [Found], back: [Found]) {
        var page = try await store.ranking(platform: ps4, limit: limit, quotes: 0)
        var forth = page.games
        while let next = page.next {
            page = try await store.ranking(platform: ps4, limit: limit, quotes: 0, at: next)
            forth += page.games
        }
        var back = page.games
        while let previous = page.previous {
            page = try await store.ranking(platform: ps4, limit: limit, quotes: 0, at: previous)
            back = page.games + back
        }
        return (forth.map { Found($0) }, back.map { Found($0) })
    }

    /// Of a circle that everyone is in.
    private func expectCircleRanks(_ reference: [Place], _ store: Store) async throws {
        let people: [UUID] = try session.query(
            "SELECT array_agg(id ORDER BY username) FROM users")[0][0]
        let circle = try await store.makeCircle(
            of: people[0], name: #require(CircleName("Everyone")), description: .empty,
            visibility: .public)
        for person in people.dropFirst() {
            try session.query(
                "SELECT add_circle_member($1, $2, false)", [.uuid(circle), .uuid(person)])
        }
        let view = try #require(try await store.circle(id: circle, seenBy: nil))
        let rankings = try await store.rankings(of: view, games: 1...100)
        let rest = try await store.rankings(of: view, games: 101...200)
        #expect((rankings + rest).flatMap(\.games).map { Found($0) } == reference.map { Found($0) })
        let common = try await store.commonGames(of: view)
        #expect(common.map(\.game.id) == reference.filter { $0.count > 1 }.map(\.game))
        try await store.deleteCircle(id: circle, by: people[0])
    }

    /// Of everyone's number one, which has risen from far below.
    private func expectNews(_ reference: [Place], _ store: Store) async throws {
        try session.execute(
            """
            DELETE FROM past_ranks;
            INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
            SELECT platform_id, current_date - 9, game_id, 999 FROM included_by WHERE count > 0
            """)
        for row in try session.query(
            """
            SELECT user_id, game_id FROM entries WHERE position = 1 AND audience = 'public'
            """)
        {
            let (person, game): (UUID, Int) = (try row[0], try row[1])
            let news = try await store.news(
                of: person, since: Date(timeIntervalSinceNow: -3 * 86_400))
            #expect(news.numberOne?.to == reference.first { $0.game == game }?.rank)
        }
    }

    private func expectPastRanks(_ expected: [Place]) throws {
        let found = try session.query("SELECT game_id, rank FROM past_ranks").map { row in
            (try row[0], try row[1]) as (Int, Int)
        }
        let ranks = Dictionary(uniqueKeysWithValues: found)
        #expect(
            ranks == Dictionary(uniqueKeysWithValues: expected.map { ($0.game, $0.rank) }))
    }
}
