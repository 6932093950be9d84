import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Who includes a game", .blocking)
struct InclusionTests {
    private let database: TestDatabase
    private let game: Int

    init() throws {
        database = try TestDatabase()
        game = try database.makeGames(["A"])[0]
    }

    private static func pages(
        _ store: Store, game: Int, platform: Int?, limit: Int
    ) async throws -> [[Inclusion]] {
        var pages: [[Inclusion]] = []
        var cursor: InclusionCursor?
        repeat {
            let page = try await store.inclusions(
                game: game, platform: platform, limit: limit, at: cursor)
            pages.append(page.entries)
            cursor = page.next
        } while cursor != nil && pages.count < 50
        return pages
    }

    /// From the last page on.
    private static func pagesBack(
        _ store: Store, game: Int, platform: Int?, limit: Int
    ) async throws -> [[Inclusion]] {
        var page = try await store.inclusions(game: game, platform: platform, limit: limit)
        while let next = page.next {
            page = try await store.inclusions(
                game: game, platform: platform, limit: limit, at: next)
        }
        var pages = [page.entries]
        while let previous = page.previous, pages.count < 50 {
            page = try await store.inclusions(
                game: game, platform: platform, limit: limit, at: previous)
            pages.append(page.entries)
            #expect(page.next != nil)
        }
        return pages
    }

    @Test("comes the latest first, everybody once over the pages", arguments: [1, 3, 10, 100])
    func pages(limit: Int) async throws {
        try database.include(game, times: 10) { "comment \($0)" }
        try await withStore(database) { [game] store in
            for platform in [ps4, nil] {
                let pages = try await Self.pages(
                    store, game: game, platform: platform, limit: limit)
                let entries = pages.flatMap { $0 }
                #expect(entries.map(\.comment) == (0..<10).reversed().map { "comment \($0)" })
                #expect(entries.allSatisfy { $0.platform.id == ps4 && $0.position == 1 })
                #expect(pages.count == (10 + limit - 1) / limit)
                let back = try await Self.pagesBack(
                    store, game: game, platform: platform, limit: limit)
                #expect(back.reversed().map { $0.map(\.id) } == pages.map { $0.map(\.id) })
            }
            #expect(try await store.inclusions(game: game, platform: pc, limit: 5).entries == [])
        }
    }

    @Test("tells entries of the very same time apart")
    func sameTime() async throws {
        try database.include(game, times: 7)
        try database.session().execute(
            "UPDATE entries SET created_at = '2026-01-02 03:04:05.678901+00'")
        try await withStore(database) { [game] store in
            let entries = try await Self.pages(store, game: game, platform: ps4, limit: 2)
                .flatMap { $0 }
            #expect(Set(entries.map(\.id)).count == 7)
            #expect(entries.count == 7)
            let back = try await Self.pagesBack(store, game: game, platform: ps4, limit: 2)
            #expect(back.reversed().flatMap { $0 }.map(\.id) == entries.map(\.id))
        }
    }

    @Test("is complete after the year 2038, too")
    func farFuture() async throws {
        try database.include(game, times: 2)
        try database.session().execute("UPDATE entries SET created_at = '2100-01-01'")
        try await withStore(database) { [game] store in
            let entries = try await Self.pages(store, game: game, platform: ps4, limit: 1)
            #expect(entries.flatMap { $0 }.count == 2)
        }
    }

    @Test("on any platform, or on one")
    func platforms() async throws {
        let both = try database.games(on: [ps4, pc], 1)[0]
        let users = try (0..<3).map { try database.makeUser("user-\($0)") }
        try await withStore(database) { store in
            try await store.put(
                [Pick(game: both, platform: ps4), Pick(game: both, platform: pc)], for: users[0])
            try await store.put([Pick(game: both, platform: pc)], for: users[1])
            let anywhere = try await store.inclusions(game: both, platform: nil, limit: 10)
            #expect(anywhere.entries.count == 3)
            let onPC = try await store.inclusions(game: both, platform: pc, limit: 10)
            #expect(Set(onPC.entries.map(\.username)) == ["user-0", "user-1"])
        }
    }
}
