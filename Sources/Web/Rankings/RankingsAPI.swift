import Endpoints
import FaveGames
import GameSearch
import HTTPTypes
import Languages
import Storage

enum RankingsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/platforms/{platform}/ranking",
            .api(
                "getRanking", .platforms,
                "Rank a platform's games by the number of lists that include them"),
            takes: .platformReference,
            .limit(Ranking.pageSizes, default: Ranking.defaultPageSize),
            .integer(
                "comments", in: Ranking.quoteLimits, default: Ranking.defaultQuotes,
                "The maximum number of comments for each game.", example: 2),
            .cursor(RankingCursor.self),
            returns: .page("A page of the ranking.", to: RankingCursor.self, pageMembers)
        ) { context, reference, limit, quotes, cursor in
            let platformID: Int =
                switch reference {
                case .id(let id): id
                case .slug: try await context.platform(reference).id
                }
            try context.check(cursor, of: platformID)
            let store = context.services.store
            async let past = store.pastRanks(platform: platformID)
            let ranking = try await store.ranking(
                platform: platformID, limit: limit, quotes: quotes, at: cursor)
            let ranks = try await past
            // The platform of a ranking with games exists. Only an empty ranking leaves that open.
            if ranking.games.isEmpty { _ = try await context.platform(reference) }
            return .init(
                page: Page(
                    platformID: platformID,
                    games: ranking.games.map { game in
                        V1.MovedGame(
                            ranked: game,
                            movement: ranks.movement(of: game.game.id, to: game.rank))
                    }),
                next: ranking.next, previous: ranking.previous)
        },

        Route(
            .get, "/api/v1/platforms/{platform}/games/{game}/entries",
            .api(
                "listInclusions", .platforms,
                "List the users who include a game for a platform, latest first"),
            takes: .platform, .gameID, .limit, .cursor(InclusionCursor.self),
            returns: .entries("A page of public entries.", of: V1.inclusion)
        ) { context, platform, gameID, limit, cursor in
            let inclusions = try await context.services.store.inclusions(
                game: gameID, platform: platform.id, limit: limit, at: cursor)
            if inclusions.entries.isEmpty, cursor == nil {
                guard let game = try await context.games.game(gameID),
                    game.platforms.contains(platform)
                else { throw Problem.notFound(.english("There is no such game on this platform.")) }
            }
            return .init(
                page: inclusions.entries, next: inclusions.next, previous: inclusions.previous)
        },
    ]

    private struct Page: Sendable {
        let platformID: Int
        let games: [V1.MovedGame]
    }

    private static let pageMembers: [ObjectRepresentation<Page>.Member] = [
        .init("platformId", .integer(.igdbPlatform), "The platform's id.") { $0.platformID },
        .init(
            "games", .array(of: V1.movedGame, atMost: Ranking.pageSizes.upperBound),
            "By rank, and within a rank by name."
        ) { $0.games },
    ]
}

extension ResponseKind {
    /// A page of entries, latest first.
    static func entries<Type: Representation>(
        _ text: String, of type: Type
    ) -> Self where Output == CursorPage<[Type.Value], InclusionCursor> {
        .page(
            text, to: InclusionCursor.self,
            [.init("entries", .array(of: type, atMost: 100), "The latest first.") { $0 }])
    }
}
