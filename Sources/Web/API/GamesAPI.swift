import FaveGames
import GameSearch
import HTTP

enum GamesAPI {
    /// Games that match a search, on a platform if one is given, or those with certain ids.
    static func list(_ call: Call) async throws -> Response {
        let limit = try call.query("limit", in: 1...100) ?? 20
        let platform = try call.query("platform", in: GameID.range)
        let games: [FoundGame]
        var source: GameDirectory.Source?
        if let ids = try call.ids() {
            games = try await call.services.games.games(ids: ids)
        } else if let search = try call.searchText() {
            let answer = try await call.services.games.games(
                matching: search, platform: platform, limit: limit)
            games = answer.games
            source = answer.source
        } else {
            throw Problem.badRequest("Give \"search\" or \"ids\".")
        }
        return Response.json { json in
            json.object { json in
                json.name("games")
                json.array(games) { $0.game($1) }
                if let source { json.member("source", source.rawValue) }
            }
        }
    }

    static func one(_ call: Call) async throws -> Response {
        let game = try await call.game()
        return Response.json { $0.game(game) }
    }
}

extension Call {
    /// The game of the path.
    ///
    /// - Throws: 404 if we do not know it.
    func game() async throws -> FoundGame {
        guard let game = try await services.games.game(path(.game)) else {
            throw Problem.notFound("There is no such game here.")
        }
        return game
    }
}
