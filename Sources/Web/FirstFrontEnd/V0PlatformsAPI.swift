import Endpoints
import FaveGames
import HTTPTypes
import Storage

enum V0PlatformsAPI {
    private static let topLength = 5

    static let routes = [
        Route(
            .get, "/api/v0/platforms",
            .v0(
                "v0ListPlatforms", "Search platforms, or get platforms by id",
                "Give “platformIds”, “searchTerm” or “search”; they take precedence in this order."),
            takes: .first(
                .ids("platformIds", mayHaveSpaces: true),
                else: .first(
                    .search("searchTerm", example: "playstation"),
                    else: .search(example: "playstation"))),
            returns: .array(
                of: V0.platform, "The platforms found.", "By name, or in the order of the ids.")
        ) { context, wanted in
            let store = context.services.store
            switch wanted {
            case .preferred(let ids): return try await store.platforms(ids: ids)
            case .other(.preferred(let search)), .other(.other(let search?)):
                return try await store.platforms(matching: search)
            case .other(.other(nil)):
                throw Problem.invalidParameter(
                    "searchTerm", "Give \"searchTerm\", \"search\" or \"platformIds\".")
            }
        },

        Route(
            .get, "/api/v0/platform-fave-games/{platform}",
            .v0("v0ListPlatformGames", "Get the top five games of a platform"),
            takes: .platform,
            returns: .array(
                of: V0.rankedGame, "At most five.", atMost: topLength,
                "By the number of lists that include them.")
        ) { context, platform in
            try await context.services.store.ranking(
                platform: platform.id, limit: topLength, quotes: Ranking.quoteLimits.upperBound
            ).games
        },
    ]
}
