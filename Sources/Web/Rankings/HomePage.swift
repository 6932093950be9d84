import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import ShareCard
import Views

enum HomePage {
    static let routes = [
        Route(
            .get, "/", .page, takes: .text("done"), returns: .response, crawling: .listed,
            handler: show)
    ]

    /// How the visitor's last session ended.
    enum Farewell: String {
        case signedOut = "signed-out"
        case accountDeleted = "account-deleted"

        /// The home page, which says so.
        var path: String { "/?done=" + rawValue }

        fileprivate var notice: String {
            switch self {
            case .signedOut: "You’re signed out. See you soon."
            case .accountDeleted: "Your account and list have been deleted."
            }
        }
    }

    @Sendable private static func show(_ context: RequestContext, done: String?) async throws
        -> Response
    {
        let services = context.services
        async let tops = services.store.platformTops(
            ids: services.settings.featuredPlatforms, games: 5)
        async let recent = services.store.recentLists(limit: 6)
        var page = PageModel(
            "Your five favourite games",
            description: """
                Keep a list of your five favourite games, say why you love them, and share it \
                with one link.
                """,
            path: "/", context: context.pageContext)
        page.hasSearch = false
        if context.visitor == nil { page.notice = done.flatMap(Farewell.init)?.notice }
        let featured = try await tops
        if page.isForMachines {
            page.image = PreviewImage(
                services.settings.card(ofSiteWith: featured), of: CardPictures.home,
                words: ShareCard.headline, publicURL: services.settings.publicURL)
        }
        return try await Response.page(page, .home(featured: featured, recent: recent.lists))
    }
}
