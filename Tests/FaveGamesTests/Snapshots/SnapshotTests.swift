import Foundation
import Testing

@testable import FaveGames

@Suite("A snapshot")
struct SnapshotTests {
    @Test(
        "has a year for its address, with a number for all but a yearly one",
        arguments: [
            ("2026", true), ("2026-1", true), ("2026-2", true), ("2026-10", true),
            ("1000-99", true),
            ("", false), ("0999", false), ("26", false), ("20261", false), ("2026-", false),
            ("2026-0", false), ("2026-02", false), ("2026-100", false),
            ("2026-2 ", false), ("2026\n", false), ("２０２６", false), ("embed", false),
            ("2026/2", false), ("-2026", false), ("2026-x", false),
        ])
    func slugs(text: String, isValid: Bool) {
        #expect((SnapshotSlug(text)?.description == text) == isValid)
    }

    @Test("has a title of up to 60 characters on one line")
    func titles() {
        #expect(SnapshotTitle(" My\tfive,\n 2026 ")?.text == "My five, 2026")
        #expect(SnapshotTitle(String(repeating: "é", count: 60)) != nil)
        for text in ["", " ", "\u{200B}", "\u{202E}", String(repeating: "x", count: 61)] {
            #expect(SnapshotTitle(text) == nil)
        }
        #expect(SnapshotTitle(year: 2026).text == "My five, 2026")
    }

    private static let platform = Platform(id: 6, slug: "win", name: "PC", abbreviation: nil)

    private static func list(_ title: String, _ games: [Int]) -> (SnapshotSummary, [SnapshotEntry])
    {
        let entries = games.enumerated().map { index, id in
            SnapshotEntry(
                position: index + 1,
                game: Game(
                    id: id, name: GameTitle("Game \(id)"), releaseYear: nil, coverImageID: nil),
                platform: platform, comment: "")
        }
        return (SnapshotSummary(slug: "2026", title: title, takenAt: Date()), entries)
    }

    private static func snapshot(_ games: [Int], after earlier: [Int]?) -> Snapshot {
        let (summary, entries) = list("Now", games)
        let previous = earlier.map { list("Then", $0) }
        return Snapshot(
            owner: User(
                id: UUID(), username: "rob", displayName: "Rob", createdAt: Date(),
                listUpdatedAt: nil),
            summary: summary, entries: entries,
            previous: previous.map { (summary: $0.0, entries: $0.1) })
    }

    @Test("knows what is new, what is gone and what has moved since the one before")
    func changes() {
        let snapshot = Self.snapshot([5, 1, 2, 3], after: [1, 2, 4, 3])
        #expect(snapshot.entries.map(\.previousPosition) == [nil, 1, 2, 4])
        #expect(snapshot.entries.map(snapshot.movement) == [.new, .down(1), .down(1), .same])
        #expect(snapshot.gone.map(\.game.id) == [4])
        #expect(Self.snapshot([3, 1], after: [1, 3]).entries.map(\.previousPosition) == [2, 1])
    }

    @Test("has not changed if it is the first")
    func first() {
        let snapshot = Self.snapshot([1, 2], after: nil)
        #expect(snapshot.entries.allSatisfy { snapshot.movement(of: $0) == nil })
        #expect(snapshot.gone.isEmpty && snapshot.previous == nil)
    }
}
