import CTurboJPEG
import FaveGames
import Foundation
import Synchronization
import TestSupport
import Testing
import Work

@testable import ShareCard

@Suite("Covers on cards", .blocking)
struct CoverTests {
    private static let all = Box(x: 0, y: 0, width: 1200, height: 630)

    private static let card = ShareCard(
        FaveList(
            owner: FaveList.five.owner,
            entries: ["co1abc", "co2xyz"].enumerated().map { index, cover in
                Entry(
                    id: UUID(), position: index + 1,
                    game: Game(
                        id: index + 1, name: GameTitle("Game"), releaseYear: nil,
                        coverImageID: cover),
                    platform: Platform(id: 6, slug: "win", name: "PC", abbreviation: nil),
                    comment: "", includedBy: 1, createdAt: .distantPast, updatedAt: .distantPast)
            }))

    @Test("are drawn over their places, cut to fit", arguments: [(264, 374), (374, 264), (1, 1)])
    func drawn(width: Int32, height: Int32) throws {
        let cover = try TestCover.jpeg(width: width, height: height)
        let plain = try Picture(Self.card.png())
        let picture = try Picture(Self.card.png(covers: ["co1abc": cover]))
        let red = { (pixel: UInt32) in
            abs(Int(pixel >> 16) - 200) < 8 && abs(Int(pixel >> 8 & 255) - 30) < 8
        }
        #expect(plain.count(in: Self.all, where: red) == 0)
        // The first cover, 117 by 156, but for its corners.
        #expect((17_500...18_300).contains(picture.count(in: Self.all, where: red)))
    }

    @Test("may be progressive")
    func progressive() throws {
        let cover = try TestCover.jpeg(flags: TJFLAG_PROGRESSIVE)
        #expect(CoverPicture(jpeg: cover)?.width == 264)
    }

    @Test("that are damaged, too large, or no pictures, are left out")
    func hostile() throws {
        let good = try TestCover.jpeg()
        let picture = try Self.card.png()
        var wrong: [[UInt8]] = [
            [], [0xFF], Array("GIF89a".utf8), Array(good.prefix(good.count / 2)),
            Array(good.dropFirst()), [UInt8](repeating: 0xFF, count: 10_000),
            try TestCover.jpeg(width: 1025, height: 10),
            try TestCover.jpeg(width: 10, height: 2000),
        ]
        // Every byte of the header in turn.
        for index in 0..<min(good.count, 640) {
            var changed = good
            changed[index] ^= 0xFF
            wrong.append(changed)
        }
        var refused = 0
        for bytes in wrong where CoverPicture(jpeg: bytes) == nil {
            refused += 1
            #expect(try refused > 9 || Self.card.png(covers: ["co1abc": bytes]) == picture)
        }
        #expect(refused > 100)
    }

    @Test("are fetched once, for whoever asks")
    func once() async throws {
        let cover = try TestCover.jpeg()
        let fetched = Recorder<String>()
        let store = CoverStore { name in
            fetched.record(name.imageID)
            return .cover(cover)
        }
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = await store.covers(["a", "b"]) } }
        }
        #expect(await store.covers(["a", "b"]).count == 2)
        #expect(fetched.elements.sorted() == ["a", "b"])
    }

    @Test("are not asked for over and over if they can't be had")
    func absent() async throws {
        let fetched = Recorder<String>()
        let store = CoverStore { name in
            fetched.record(name.imageID)
            return .failed
        }
        for _ in 0..<3 { #expect(await store.covers(["a"]).isEmpty) }
        #expect(fetched.count == 1)
        for id in ["b", "c", "d", "e", "f", "g", "h"] { _ = await store.covers([id]) }
        #expect(fetched.elements == ["a", "b", "c", "d", "e"], "the host is left alone")
    }

    @Test("are not asked for by those who wait once the host has failed")
    func waiting() async throws {
        let fetched = Recorder<String>()
        let store = CoverStore { name in
            fetched.record(name.imageID)
            return .failed
        }
        let ids = Set((1...150).map { "co\($0)" })
        #expect(await store.covers(ids).isEmpty)
        #expect(fetched.count <= 5 + 6)
        #expect(store.statistics.failed == fetched.count)
        #expect(store.statistics.refused == ids.count - fetched.count)
    }

    @Test("make a card that nobody keeps if one is missing")
    func incomplete() async throws {
        let workers = WorkerPool(threads: 1)
        defer { workers.close() }
        let cover = try TestCover.jpeg()
        let partial = CardRenderer(
            on: workers, covers: CoverStore { $0.imageID == "co1abc" ? .cover(cover) : .absent })
        let drawn = try await partial.draw(Self.card)
        #expect(!drawn.isComplete)
        #expect(try drawn.data == Self.card.png(covers: ["co1abc": cover]))
        // It is not drawn for each request, either.
        _ = try await partial.draw(Self.card)
        #expect(partial.drawnCount == 1)
        let full = CardRenderer(on: workers, covers: CoverStore { _ in .cover(cover) })
        #expect(try await full.draw(Self.card).isComplete)
        let without = CardRenderer(on: workers)
        #expect(try await without.draw(Self.card).isComplete)
        #expect(try await without.draw(Self.card).data == Self.card.png())
    }

    @Test("have ids that are part of the card's address, and of no other")
    func digest() {
        func card(_ cover: String?) -> ShareCard {
            let game = Game(id: 1, name: GameTitle("Game"), releaseYear: nil, coverImageID: cover)
            return ShareCard(
                [RankedGame(game: game, rank: 1, includedBy: 1)],
                on: Platform(id: 6, slug: "win", name: "PC", abbreviation: nil), of: SiteIdentity(),
                at: "")
        }
        #expect(card("co1").digest != card("co2").digest)
        for id in ["../x", "a/b", "a b", "", String(repeating: "x", count: 65), "é"] {
            #expect(card(id).coverIDs.isEmpty, "\(id)")
            #expect(card(id).digest == card(nil).digest)
        }
    }
}
