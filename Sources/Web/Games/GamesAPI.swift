import Endpoints
import FaveGames
import GameSearch
import HTTPTypes
import Storage

enum GamesAPI {
    static let routes = [
        Route(
            .get, "/api/v1/games",
            .api(
                "listGames", .games, "List or search games",
                """
                Games with certain “ids”, which take precedence; games that match “search”; or \
                games on people's lists. A search for a name, optionally on a platform, goes to \
                IGDB; when IGDB is unavailable or slow, or finds nothing, the server's own catalogue \
                is searched. With \
                “tag” or “rating”, or with “platform” alone, the results are the games of matching \
                entries on public lists, those with the most such entries first; “search” then \
                looks only at the \(EntryFilter.maximumGames) best-known games of that name.
                """),
            takes: .limit, .first(.ids(), else: .group(.search(), .gameFilters)),
            returns: .json(
                found, "The best matches first, in the order of the ids, or the most loved first.")
        ) { context, limit, wanted in
            switch wanted {
            case .preferred(let ids):
                return Found(games: try await context.games.games(ids: ids), source: nil)
            case .other((let name, let filters)):
                return try await find(filters, named: name, limit: limit, context)
            }
        },

        Route(
            .get, "/api/v1/games/{game}", .api("getGame", .games, "Get a game"),
            takes: .game, returns: .json(V1.foundGame, "The game with its platforms.")
        ) { _, game in game },

        Route(
            .get, "/api/v1/games/{game}/standings",
            .api(
                "listStandings", .games, "Get a game's rank on each of its platforms",
                "The platform with the most lists that include the game comes first."),
            takes: .game,
            returns: .array(
                "standings", of: V1.standing, "One for each platform.", "The standings.")
        ) { context, game in try await context.services.store.standings(game: game.game.id) },

        Route(
            .get, "/api/v1/games/{game}/related",
            .api(
                "listRelatedGames", .games, "List games that people love who love this one",
                """
                Of the latest \(RelatedGame.listsLookedAt) public lists that include the game, the \
                other games that at least \(RelatedGame.leastSharedLists) of them include, the \
                closest first: what counts is how many lists they share, for the root of how many \
                they are on.
                """),
            takes: .game, .limit(1...50, default: 12),
            returns: .array(
                "games", of: V1.relatedGame, "The closest first.", atMost: 50,
                "The related games; none if too few lists include the game.")
        ) { context, game, limit in
            try await context.services.store.relatedGames(to: game.game.id, limit: limit)
        },
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
        _ wanted: EntryQuery, named name: SearchText?, limit: Int, _ context: RequestContext
    ) async throws -> Found {
        if let name, wanted.tag == nil, wanted.rating == nil {
            let response = try await context.games.games(
                matching: name, platform: wanted.platform?.id, limit: limit)
            return Found(games: response.games, source: Source(response.source))
        }
        var wanted = wanted
        try await context.nameGames(name, in: &wanted)
        let filter = wanted.filter
        guard filter != EntryFilter() else {
            throw Problem.invalidParameter(
                "search", "Give \"search\", \"ids\", \"platform\", \"tag\" or \"rating\".")
        }
        return Found(
            games: try await context.services.store.games(filter, limit: limit), source: .lists)
    }
}
