import Actions
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// The home page: what this is, or for people who are signed in, their five and what is new.
enum HomePage {
    static let routes = [
        Route(
            .get, "/", .page, takes: .text("done"), returns: .response, crawling: .listed
        ) { context, done in
            guard let visitor = context.visitor else {
                return try await page(context, notice: done.flatMap(Farewell.init)?.notice)
            }
            return try await page(context, of: visitor)
        }
    ]

    private static let recentShown = 3

    /// How the visitor's last session ended.
    enum Farewell: String {
        case signedOut = "signed-out"
        case accountDeleted = "account-deleted"

        /// The home page, which says so.
        var path: String { "/?done=" + rawValue }

        fileprivate var notice: Words {
            switch self {
            case .signedOut: .signedOut
            case .accountDeleted: .accountDeleted
            }
        }
    }

    private static func page(_ context: RequestContext, notice: Words?) async throws -> Response {
        let services = context.services
        async let best = services.store.bestEntry()
        async let tops = services.store.platformTops(
            ids: services.settings.featuredPlatforms, games: 5)
        async let recent = services.store.recentLists(limit: recentShown)
        var page = PageModel(
            .slogan,
            description: services.settings.site.description,
            path: "/", context: context.pageContext)
        page.hasSearch = false
        page.notice = notice
        page.nameAlternates(services.settings)
        if page.isForMachines { page.image = PreviewImage(ofSite: services.settings) }
        return try await Response.page(
            page,
            .home(
                best: best, featured: tops, recent: recent.lists,
                lead: services.settings.site.description, signUp: SignUpOffer(services),
                covers: page.covers))
    }

    // MARK: For people who are signed in

    private static func page(_ context: RequestContext, of visitor: Visitor) async throws
        -> Response
    {
        let services = context.services
        let id = visitor.user.id
        async let list = context.list(of: visitor, returnPath: "/")
        async let news = services.store.news(of: id, since: visitor.news.since)
        async let circles = services.store.circles(of: id)
        async let review = context.yearInReview()
        async let tops = services.store.platformTops(
            ids: Array(services.settings.featuredPlatforms.prefix(3)), games: 3)
        // One more than are shown, since the visitor's own may be among them.
        async let recent = services.store.recentLists(limit: recentShown + 1)
        let content = try await View.memberHome(
            MemberHome(list, news: news, circles: circles, review: review),
            featured: tops,
            recent: Array(recent.lists.filter { $0.owner.id != id }.prefix(recentShown)),
            covers: services.settings.covers)
        if context.isSeen { context.news.see(visitor.news, as: visitor.user) }
        var page = PageModel(
            .home, description: .aboutHome, path: "/",
            context: context.pageContext)
        page.accountMenu?.hasNews = false
        return .page(page, content)
    }
}

extension RequestContext {
    /// Whether someone is going to see the response: browsers may get pages in advance.
    fileprivate var isSeen: Bool {
        request.method == .get && request.headerFields[.secPurpose] == nil
    }
}
