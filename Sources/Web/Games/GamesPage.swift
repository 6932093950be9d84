import Endpoints
import FaveGames
import GameSearch
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

enum GamesPage {
    private static let limit = 50
    private static let latestShown = 18

    static let routes = [
        Route(
            .get, "/games", .page, takes: .search(), returns: .response, crawling: .listed,
            handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, search: SearchText?
    ) async throws -> Response {
        let services = context.services
        var games: [FoundGame] = []
        var latest: [Game] = []
        if let search {
            games = try await context.games.games(
                matching: search, platform: nil, limit: limit
            ).games
        } else {
            let entries = try await services.store.entries(EntryFilter(), limit: 50).entries
            for entry in entries where !latest.contains(entry.game) { latest.append(entry.game) }
        }
        var page = PageModel(
            search.map { Words.gamesMatching($0.text) } ?? .findGame,
            description: .aboutGames,
            path: Path.search("/games", search), section: .games,
            json: search.map { Path.search("/api/v1/games", $0) }, context: context.pageContext)
        page.isIndexed = search == nil
        page.nameAlternates(services.settings)
        page.hasSearch = false
        let notice: Words? = games.count == limit ? .showingFirst(limit) : nil
        return .page(
            page,
            .games(
                games, search: search?.text, notice: notice,
                latest: Array(latest.prefix(latestShown)), language: page.language,
                covers: page.covers))
    }
}
