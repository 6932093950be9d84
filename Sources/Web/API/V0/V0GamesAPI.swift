import FaveGames
import HTTP
import JSON

enum V0GamesAPI {
    /// Games that match a search, or those with certain ids.
    static func list(_ call: Call) async throws -> Response {
        let games: [FoundGame]
        if let ids = try call.ids("gameIds", mayHaveSpaces: true) {
            games = try await call.services.games.games(ids: ids)
        } else if let search = try call.searchText() {
            games = try await call.services.games.games(
                matching: search, platform: nil, limit: 20
            ).games
        } else {
            throw Problem.badRequest("Give \"search\" or \"gameIds\".")
        }
        let screenshots = try await call.screenshots(of: games)
        return Response.json { json in
            json.array(zip(games, screenshots)) { $0.v0Game($1.0, $1.1) }
        }
    }

    static func one(_ call: Call) async throws -> Response {
        let game = try await call.game()
        let screenshots = try await call.screenshots(of: [game])
        return Response.json { $0.v0Game(game, screenshots.first ?? []) }
    }
}

extension Call {
    /// The screenshots of each game, at least one.
    fileprivate func screenshots(of games: [FoundGame]) async throws -> [[V0Screenshot]] {
        let known = try await services.store.screenshotImageIDs(gameIDs: games.map(\.game.id))
        let placeholder = V0Screenshot(placeholderFrom: services)
        return games.map { game in
            let images = known[game.game.id] ?? []
            return images.isEmpty ? [placeholder] : images.map(V0Screenshot.init(imageID:))
        }
    }
}
