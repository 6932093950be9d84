import FaveGames
import HTTPTypes

enum PlatformsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/platforms",
            .api(
                "listPlatforms", .platforms, "List or search platforms",
                "All platforms, those that match “search”, or those with certain “ids”, which take "
                    + "precedence over “search”."),
            takes: .search(), .ids(),
            answers: .array(
                "platforms", of: V1.platform, "All platforms, or those that were asked for.",
                "By name, or in the order of the ids.")
        ) { call, search, ids in
            let store = call.services.store
            if let ids { return try await store.platforms(ids: ids) }
            if let search { return try await store.platforms(matching: search) }
            return try await store.platforms()
        },

        Route(
            .get, "/api/v1/platforms/{platform}",
            .api("getPlatform", .platforms, "Get a platform"),
            takes: .platform, answers: .json(V1.platform, "The platform.")
        ) { _, platform in platform },
    ]
}
