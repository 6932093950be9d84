import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import ShareCard
import Storage
import Views

/// The pictures of a list, and of the first games of a ranking: for previews of links, and to share.
/// Also those of the home page, of public circles and of invitations to circles, for previews only.
enum CardPictures {
    /// The address of a card changes with its contents, and an old address redirects to the current
    /// one. Caches still ask again after some minutes, because hidden and deleted cards must
    /// disappear.
    static let routes = [
        Route(
            .get, "/@{username}/card-{card}", .file, takes: .username, .card,
            returns: .response, caching: .everywhere(seconds: cacheAge), handler: showList),
        Route(
            .get, "/@{username}/{snapshot}/card-{card}", .file, takes: .username, .snapshotSlug,
            .card,
            returns: .response, caching: .everywhere(seconds: cacheAge), handler: showSnapshot),
        Route(
            .get, "/platforms/{platform}/card-{card}", .file, takes: .platform, .card,
            returns: .response, caching: .everywhere(seconds: cacheAge), handler: showRanking),
        Route(
            .get, "\(home)/card-{card}", .file, takes: .card, returns: .response,
            caching: .everywhere(seconds: cacheAge), handler: showSite),
        Route(
            .get, "\(Path.circles)/{circle}/card-{card}", .file, takes: .publicCircle, .card,
            returns: .response, caching: .everywhere(seconds: cacheAge), handler: showCircle),
        // What an invitation is to must not be stored anywhere.
        Route(
            .get, "\(Path.circleInvitation)/card-{card}", .file, takes: .card, .text(offer),
            returns: .response, caching: .never, crawling: .disallowed,
            handler: showCircleInvitation),
    ]

    /// In seconds.
    private static let cacheAge = 300

    /// Where the card of the home page is.
    static let home = "/home"

    @Sendable private static func showList(
        _ context: RequestContext, username: Username, asked: CardName
    ) async throws -> Response {
        let store = context.services.store
        // The list as everyone sees it, even if its owner asks: shared caches may store the card.
        let found = try await store.list(username: username.description, seenBy: nil)
        guard let list = found else {
            throw try await context.moved(from: username) {
                Path.card(Path.list($0), asked.description)
            }
        }
        return try await picture(
            context, context.services.settings.card(of: list, asked.variant),
            of: Path.list(list.owner.username)
        ).noIndex(unless: list.owner.isPublic)
    }

    @Sendable private static func showSnapshot(
        _ context: RequestContext, username: Username, slug: SnapshotSlug, asked: CardName
    ) async throws -> Response {
        let snapshot = try await context.snapshot(of: username, slug, seenBy: nil) {
            Path.card(Path.snapshot($0, $1), asked.description)
        }
        return try await picture(
            context, context.services.settings.card(of: snapshot, asked.variant),
            of: Path.snapshot(snapshot.owner.username, snapshot.summary.slug)
        ).noIndex(unless: snapshot.owner.isPublic)
    }

    @Sendable private static func showRanking(
        _ context: RequestContext, platform: Platform, asked: CardName
    ) async throws -> Response {
        let card = try await context.card(of: platform, asked.variant)
        return try await picture(context, card, of: Path.platform(platform))
    }

    @Sendable private static func showSite(
        _ context: RequestContext, asked: CardName
    ) async throws -> Response {
        let settings = context.services.settings
        let featured = try await context.services.store.platformTops(
            ids: settings.featuredPlatforms, games: FaveList.limit)
        return try await picture(context, settings.card(ofSiteWith: featured), of: home)
    }

    @Sendable private static func showCircle(
        _ context: RequestContext, view: CircleView, asked: CardName
    ) async throws -> Response {
        try await picture(context, context.card(ofPublic: view), of: Path.circle(view.circle.slug))
    }

    // MARK: Invitations to circles

    /// The parameter that names an invitation.
    private static let offer = "offer"

    /// What the address of an invitation's picture ends with. It has the digest of the invitation's
    /// token, so someone who knows only the picture's address can't join.
    static func query(of token: SecretToken) -> String {
        "?\(offer)=\(Base64URL.encode(token.hash))"
    }

    @Sendable private static func showCircleInvitation(
        _ context: RequestContext, asked: CardName, digest: String?
    ) async throws -> Response {
        guard let digest, digest.utf8.count == 43, let hash = Base64URL.decode(digest.utf8),
            let offer = try await context.services.store.circleOffer(
                tokenHash: Array(hash), for: nil)
        else { throw CircleError.invitationInvalid }
        return try await picture(
            context, context.services.settings.card(of: offer), of: Path.circleInvitation,
            query: "?\(Self.offer)=\(digest)"
        ).noIndex(unless: false)
    }

    private static func picture(
        _ context: RequestContext, _ card: ShareCard, of page: String, query: String = ""
    ) async throws -> Response {
        let path = Path.card(page, card.fileName)
        guard context.request.target.path == path else {
            return .temporaryRedirect(to: path + query)
        }
        let cards = context.services.cards
        if cards.recent(card) == nil { try context.allowance?.charge(.drawing) }
        let drawn = try await cards.draw(card, for: context.client.siteName)
        var response = Response(
            headerFields: [.contentType: card.format.mediaType.description], body: drawn.data)
        guard drawn.isComplete else {
            response.forbidCaching()
            return response
        }
        return response
    }
}

extension RequestContext {
    /// The card of a ranking, with its first games.
    func card(of platform: Platform, _ variant: ShareCard.Variant) async throws -> ShareCard {
        services.settings.card(of: try await gamesOnCard(of: platform), on: platform, variant)
    }

    func gamesOnCard(of platform: Platform) async throws -> [RankedGame] {
        try await services.store.ranking(
            platform: platform.id, limit: FaveList.limit, quotes: 1
        ).games
    }
}

extension ShareCard {
    /// The name of the card's file.
    var fileName: String {
        CardName(variant: Variant(format, theme), digest: digest).description
    }
}

extension ShareCard.Format {
    var mediaType: MediaType {
        switch encoding {
        case .png: .png
        case .jpeg: .jpeg
        }
    }

    var fileExtension: String {
        switch encoding {
        case .png: ".png"
        case .jpeg: ".jpg"
        }
    }
}

extension ShareCard.Variant {
    /// How names in addresses begin: with nothing for what previews of links show.
    fileprivate var prefix: String {
        (format == .wide ? "" : "\(format)-") + (theme == .light ? "" : "\(theme)-")
    }
}

/// The name of a card's file in an address: the variant, then the digest.
struct CardName: Sendable, CustomStringConvertible {
    let variant: ShareCard.Variant
    let digest: String

    init(variant: ShareCard.Variant, digest: String) {
        self.variant = variant
        self.digest = digest
    }

    /// - Returns: `nil` if the name doesn't end like those of its format.
    fileprivate init?(_ file: String) {
        // The longest of several that fit, because light is not named.
        let variant =
            ShareCard.Variant.allCases.filter { file.hasPrefix($0.prefix) }
            .max { $0.prefix.count < $1.prefix.count } ?? .wide
        guard file.hasSuffix(variant.format.fileExtension), file.utf8.count <= 64 else {
            return nil
        }
        self.init(
            variant: variant,
            digest: String(
                file.dropFirst(variant.prefix.count).dropLast(variant.format.fileExtension.count)))
    }

    var description: String { variant.prefix + digest + variant.format.fileExtension }
}

extension Input where Value == CardName {
    fileprivate static var card: Self {
        .path("card", "", .text(example: "0.png")) { CardName($0) }
    }
}

extension Cost {
    /// The drawing of a card, besides the request for it.
    fileprivate static let drawing = units(10)
}
