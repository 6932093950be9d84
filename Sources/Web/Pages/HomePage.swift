import FaveGames
import HTTP
import HTTPTypes
import Views

enum HomePage {
    static let routes = [
        Route(.get, "/", .page, answers: .response, crawling: .listed, handler: show)
    ]

    @Sendable private static func show(_ call: Call) async throws -> Response {
        let services = call.services
        async let tops = services.store.platformTops(
            ids: services.settings.featuredPlatforms, games: 5)
        async let recent = services.store.recentLists(limit: 6)
        var page = PageModel(
            "Your five favourite games",
            description: """
                Keep a list of your five favourite games, say why you love them, and share it \
                with one link.
                """,
            path: "/", context: call.context)
        page.hasSearch = false
        return try await Response.page(page, .home(featured: tops, recent: recent))
            .conditional(for: call)
    }
}
