import Encodings
import FaveGames

/// A picture of someone's list, or of the first games of a ranking, for previews of links and to share.
///
/// Equal cards give the same picture.
public struct ShareCard: Hashable, Sendable {
    /// In pixels.
    public enum Format: String, CaseIterable, Sendable {
        /// What link previews are made for.
        case wide
        case portrait
        /// Fills the screen of a phone.
        case story

        public var width: Int { self == .wide ? 1200 : 1080 }

        public var height: Int {
            switch self {
            case .wide: 630
            case .portrait: 1350
            case .story: 1920
            }
        }
    }

    public let format: Format
    let eyebrow: String
    let name: String
    /// The owner's username, with "@"; empty for a ranking.
    let handle: String
    let avatar: Placeholder
    /// At most five, in the order of their ranks.
    let entries: [Entry]

    /// The covers that the card shows, if they can be had.
    var coverIDs: Set<String> { Set(entries.compactMap(\.coverID)) }

    struct Entry: Hashable, Sendable {
        let rank: Int
        let title: String
        /// The platform, or the number of lists.
        let note: String
        let year: Int?
        let placeholder: Placeholder
        /// The cover's id on IGDB's image host, if any.
        let coverID: String?
        /// Why the game is loved; empty where the format has no room for it.
        let why: String
    }

    public init(_ list: FaveList, _ format: Format = .wide) {
        self.format = format
        eyebrow = "Favourite games"
        name = CardText.clean(list.owner.displayName)
        handle = "@" + list.owner.username
        avatar = Placeholder(username: list.owner.username, displayName: name)
        entries = list.entries.prefix(FaveList.limit).map { entry in
            Entry(
                entry.game, rank: entry.position, note: entry.platform.name,
                why: format == .wide ? "" : entry.comment)
        }
    }

    /// The card of a list as it was.
    public init(_ snapshot: Snapshot, _ format: Format = .wide) {
        self.format = format
        eyebrow = CardText.clean(snapshot.summary.title)
        name = CardText.clean(snapshot.owner.displayName)
        handle = "@" + snapshot.owner.username
        avatar = Placeholder(username: snapshot.owner.username, displayName: name)
        entries = snapshot.entries.prefix(FaveList.limit).map { entry in
            Entry(
                entry.game, rank: entry.position, note: entry.platform.name,
                why: format == .wide ? "" : entry.comment)
        }
    }

    public init(_ games: [RankedGame], on platform: Platform, _ format: Format = .wide) {
        self.format = format
        eyebrow = "Most loved games on"
        name = CardText.clean(platform.name)
        handle = ""
        avatar = Placeholder(
            username: platform.slug, displayName: platform.abbreviation ?? platform.name)
        entries = games.prefix(FaveList.limit).map { ranked in
            Entry(
                ranked.game, rank: ranked.rank,
                note: "On \(ranked.includedBy) list\(ranked.includedBy == 1 ? "" : "s")",
                why: format == .wide ? "" : ranked.quotes.first?.comment ?? "")
        }
    }
}

extension ShareCard.Entry {
    fileprivate init(_ game: Game, rank: Int, note: String, why: String) {
        // It becomes part of an address.
        let coverID = game.coverImageID.flatMap { id in
            id.consists(
                of: { $0.isASCIILetter || $0.isASCIIDigit || "_-".utf8.contains($0) }, bytes: 1...64
            )
                ? id : nil
        }
        let game = Game(
            id: game.id, name: CardText.clean(game.name), releaseYear: game.releaseYear,
            coverImageID: nil)
        self.init(
            rank: rank, title: game.name, note: CardText.clean(note), year: game.releaseYear,
            placeholder: Placeholder(game), coverID: coverID, why: CardText.clean(why))
    }
}

/// A card that could not be drawn.
public struct CardError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
