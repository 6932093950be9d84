import Endpoints
import FaveGames
import HTTP
import Languages
import ShareCard
import Views

extension PreviewImage {
    /// The cover of a game; `nil` if none is known.
    init?(_ game: Game, _ settings: WebSettings) {
        guard let cover = CoverImage(game, in: settings.addresses.pictures) else { return nil }
        self.init(
            url: cover.large, type: MediaType.jpeg.description, width: 264, height: 374,
            alt: .cover(of: game.name), isLarge: false)
    }

    /// The card of a list; `nil` for a list that only its owner may see.
    init?(_ list: FaveList, _ settings: WebSettings) {
        guard list.owner.visibility != .private else { return nil }
        self.init(
            settings.card(of: list), of: Path.list(list.owner.username), words: list.words,
            publicURL: settings.publicURL)
    }

    /// The card of a snapshot; `nil` if the snapshot is private.
    init?(_ snapshot: Snapshot, _ settings: WebSettings) {
        guard snapshot.owner.visibility != .private else { return nil }
        self.init(
            settings.card(of: snapshot),
            of: Path.snapshot(snapshot.owner.username, snapshot.summary.slug),
            words: snapshot.words, publicURL: settings.publicURL)
    }

    /// The card of the home page, at an address that leads to the current one: this page is asked for
    /// too often to draw up the card each time.
    init(ofSite settings: WebSettings) {
        let format = ShareCard.Format.wide
        let name = CardName(variant: .wide, digest: "latest").description
        self.init(
            url: settings.publicURL + Path.card(CardPictures.home, name),
            type: format.mediaType.description, width: format.width, height: format.height,
            alt: .cardHeadline, isLarge: true)
    }

    /// - Parameters:
    ///   - page: The path of the page that the card belongs to.
    ///   - query: What the card's address ends with.
    ///   - words: What the card shows.
    init(
        _ card: ShareCard, of page: String, query: String = "", words: Words, publicURL: String
    ) {
        self.init(
            url: publicURL + Path.card(page, card.fileName) + query,
            type: card.format.mediaType.description,
            width: card.format.width, height: card.format.height,
            alt: words.cut(to: Self.altLimit), isLarge: true)
    }

    /// The longest text that sites with previews accept.
    private static let altLimit = 420
}
