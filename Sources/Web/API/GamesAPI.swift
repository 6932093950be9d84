import FaveGames
import GameSearch
import HTTPTypes

enum GamesAPI {
    static let routes = [
        Route(
            .get, "/api/v1/games",
            .api(
                "listGames", .games, "List or search games",
                """
                Games with certain “ids”, which take precedence; games that match “search”; or \
                games on people's lists. A search for a name, optionally on a platform, goes to \
                IGDB; when IGDB is unavailable or slow, the server's own catalogue answers. With \
                “tag” or “rating”, or with “platform” alone, the results are the games of matching \
                entries on public lists, those with the most such entries first; “search” then \
                looks only at the \(EntryFilter.maximumGames) best-known games of that name.
                """),
            takes: .limit, .first(.ids(), else: InputGroup(.search(), .gameFilters)),
            answers: .json(
                found, "The best matches first, in the order of the ids, or the most loved first.")
        ) { call, limit, wanted in
            switch wanted {
            case .preferred(let ids):
                return Found(games: try await call.games.games(ids: ids), source: nil)
            case .other((let name, let filters)):
                return try await find(filters, named: name, limit: limit, call)
            }
        },

        Route(
            .get, "/api/v1/games/{game}", .api("getGame", .games, "Get a game"),
            takes: .game, answers: .json(V1.foundGame, "The game with its platforms.")
        ) { _, game in game },
    ]

    private struct Found: Sendable {
        let games: [FoundGame]
        let source: Source?
    }

    /// Where games were found.
    private enum Source: String, CaseIterable, Sendable {
        case igdb, catalogue, lists

        init(_ source: GameDirectory.Source) {
            self =
                switch source {
                case .igdb: .igdb
                case .catalogue: .catalogue
                }
        }
    }

    private static let found = ObjectRepresentation<Found>(
        nil, nil,
        [
            .init("games", .array(of: V1.foundGame, atMost: 100), "The games found.") { $0.games },
            .optional(
                "source", EnumerationRepresentation<Source>(),
                """
                Where they were found: at IGDB, in the server's own catalogue, or on people's \
                lists. Omitted for ids.
                """
            ) { $0.source },
        ])

    private static func find(
        _ wanted: EntryQuery, named name: SearchText?, limit: Int, _ call: Call
    ) async throws -> Found {
        if let name, wanted.tag == nil, wanted.rating == nil {
            let answer = try await call.games.games(
                matching: name, platform: wanted.platform?.id, limit: limit)
            return Found(games: answer.games, source: Source(answer.source))
        }
        var wanted = wanted
        try await call.nameGames(name, in: &wanted)
        let filter = wanted.filter
        guard filter != EntryFilter() else {
            throw Problem.badRequest(
                "Give \"search\", \"ids\", \"platform\", \"tag\" or \"rating\".")
        }
        return Found(
            games: try await call.services.store.games(filter, limit: limit), source: .lists)
    }
}
