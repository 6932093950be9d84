import FaveGames
import HTTPTypes

enum V0PlatformsAPI {
    private static let topLength = 5

    static let routes = [
        Route(
            .get, "/api/v0/platforms",
            .v0(
                "v0ListPlatforms", "Search platforms, or get platforms by id",
                "Give “platformIds”, “searchTerm” or “search”; they take precedence in this order."),
            takes: .search("searchTerm", example: "playstation"), .search(example: "playstation"),
            .ids("platformIds", mayHaveSpaces: true),
            answers: .array(
                of: V0.platform, "The platforms found.", "By name, or in the order of the ids.")
        ) { call, searchTerm, search, ids in
            let store = call.services.store
            if let ids { return try await store.platforms(ids: ids) }
            guard let search = searchTerm ?? search else {
                throw Problem.badRequest("Give \"searchTerm\", \"search\" or \"platformIds\".")
            }
            return try await store.platforms(matching: search)
        },

        Route(
            .get, "/api/v0/platform-fave-games/{platform}",
            .v0("v0ListPlatformGames", "Get the top five games of a platform"),
            takes: .platform,
            answers: .array(
                of: V0.rankedGame, "At most five.", atMost: topLength,
                "By the number of lists that include them.")
        ) { call, platform in
            try await call.services.store.ranking(
                platform: platform.id, limit: topLength, quotes: Ranking.quoteLimits.upperBound
            ).games
        },
    ]
}
