import Encodings
package import FaveGames
package import Languages
import Views

/// A picture of someone's list, of the first games of a ranking, or of what a link leads to, for
/// previews of links and to share.
///
/// Equal cards give the same picture.
public struct ShareCard: Hashable, Sendable {
    enum Layout: String, Sendable {
        /// Games in order, number one the largest.
        case ranked
        /// A headline above five places, which covers fill.
        case headline
    }

    public let format: Format
    public let theme: Theme
    let layout: Layout
    /// Of the card's own words, which shape letters, too.
    let language: Language
    let eyebrow: String
    let name: String
    /// A sentence or two below the name; empty unless the name is a headline.
    let text: String
    /// The site's name.
    let brand: String
    let accent: Color
    /// Where people find what the card shows, as they would say it: without the scheme.
    let address: String
    /// `nil` beside a headline.
    let avatar: Placeholder?
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

    /// - Parameter address: The address of the list's page, without the scheme.
    package init(
        _ list: FaveList, of site: SiteIdentity, at address: String, in language: Language = .en,
        _ variant: Variant = .wide
    ) {
        self.init(
            variant, .cardFavouriteGames, list.owner, of: site, at: address, in: language,
            list.entries.prefix(FaveList.limit).map { entry in
                (entry.game, entry.position, entry.platform.shortName, entry.comment)
            })
    }

    /// The card of a list as it was.
    ///
    /// - Parameter address: The address of the snapshot's page, without the scheme.
    package init(
        _ snapshot: Snapshot, of site: SiteIdentity, at address: String,
        in language: Language = .en, _ variant: Variant = .wide
    ) {
        self.init(
            variant, Words(name: snapshot.summary.title), snapshot.owner, of: site, at: address,
            in: language,
            snapshot.entries.prefix(FaveList.limit).map { entry in
                (entry.game, entry.position, entry.platform.shortName, entry.comment)
            })
    }

    /// - Parameter address: The address of the ranking's page, without the scheme.
    package init(
        _ games: [RankedGame], on platform: Platform, of site: SiteIdentity, at address: String,
        in language: Language = .en, _ variant: Variant = .wide
    ) {
        self.init(
            variant, .ranked, eyebrow: .cardMostLovedOn, name: Words(name: platform.shortName),
            of: site, at: address, in: language,
            avatar: Placeholder(username: platform.slug, displayName: platform.shortName),
            games.prefix(FaveList.limit).map { ranked in
                (
                    ranked.game, ranked.rank,
                    Words.cardOnLists(ranked.includedBy).string(in: language),
                    ranked.quotes.first?.comment ?? ""
                )
            })
    }

    /// The card of the whole site.
    ///
    /// - Parameters:
    ///   - games: Some of the most loved ones.
    ///   - address: The site's host.
    package init(
        _ site: SiteIdentity, loving games: [Game], at address: String,
        in language: Language = .en
    ) {
        self.init(
            .wide, .headline, eyebrow: .cardYourFive, name: .cardHeadline,
            text: site.ownDescription.map { Words(name: $0) } ?? .cardText,
            of: site, at: address, in: language, Self.covers(games))
    }

    /// The card of a public circle.
    ///
    /// - Parameters:
    ///   - games: The games that its members love most.
    ///   - address: The address of the circle's page, without the scheme.
    package init(
        _ circle: Circle, loving games: [Game], of site: SiteIdentity, at address: String,
        in language: Language = .en
    ) {
        self.init(
            .wide, .headline, eyebrow: games.isEmpty ? .cardCircle : .cardCircleLoves,
            name: Words(name: circle.name), text: Words(name: circle.description), of: site,
            at: address, in: language, Self.covers(games))
    }

    /// The card of an invitation to a circle. It shows what anyone with the invitation may know, and
    /// so nothing of the members except their number.
    ///
    /// - Parameter address: The site's host. The invitation's own address is a secret.
    package init(
        _ offer: CircleOffer, of site: SiteIdentity, at address: String,
        in language: Language = .en
    ) {
        self.init(
            .wide, .headline,
            eyebrow: offer.memberCount > 1
                ? .cardInvites(offer.owner, members: offer.memberCount)
                : .cardInvites(offer.owner),
            name: Words(name: offer.circle.name), text: Words(name: offer.circle.description),
            of: site, at: address, in: language, [])
    }

    private typealias Pick = (game: Game, rank: Int, note: String, why: String)

    private static func covers(_ games: [Game]) -> [Pick] {
        games.prefix(FaveList.limit).enumerated().map { ($1, $0 + 1, "", "") }
    }

    private init(
        _ variant: Variant, _ eyebrow: Words, _ owner: User, of site: SiteIdentity,
        at address: String, in language: Language, _ picks: [Pick]
    ) {
        self.init(
            variant, .ranked, eyebrow: eyebrow, name: Words(name: owner.displayName), of: site,
            at: address, in: language,
            avatar: Placeholder(
                username: owner.username, displayName: CardText.clean(owner.displayName)), picks)
    }

    private init(
        _ variant: Variant, _ layout: Layout, eyebrow: Words, name: Words,
        text: Words = Words(name: ""), of site: SiteIdentity, at address: String,
        in language: Language, avatar: Placeholder? = nil, _ picks: [Pick]
    ) {
        format = variant.format
        theme = variant.theme
        self.layout = layout
        self.language = language
        self.eyebrow = CardText.clean(eyebrow.string(in: language))
        self.name = CardText.clean(name.string(in: language))
        self.text = CardText.clean(text.string(in: language), limit: CardText.proseLimit)
        brand = CardText.clean(site.name)
        accent = site.accent.light
        self.address = address
        self.avatar = avatar
        let whyCount = variant.format.whyCount(of: picks.count)
        let isQuoted = variant.format != .wide
        entries = picks.enumerated().map { index, pick in
            let why = index < whyCount ? pick.why : ""
            return Entry(
                pick.game, rank: pick.rank, note: pick.note,
                why: isQuoted ? CardText.quote(why) : why, in: language)
        }
    }
}

extension ShareCard.Entry {
    fileprivate init(
        _ game: Game, rank: Int, note: String, why: String, in language: Language
    ) {
        // It becomes part of an address.
        let coverID = game.coverImageID.flatMap { id in
            id.consists(
                of: { $0.isASCIILetter || $0.isASCIIDigit || "_-".utf8.contains($0) }, bytes: 1...64
            )
                ? id : nil
        }
        let main = CardText.clean(game.name.main)
        let title = game.name.string(in: language)
        self.init(
            rank: rank, title: title == game.name.main ? main : CardText.clean(title),
            note: CardText.clean(note), year: game.releaseYear,
            placeholder: Placeholder(
                Game(id: game.id, name: GameTitle(main), releaseYear: nil, coverImageID: nil)),
            coverID: coverID,
            why: CardText.clean(why, limit: CardText.proseLimit))
    }
}

/// A card that could not be drawn.
public struct CardError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
