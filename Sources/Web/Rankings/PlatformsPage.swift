import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

enum PlatformsPage {
    static let routes = [
        Route(
            .get, "/platforms", .page, takes: .search(), returns: .response, crawling: .listed,
            handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, search: SearchText?
    ) async throws -> Response {
        let services = context.services
        let platforms =
            if let search {
                try await found(search, context)
            } else {
                try await services.store.platformTops(games: gamesShown).mostLovedFirst
            }
        var page = PageModel(
            search.map { Words.platformsMatching($0.text) } ?? .platforms,
            description: .aboutPlatforms,
            path: Path.search("/platforms", search), section: .platforms,
            json: Path.search("/api/v1/platforms", search), context: context.pageContext)
        page.isIndexed = search == nil
        page.nameAlternates(services.settings)
        // All results of a search are shown with their games.
        let shown = search == nil ? platforms.prefix(mostLoved) : platforms[...]
        // Before there are any lists, there is still something to choose from.
        let others =
            search == nil && platforms.isEmpty
            ? try await services.store.platforms()
            : platforms.dropFirst(shown.count).map(\.platform)
        return .page(
            page,
            .platforms(
                Array(shown),
                others: PlatformsByLetter.groups(others),
                search: search?.text, covers: page.covers))
    }

    /// How many platforms are shown with their games. The others are listed by name.
    private static let mostLoved = 10
    /// Three games of each.
    private static let gamesShown = 3

    /// The matching platforms, each with the first games of its ranking, if any.
    private static func found(_ search: SearchText, _ context: RequestContext) async throws
        -> [PlatformTop]
    {
        let store = context.services.store
        let platforms = try await store.platforms(matching: search)
        let tops = try await store.platformTops(ids: platforms.map(\.id), games: gamesShown)
        let games = Dictionary(uniqueKeysWithValues: tops.map { ($0.platform.id, $0.games) })
        return platforms.map { PlatformTop(platform: $0, games: games[$0.id] ?? []) }
    }
}

extension [PlatformTop] {
    /// In the order of how many lists include the platform's first games, then by name.
    fileprivate var mostLovedFirst: Self {
        func count(_ top: PlatformTop) -> Int { top.games.reduce(0) { $0 + $1.includedBy } }
        return sorted {
            count($0) == count($1)
                ? $0.platform.name < $1.platform.name : count($0) > count($1)
        }
    }
}
