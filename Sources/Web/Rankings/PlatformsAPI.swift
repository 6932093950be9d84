import Endpoints
import FaveGames
import HTTPTypes
import Storage

enum PlatformsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/platforms",
            .api(
                "listPlatforms", .platforms, "List or search platforms",
                "All platforms, those that match “search”, or those with certain “ids”, which take "
                    + "precedence over “search”."),
            takes: .first(.ids(), else: .search()),
            returns: .array(
                "platforms", of: V1.platform, "All platforms, or those that were asked for.",
                "By name, or in the order of the ids.")
        ) { context, wanted in
            let store = context.services.store
            return switch wanted {
            case .preferred(let ids): try await store.platforms(ids: ids)
            case .other(let search?): try await store.platforms(matching: search)
            case .other(nil): try await store.platforms()
            }
        },

        Route(
            .get, "/api/v1/platforms/{platform}",
            .api("getPlatform", .platforms, "Get a platform"),
            takes: .platform, returns: .json(V1.platform, "The platform.")
        ) { _, platform in platform },
    ]
}
