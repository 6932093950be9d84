import FaveGames
import GameSearch
import HTTP
import JSON

enum GamesAPI {
    /// Games with certain ids; or those that match a search, on a platform if one is given; or those
    /// on people's lists, by platform, tag and rating.
    static func list(_ call: Call) async throws -> Response {
        let limit = try call.limit()
        let games: [FoundGame]
        var source: String?
        if let ids = try call.ids() {
            games = try await call.services.games.games(ids: ids)
        } else {
            (games, source) = try await find(call.gameQuery(), limit: limit, call)
        }
        return Response.json { json in
            json.object { json in
                json.name("games")
                json.array(games) { $0.game($1) }
                if let source { json.member("source", source) }
            }
        }
    }

    private static func find(
        _ wanted: EntryQuery, limit: Int, _ call: Call
    ) async throws -> (games: [FoundGame], source: String) {
        if let name = wanted.gameName, wanted.tag == nil, wanted.rating == nil {
            let answer = try await call.services.games.games(
                matching: name, platform: wanted.platform?.id, limit: limit)
            return (answer.games, answer.source.rawValue)
        }
        var wanted = wanted
        try await call.nameGames(wanted.gameName, in: &wanted)
        let filter = wanted.filter
        guard filter != EntryFilter() else {
            throw Problem.badRequest(
                "Give \"search\", \"ids\", \"platform\", \"tag\" or \"rating\".")
        }
        return (try await call.services.store.games(filter, limit: limit), "lists")
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
