import FaveGames
import HTTP

enum HomePage {
    struct Model: Sendable {
        let page: PageModel
        let featured: [Featured]
        let recent: [CardModel]
    }

    struct Featured: Sendable {
        let platform: PlatformModel
        let top: [RankedModel]

        init(_ top: PlatformTop) {
            platform = PlatformModel(top.platform)
            let highest = top.games.first?.includedBy ?? 0
            self.top = top.games.map {
                RankedModel($0, among: top.games, highest: highest, platform: top.platform)
            }
        }
    }

    static func show(_ call: Call) async throws -> Response {
        let services = call.services
        async let tops = services.store.platformTops(
            ids: services.settings.featuredPlatforms, games: 5)
        async let recent = services.store.recentLists(limit: 6)
        let model = Model(
            page: PageModel(
                "Your five favourite games",
                description: """
                    Keep a list of your five favourite games, say why you love them, and share it \
                    with one link.
                    """,
                path: "/", context: call.context),
            featured: try await tops.map(Featured.init),
            recent: try await recent.map { CardModel($0) })
        return try Response.html(services.views.render(.home, model)).conditional(for: call.request)
    }
}
