import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import ShareCard
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
        let page = Path.list(owner.username)
        return try response(
            context, title: owner.listTitle, of: page, at: Path.sharing(owner.username),
            cards: ShareCard.Format.allCases.map { ShareCard(list, $0) },
            fileName: owner.username, words: list.words, isSaved: isOwner && saved != nil,
            isOwner: isOwner)
    }

    @Sendable private static func showSnapshot(
        _ context: RequestContext, username: Username, slug: SnapshotSlug
    ) async throws -> Response {
        let snapshot = try await context.snapshot(of: username, slug, Path.snapshotSharing)
        let owner = snapshot.owner
        let page = Path.snapshot(owner.username, snapshot.summary.slug)
        guard owner.visibility != .private else { return .seeOther(page) }
        return try response(
            context, title: snapshot.fullTitle, of: page,
            at: Path.snapshotSharing(owner.username, snapshot.summary.slug),
            cards: ShareCard.Format.allCases.map { ShareCard(snapshot, $0) },
            fileName: "\(owner.username)-\(snapshot.summary.slug)", words: snapshot.words,
            isOwner: context.visitor?.user.id == owner.id)
    }

    @Sendable private static func showRanking(
        _ context: RequestContext, platform: Platform
    ) async throws -> Response {
        let store = context.services.store
        let ranking = try await store.ranking(
            platform: platform.id, limit: FaveList.limit, quotes: 1)
        let title = "Most loved games on \(platform.name)"
        let names = ranking.games.map { "\($0.rank). \($0.game.name)" }
        return try response(
            context, title: title, of: Path.platform(platform), at: Path.rankingSharing(platform),
            cards: ShareCard.Format.allCases.map { ShareCard(ranking.games, on: platform, $0) },
            fileName: platform.slug,
            words: names.isEmpty ? title : "\(title): \(names.joined(separator: ", "))")
    }

    private static func response(
        _ context: RequestContext, title: String, of subject: String, at path: String,
        cards: [ShareCard],
        fileName: String, words: String, isSaved: Bool = false, isOwner: Bool = false
    ) throws -> Response {
        let settings = context.services.settings
        var page = PageModel(
            "Share: \(title)", description: words, path: path, section: .none,
            context: context.pageContext)
        page.isIndexed = false
        let content = HTML.share(
            title: title, href: subject, address: settings.publicURL + subject,
            shareText: settings.spoken(subject),
            cards: cards.map { card in
                CardLink(
                    name: card.format.purpose, path: Path.card(subject, card.fileName),
                    fileName: "fave-games-\(fileName)-\(card.format).png",
                    width: card.format.width, height: card.format.height)
            }, words: words, isSaved: isSaved, isOwner: isOwner)
        return Response.page(page, content)
    }
}

extension ShareCard.Format {
    fileprivate var purpose: String {
        switch self {
        case .wide: "For a link"
        case .portrait: "For a post"
        case .story: "For a story"
        }
    }
}
