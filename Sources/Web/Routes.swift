import HTTP
import HTTPServer
import HTTPTypes

typealias Handler = @Sendable (Call) async throws -> Response

/// Every address of the service.
enum Routes {
    private static let table: [(HTTPRequest.Method, String, Handler)] = [
        // Pages
        (.get, "/", HomePage.show),
        (.get, "/platforms", PlatformsPage.show),
        (.get, "/platforms/{platform}", RankingPage.show),
        (.get, "/platforms/{platform}/games/{game}", PlatformGamePage.show),
        (.get, "/games", GamesPage.show),
        (.get, "/games/{game}", GamePage.show),
        (.get, "/users", UsersPage.show),
        (.get, "/@{username}", ListPage.show),
        (.get, "/assets/{asset}", AssetLibrary.serve),
        (.get, "/ping", ping),

        // API
        (.get, "/api/v1/platforms", PlatformsAPI.list),
        (.get, "/api/v1/platforms/{platform}", PlatformsAPI.one),
        (.get, "/api/v1/platforms/{platform}/ranking", RankingsAPI.ranking),
        (.get, "/api/v1/platforms/{platform}/games/{game}/entries", RankingsAPI.entries),
        (.get, "/api/v1/games", GamesAPI.list),
        (.get, "/api/v1/games/{game}", GamesAPI.one),
        (.get, "/api/v1/users", UsersAPI.search),
        (.get, "/api/v1/users/{username}", UsersAPI.one),
        (.get, "/api/v1/users/{username}/list", UsersAPI.list),
        (.get, "/api/v1/me", MeAPI.show),
        (.get, "/api/v1/me/list", MyListAPI.show),
        (.put, "/api/v1/me/list", MyListAPI.replace),
        (.post, "/api/v1/me/list/entries", MyListAPI.add),
        (.patch, "/api/v1/me/list/entries/{entry}", MyListAPI.change),
        (.delete, "/api/v1/me/list/entries/{entry}", MyListAPI.remove),
    ]

    static let router: Router<Handler> = {
        var router = Router<Handler>()
        for (method, pattern, handler) in table { router.add(method, pattern, handler) }
        return router
    }()

    /// Says that the process answers, without asking the database.
    private static func ping(_ call: Call) -> Response {
        Response(
            headerFields: [.contentType: MediaType.text.description, .cacheControl: "no-store"],
            body: pong)
    }

    private static let pong = Array("pong\n".utf8)
}
