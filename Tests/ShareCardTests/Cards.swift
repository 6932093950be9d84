import FaveGames
import Foundation

@testable import ShareCard

/// A game as a test writes it down.
struct TestGame {
    var name = "Portal"
    var id = 71
    var year: Int? = 2007
    var platform = "PC (Microsoft Windows)"
    /// `nil` for the one that all entries of the list have.
    var why: String?
}

extension FaveList {
    static func of(
        _ games: [TestGame], username: String = "rob", name: String = "Rob Sinclair",
        comment: String = "", visibility: Visibility = .public, at date: Date = .distantPast
    ) -> FaveList {
        let owner = User(
            id: UUID(), username: username, displayName: name, createdAt: date,
            listUpdatedAt: date, bio: comment, visibility: visibility)
        let entries = games.enumerated().map { index, game in
            Entry(
                id: UUID(), position: index + 1,
                game: Game(
                    id: game.id, name: GameTitle(game.name), releaseYear: game.year,
                    coverImageID: nil),
                platform: Platform(
                    id: 900, slug: "some", name: game.platform, abbreviation: nil),
                comment: game.why ?? comment, includedBy: 1, createdAt: date, updatedAt: date)
        }
        return FaveList(owner: owner, entries: entries)
    }

    static let five = FaveList.of([
        TestGame(name: "The Legend of Zelda: Breath of the Wild", id: 1, platform: "Wii U"),
        TestGame(), TestGame(name: "Outer Wilds", id: 3, year: nil),
        TestGame(name: "Castlevania: Symphony of the Night", id: 4, platform: "PlayStation"),
        TestGame(name: "Hollow Knight", id: 5, year: 2017, platform: "Nintendo Switch"),
    ])

    /// A list in which every text is the same.
    static func filled(with text: String, count: Int = 5) -> FaveList {
        of(
            (0..<count).map { TestGame(name: text, id: $0 + 1, platform: text) },
            username: String(repeating: "w", count: 30), name: text, comment: text)
    }
}

extension ShareCard {
    /// The card of a list at an address that is as long as its owner's name makes it.
    init(_ list: FaveList, _ format: Format = .wide, _ theme: Theme = .light) {
        self.init(
            list, of: SiteIdentity(), at: "fave.example/@" + list.owner.username,
            Variant(format, theme))
    }

    /// The card as a PNG, whatever its format's encoding is, so that no pixel differs from what was drawn.
    func png(covers: [String: [UInt8]] = [:]) throws(CardError) -> [UInt8] {
        try drawn(covers: covers) { canvas throws(CardError) in try canvas.png() }
    }
}

extension CardRenderer {
    func png(of card: ShareCard) async throws -> [UInt8] { try await draw(card).data }
}
