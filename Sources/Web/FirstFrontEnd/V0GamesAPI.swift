import Endpoints
import FaveGames
import GameSearch
import HTTPTypes
import Storage

enum V0GamesAPI {
    private static let limit = 20

    static let routes = [
        Route(
            .get, "/api/v0/games",
            .v0(
                "v0ListGames", "Search games, or get games by id",
                "Give “search” or “gameIds”; “gameIds” takes precedence."),
            takes: .first(
                .ids("gameIds", mayHaveSpaces: true, example: "71,72"), else: .search()),
            returns: .array(
                of: V0.game, "The games found.", atMost: 100,
                "The best matches first, at most \(limit), or in the order of the ids.")
        ) { context, wanted in
            let games = context.games
            switch wanted {
            case .preferred(let ids):
                return try await context.withScreenshots(games.games(ids: ids))
            case .other(let search?):
                return try await context.withScreenshots(
                    games.games(matching: search, platform: nil, limit: limit).games)
            case .other(nil):
                throw Problem.invalidParameter("search", "Give \"search\" or \"gameIds\".")
            }
        },

        Route(
            .get, "/api/v0/games/{game}", .v0("v0GetGame", "Get a game"),
            takes: .game, returns: .json(V0.game, "The game.")
        ) { context, game in try await context.withScreenshots([game])[0] },
    ]
}

extension RequestContext {
    /// The games with their screenshots, at least one each.
    fileprivate func withScreenshots(_ games: [FoundGame]) async throws -> [V0.Game] {
        let known = try await services.store.screenshotImageIDs(gameIDs: games.map(\.game.id))
        let placeholder = V0Screenshot(placeholderFrom: services)
        return games.map { game in
            let images = known[game.game.id] ?? []
            return V0.Game(
                found: game,
                screenshots: images.isEmpty
                    ? [placeholder] : images.map(V0Screenshot.init(imageID:)))
        }
    }
}
