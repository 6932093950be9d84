import Foundation
import Testing

@testable import FaveGames

@Suite("A kept list")
struct KeptListTests {
    @Test(
        "has a year for its address, with a number for all but the first",
        arguments: [
            ("2026", true), ("2026-2", true), ("2026-10", true), ("1000-99", true),
            ("", false), ("0999", false), ("26", false), ("20261", false), ("2026-", false),
            ("2026-0", false), ("2026-1", false), ("2026-02", false), ("2026-100", false),
            ("2026-2 ", false), ("2026\n", false), ("２０２６", false), ("embed", false),
            ("2026/2", false), ("-2026", false), ("2026-x", false),
        ])
    func slugs(text: String, isValid: Bool) {
        #expect((KeptListSlug(text)?.description == text) == isValid)
    }

    @Test("has a title of up to 60 characters on one line")
    func titles() {
        #expect(KeptListTitle(" My\tfive,\n 2026 ")?.text == "My five, 2026")
        #expect(KeptListTitle(String(repeating: "é", count: 60)) != nil)
        for text in ["", " ", "\u{200B}", "\u{202E}", String(repeating: "x", count: 61)] {
            #expect(KeptListTitle(text) == nil)
        }
        #expect(KeptListTitle(year: 2026).text == "My five, 2026")
    }

    private static let platform = Platform(id: 6, slug: "win", name: "PC", abbreviation: nil)

    private static func list(_ title: String, _ games: [Int]) -> (KeptListSummary, [KeptEntry]) {
        let entries = games.enumerated().map { index, id in
            KeptEntry(
                position: index + 1,
                game: Game(id: id, name: "Game \(id)", releaseYear: nil, coverImageID: nil),
                platform: platform, comment: "")
        }
        return (KeptListSummary(slug: "2026", title: title, keptAt: Date()), entries)
    }

    private static func kept(_ games: [Int], after earlier: [Int]?) -> KeptList {
        let (summary, entries) = list("Now", games)
        let previous = earlier.map { list("Then", $0) }
        return KeptList(
            owner: User(
                id: UUID(), username: "rob", displayName: "Rob", createdAt: Date(),
                listUpdatedAt: nil),
            summary: summary, entries: entries,
            previous: previous.map { (summary: $0.0, entries: $0.1) })
    }

    @Test("knows what is new, what is gone and what has moved since the one before")
    func changes() {
        let kept = Self.kept([5, 1, 2, 3], after: [1, 2, 4, 3])
        #expect(kept.entries.map(\.previousPosition) == [nil, 1, 2, 4])
        #expect(kept.entries.map(kept.movement) == [.new, .down(1), .down(1), .same])
        #expect(kept.gone.map(\.game.id) == [4])
        #expect(Self.kept([3, 1], after: [1, 3]).entries.map(\.previousPosition) == [2, 1])
    }

    @Test("has not changed if it is the first")
    func first() {
        let kept = Self.kept([1, 2], after: nil)
        #expect(kept.entries.allSatisfy { kept.movement(of: $0) == nil })
        #expect(kept.gone.isEmpty && kept.previous == nil)
    }
}
