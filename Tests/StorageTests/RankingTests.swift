import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("A ranking", .blocking)
struct RankingTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase() }

    private func make(_ counts: [(String, Int)]) throws -> [Int] {
        let ids = try database.makeGames(counts.map(\.0))
        for (id, count) in zip(ids, counts.map(\.1)) { try database.include(id, times: count) }
        return ids
    }

    /// All pages of a size.
    private static func pages(
        _ store: Store, limit: Int, between: (Int) throws -> Void = { _ in }
    ) async throws -> [[RankedGame]] {
        var pages: [[RankedGame]] = []
        var cursor: RankingCursor?
        repeat {
            let page = try await store.ranking(
                platform: ps4, limit: limit, quotes: 1, at: cursor)
            pages.append(page.games)
            cursor = page.next
            try between(pages.count)
        } while cursor != nil && pages.count < 100
        return pages
    }

    @Test(
        "is ordered by count, then name whatever its case and accents, then id; equals share ranks")
    func order() async throws {
        let ids = try make([
            ("zebra", 3), ("Ähre", 1), ("Boot", 3), ("ahoi", 1), ("Twin", 2), ("twin", 2),
            ("Never", 0),
        ])
        try await withStore(database) { store in
            let ranking = try await store.ranking(platform: ps4, limit: 20, quotes: 0)
            #expect(ranking.games.map(\.game.id) == [2, 0, 4, 5, 3, 1].map { ids[$0] })
            #expect(ranking.games.map(\.rank) == [1, 1, 3, 3, 5, 5])
            #expect(ranking.games.map(\.includedBy) == [3, 3, 2, 2, 1, 1])
            #expect(ranking.next == nil)
            #expect(try await store.ranking(platform: pc, limit: 20, quotes: 0).games.isEmpty)
        }
    }

    @Test("has every game once over its pages, with the ranks of the whole", arguments: 1...8)
    func pages(limit: Int) async throws {
        let ids = try make([
            ("a", 3), ("b", 3), ("c", 3), ("d", 2), ("e", 1), ("f", 1), ("g", 1),
        ])
        try await withStore(database) { store in
            let pages = try await Self.pages(store, limit: limit)
            let games = pages.flatMap { $0 }
            #expect(games.map(\.game.id) == ids)
            #expect(games.map(\.rank) == [1, 1, 1, 4, 5, 5, 5])
            #expect(pages.count == (7 + limit - 1) / limit)
            #expect(pages.dropLast().allSatisfy { $0.count == limit })
        }
    }

    @Test("is the same page by page from its end", arguments: 1...8)
    func backwards(limit: Int) async throws {
        _ = try make([("a", 3), ("b", 3), ("c", 3), ("d", 2), ("e", 1), ("f", 1), ("g", 1)])
        try await withStore(database) { store in
            let forth = try await Self.pages(store, limit: limit)
            var page = try await store.ranking(platform: ps4, limit: limit, quotes: 1)
            #expect(page.previous == nil)
            while let next = page.next {
                page = try await store.ranking(platform: ps4, limit: limit, quotes: 1, at: next)
            }
            var back = [page.games]
            while let previous = page.previous, back.count < 100 {
                let later = page
                page = try await store.ranking(
                    platform: ps4, limit: limit, quotes: 1, at: previous)
                back.append(page.games)
                // Where it came from, with the same ranks.
                let again = try await store.ranking(
                    platform: ps4, limit: limit, quotes: 1, at: page.next)
                #expect(again.games.map(\.game.id) == later.games.map(\.game.id))
                #expect(again.games.map(\.rank) == later.games.map(\.rank))
            }
            let order = back.reversed()
            #expect(order.map { $0.map(\.game.id) } == forth.map { $0.map(\.game.id) })
            #expect(order.map { $0.map(\.rank) } == forth.map { $0.map(\.rank) })
        }
    }

    @Test("leads back over what it has shown when another game comes in between")
    func stableBackwards() async throws {
        let ids = try make([("a", 4), ("b", 3), ("c", 3), ("d", 2), ("e", 2), ("f", 1)])
        try await withStore(database) { [database] store in
            let first = try await store.ranking(platform: ps4, limit: 3, quotes: 0)
            let second = try await store.ranking(
                platform: ps4, limit: 3, quotes: 0, at: first.next)
            // Among those of the first page, which now has one too many.
            let new = try database.games(on: [ps4, pc], 1)[0]
            try database.include(new, times: 3)
            #expect(second.previous != nil)
            let back = try await store.ranking(
                platform: ps4, limit: 3, quotes: 0, at: second.previous)
            let all = try await store.ranking(platform: ps4, limit: 4, quotes: 0).games
            #expect(Set(all.map(\.game.id)) == Set(ids.prefix(3) + [new]))
            #expect(back.games.map(\.game.id) == all.suffix(3).map(\.game.id))
            #expect(back.games.map(\.rank) == all.suffix(3).map(\.rank))
            #expect(back.previous != nil)
            let before = try await store.ranking(
                platform: ps4, limit: 3, quotes: 0, at: back.previous)
            #expect(before.games.map(\.game.id) == [ids[0]])
            #expect(before.previous == nil)
            let beyond = try await store.ranking(
                platform: ps4, limit: 3, quotes: 0,
                at: RankingCursor(
                    .before, platformID: ps4, includedBy: 99, sortName: "", gameID: 1, rank: 1,
                    position: 1))
            #expect(beyond.games.isEmpty)
            #expect(beyond.next == nil)
        }
    }

    @Test("shows every game of a big catalogue once over its pages")
    func bigCatalogue() async throws {
        let all = try database.games(on: [ps4], 120)
        let session = try database.session()
        _ = try BulkStore(session).load(
            (0..<300).map { number in
                ListSeed(
                    username: "user-\(number)", displayName: "User", madeAt: Date(),
                    entries: (0..<5).map {
                        // Game n on about 300/n lists: many equal counts.
                        DraftEntry(
                            gameID: all[(number * ($0 + 1) + $0) % (24 * ($0 + 1))], platformID: ps4
                        )
                    }.reduce(into: []) { entries, entry in
                        if !entries.map(\.pick).contains(entry.pick) { entries.append(entry) }
                    })
            })
        try await withStore(database) { store in
            let whole = try await store.ranking(platform: ps4, limit: 100, quotes: 0).games
            for limit in [7, 33] {
                let games = try await Self.pages(store, limit: limit).flatMap { $0 }
                #expect(Set(games.map(\.game.id)).count == games.count)
                #expect(games.prefix(100).map(\.game.id) == whole.map(\.game.id))
                #expect(games.prefix(100).map(\.rank) == whole.map(\.rank))
            }
            #expect(Set(whole.map(\.rank)).count < whole.count)
        }
        #expect(try database.brokenRules() == [])
    }

    @Test("goes on where it was when another game overtakes in between")
    func stable() async throws {
        let ids = try make([("a", 4), ("b", 3), ("c", 3), ("d", 2), ("e", 2), ("f", 1)])
        try await withStore(database) { [database] store in
            let pages = try await Self.pages(store, limit: 2) { page in
                guard page == 1 else { return }
                // A game that nobody had comes in above what is on the first page.
                try database.include(database.games(on: [ps4, pc], 1)[0], times: 9)
            }
            #expect(pages.flatMap { $0 }.map(\.game.id) == ids)
        }
    }

    @Test("quotes the latest comments, the latest first, as many as asked for")
    func quotes() async throws {
        let ids = try make([("a", 0), ("b", 1)])
        try database.include(ids[0], times: 6) { $0 == 4 ? "" : "comment \($0)" }
        try await withStore(database) { store in
            for (limit, expected) in [(3, [5, 3, 2]), (0, []), (5, [5, 3, 2, 1, 0])] {
                let games = try await store.ranking(platform: ps4, limit: 5, quotes: limit).games
                #expect(games[0].quotes.map(\.comment) == expected.map { "comment \($0)" })
                #expect(games[1].quotes.isEmpty)
            }
            let first = try await store.ranking(platform: ps4, limit: 1, quotes: 5)
            #expect(first.games.count == 1)
            #expect(
                first.games[0].quotes.map(\.displayName) == [5, 3, 2, 1, 0].map { "Fan \($0)" })
            #expect(first.next != nil)
        }
    }

    @Test("tells where a game stands on each of its platforms")
    func standings() async throws {
        let ids = try make([("a", 3), ("b", 2), ("c", 2), ("d", 0)])
        let session = try database.session()
        try session.query("INSERT INTO game_platforms VALUES ($1, 6)", [.int(ids[2])])
        try await withStore(database) { store in
            for (id, expected) in [
                (ids[0], [[48, 3, 1, 0, 3]]), (ids[1], [[48, 2, 2, 1, 3]]),
                (ids[2], [[48, 2, 2, 1, 3], [6, 0, nil, 0, 0]]), (ids[3], [[48, 0, nil, 0, 3]]),
                (2_000_000_000, []),
            ] as [(Int, [[Int?]])] {
                let standings = try await store.standings(game: id).map {
                    [$0.platform.id, $0.includedBy, $0.rank, $0.isTied ? 1 : 0, $0.highestCount]
                }
                #expect(standings == expected)
            }
            #expect(
                try await store.standings(game: ids[2], platform: 6).map(\.platform.id) == [6])
        }
    }

    @Test("counts no further than the counted ranks, and goes on from page to page")
    func manyGames() async throws {
        let session = try database.session()
        // 700 games with three lists each, 700 with two and 100 with one.
        try session.execute(
            """
            INSERT INTO games (id, name)
            SELECT 5000000 + n, 'Game ' || lpad(n::text, 4, '0') FROM generate_series(1, 1500) n;
            INSERT INTO game_platforms SELECT 5000000 + n, 48 FROM generate_series(1, 1500) n;
            INSERT INTO included_by (platform_id, game_id, sort_name, count)
            SELECT 48, id, sort_name,
                   CASE WHEN id <= 5000700 THEN 3 WHEN id <= 5001400 THEN 2 ELSE 1 END
            FROM games WHERE id > 5000000
            """)
        try await withStore(database) { store in
            func standing(_ number: Int) async throws -> [Int?] {
                let found = try await store.standings(game: 5_000_000 + number)
                return [found.first?.rank, found.first?.includedBy]
            }
            #expect(try await standing(700) == [1, 3])
            #expect(try await standing(1400) == [701, 2])
            #expect(try await standing(1500) == [nil, 1])
            var forth = [try await store.ranking(platform: ps4, limit: 100, quotes: 0)]
            while let next = forth.last?.next {
                forth.append(
                    try await store.ranking(platform: ps4, limit: 100, quotes: 0, at: next))
            }
            #expect(forth.count == 15)
            var back = [forth[14].games]
            var previous = forth[14].previous
            while let cursor = previous {
                let page = try await store.ranking(platform: ps4, limit: 100, quotes: 0, at: cursor)
                back.append(page.games)
                previous = page.previous
            }
            #expect(back.reversed().map { $0.map(\.rank) } == forth.map { $0.games.map(\.rank) })
            #expect(forth[10].games.map(\.rank) == Array(repeating: 701, count: 100))
            #expect(forth[14].games[0].rank == 1401)
            // The page between two counts, backwards.
            let middle = try await store.ranking(
                platform: ps4, limit: 70, quotes: 0, at: forth[14].previous)
            let page = try await store.ranking(
                platform: ps4, limit: 100, quotes: 0,
                at: RankingCursor(
                    .before, platformID: ps4, includedBy: 1,
                    sortName: "game 1451", gameID: 5_001_451, rank: 1401, position: 1451))
            #expect(middle.games.map(\.rank) == Array(repeating: 701, count: 70))
            #expect(page.games.first?.rank == 701 && page.games.last?.rank == 1401)
        }
    }

    @Test("has a top, for the platforms asked for or all that have one")
    func tops() async throws {
        let ids = try make([("a", 3), ("b", 3), ("c", 1), ("d", 1)])
        let other = try database.games(on: [130], 1)[0]
        let user = try database.makeUser("rob")
        try await withStore(database) { store in
            try await store.put([Pick(game: other, platform: 130)], for: user)
            let all = try await store.platformTops(games: 3)
            #expect(all.map(\.platform.id) == [130, 48], "Nintendo Switch, PlayStation 4")
            #expect(all[1].games.map(\.game.id) == Array(ids.prefix(3)))
            #expect(all[1].games.map(\.rank) == [1, 1, 3])
            let some = try await store.platformTops(ids: [6, 48, 130], games: 1)
            #expect(some.map(\.platform.id) == [48, 130])
            #expect(some.map(\.games.count) == [1, 1])
        }
    }
}
