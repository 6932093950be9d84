import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import ShareCard
import Storage
import Views

/// The pages for sharing a list or a ranking. They show its link, and pictures to download. Saving a
/// list leads here.
enum SharePage {
    static let routes = [
        Route(
            .get, "/@{username}/share", .page, takes: .username, .text("saved"),
            returns: .response, crawling: .disallowed, handler: showList),
        Route(
            .get, "/@{username}/{snapshot}/share", .page, takes: .username, .snapshotSlug,
            returns: .response, crawling: .disallowed, handler: showSnapshot),
        Route(
            .get, "/platforms/{platform}/share", .page, takes: .platform, returns: .response,
            crawling: .disallowed, handler: showRanking),
    ]

    @Sendable private static func showList(
        _ context: RequestContext, username: Username, saved: String?
    ) async throws -> Response {
        guard let list = try await context.list(of: username) else {
            throw try await context.moved(from: username, Path.sharing)
        }
        let owner = list.owner
        let isOwner = context.visitor?.user.id == owner.id
        // Nobody else could open the link, or see the pictures.
        guard owner.visibility != .private else {
            return .seeOther(Path.list(owner.username) + (saved == nil ? "" : "?saved"))
        }
        var content = SharedPage(
            title: owner.listTitle,
            link: NamedLink(
                name: isOwner ? .viewYourList : .viewList,
                href: Path.list(owner.username)), words: list.words)
        content.hasEditor = isOwner
        if isOwner, saved != nil {
            content.saved = SavedList(
                newUntil: owner.visibility == .public ? owner.newUntil : nil,
                ways: try await context.waysToOffer(after: list))
        }
        let settings = context.services.settings
        return response(
            context, content, at: Path.sharing(owner.username), fileName: owner.username
        ) { settings.card(of: list, $0) }
    }

    @Sendable private static func showSnapshot(
        _ context: RequestContext, username: Username, slug: SnapshotSlug
    ) async throws -> Response {
        var snapshot = try await context.snapshot(of: username, slug, Path.snapshotSharing)
        let owner = snapshot.owner
        let page = Path.snapshot(owner.username, snapshot.summary.slug)
        guard owner.visibility != .private else { return .seeOther(page) }
        if context.visitor?.user.id == owner.id {
            // Without the games that only the owner sees.
            snapshot = try await context.snapshot(
                of: username, slug, seenBy: nil, Path.snapshotSharing)
        }
        let content = SharedPage(
            title: snapshot.fullTitle, link: NamedLink(name: .viewSnapshot, href: page),
            words: snapshot.words)
        let settings = context.services.settings
        return response(
            context, content, at: Path.snapshotSharing(owner.username, snapshot.summary.slug),
            fileName: "\(owner.username)-\(snapshot.summary.slug)"
        ) { settings.card(of: snapshot, $0) }
    }

    @Sendable private static func showRanking(
        _ context: RequestContext, platform: Platform
    ) async throws -> Response {
        let store = context.services.store
        let ranking = try await store.ranking(
            platform: platform.id, limit: FaveList.limit, quotes: 1)
        let title = Words.mostLovedGames(on: platform.shortName)
        let names = ranking.games.map { $0.game.name.numbered($0.rank) }
        let content = SharedPage(
            title: title,
            link: NamedLink(name: .viewRanking, href: Path.platform(platform)),
            words: names.isEmpty ? title : .list(.list(names), under: title))
        let settings = context.services.settings
        return response(
            context, content, at: Path.rankingSharing(platform), fileName: platform.slug
        ) { settings.card(of: ranking.games, on: platform, $0) }
    }

    private static func response(
        _ context: RequestContext, _ content: SharedPage, at path: String, fileName: String,
        card: (ShareCard.Variant) -> ShareCard
    ) -> Response {
        let settings = context.services.settings
        var page = PageModel(
            .share(content.title), description: content.words, path: path, section: .none,
            context: context.pageContext)
        page.isIndexed = false
        var content = content
        content.address = settings.publicURL + content.link.href
        content.code = QRCode(content.address).map { LinkCode(side: $0.side, path: $0.path) }
        let cards = ShareCard.Variant.allCases.map { variant in
            let format = variant.format
            let theme = format.themes.count > 1 ? variant.theme.rawValue : ""
            let parts = [settings.site.fileName, fileName, format.rawValue, theme]
            let name = card(variant).fileName
            return CardLink(
                name: format.purpose, path: Path.card(content.link.href, name),
                fileName: parts.filter { !$0.isEmpty }.joined(separator: "-")
                    + format.fileExtension,
                width: format.width, height: format.height, theme: theme)
        }
        // The preview is in the page already, and the last to be downloaded.
        return Response.page(
            page, .share(content, preview: cards[0], Array(cards.dropFirst() + cards.prefix(1))))
    }
}

extension RequestContext {
    /// The ways back in that a list's owner could set up for when they forget their password. Only
    /// after the first save, and only if the owner has no such way yet.
    fileprivate func waysToOffer(after list: FaveList) async throws -> SavedList.WaysBackIn? {
        let user = list.owner
        guard list.version == 1, try await services.accounts.hasPassword(user) else { return nil }
        async let passkeys = services.store.passkeys(userID: user.id)
        let codeCount = try await services.store.recoveryCodeCount(userID: user.id)
        let hasPasskey = try await !passkeys.isEmpty
        guard codeCount == 0, !hasPasskey else { return nil }
        return services.settings.relyingParty != nil ? .passkeyOrCodes : .codes
    }
}

extension ShareCard.Format {
    fileprivate var purpose: Words {
        switch self {
        case .wide: .linkPreview
        case .portrait: .post
        case .story: .story
        case .poster: .poster
        }
    }
}
