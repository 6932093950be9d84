import FaveGames
import HTTP

enum PlatformsPage {
    struct Model: Sendable {
        let page: PageModel
        let search: String
        let searching: Bool
        let platforms: [Tile]
    }

    struct Tile: Sendable {
        let platform: PlatformModel
        /// Whether it has a ranking.
        let ranked: Bool
        /// The name of the game at its top.
        let first: String?
        let top: [GameModel]
    }

    static func show(_ call: Call) async throws -> Response {
        let services = call.services
        let search = try call.searchText()
        let tiles: [Tile]
        if let search {
            let platforms = try await services.store.platforms(matching: search)
            let tops = try await services.store.platformTops(ids: platforms.map(\.id), games: 3)
            let games = Dictionary(uniqueKeysWithValues: tops.map { ($0.platform.id, $0.games) })
            tiles = platforms.map { tile($0, games[$0.id] ?? []) }
        } else {
            tiles = try await services.store.platformTops(games: 3).map {
                tile($0.platform, $0.games)
            }
        }
        var page = PageModel(
            search.map { "Platforms matching “\($0.text)”" } ?? "Platforms",
            description: "Every platform with a ranking of its most loved games.",
            path: Path.search("/platforms", search), section: .platforms,
            json: Path.search("/api/v1/platforms", search), context: call.context)
        page.noindex = search != nil
        let model = Model(
            page: page, search: search?.text ?? "", searching: search != nil, platforms: tiles)
        return try Response.html(services.views.render(.platforms, model))
            .conditional(for: call.request)
    }

    private static func tile(_ platform: Platform, _ games: [RankedGame]) -> Tile {
        Tile(
            platform: PlatformModel(platform), ranked: !games.isEmpty,
            first: games.first?.game.name, top: games.map { GameModel($0.game) })
    }
}
