import HTTP
import HTTPServer
import HTTPTypes

typealias Handler = @Sendable (Call) async throws -> Response

/// Every address of the service.
enum Routes {
    static let table: [(HTTPRequest.Method, String, Handler)] = [
        // Pages
        (.get, "/", HomePage.show),
        (.get, "/platforms", PlatformsPage.show),
        (.get, "/platforms/{platform}", RankingPage.show),
        (.get, "/platforms/{platform}/games/{game}", PlatformGamePage.show),
        (.get, "/games", GamesPage.show),
        (.get, "/games/{game}", GamePage.show),
        (.post, "/games/{game}/add", GamePage.add),
        (.get, "/users", UsersPage.show),
        (.get, "/@{username}", ListPage.show),
        (.get, "/@{username}/kindred", KindredPage.show),
        (.get, "/@{username}/card-{card}", ListCard.show),
        (.get, "/entries", EntriesPage.show),
        (.get, "/me", ListEditor.show),
        (.post, "/me", ListEditor.submit),
        (.get, "/sign-in", SignInPage.show),
        (.post, "/sign-in", SignInPage.submit),
        (.get, "/sign-in/with/{provider}", ProviderSignIn.begin),
        (.get, "/sign-in/with/{provider}/callback", ProviderSignIn.finish),
        (.get, "/sign-up", SignUpPage.show),
        (.post, "/sign-up", SignUpPage.submit),
        (.get, "/sign-out", SignOutPage.show),
        (.post, "/sign-out", SignOutPage.submit),
        (.get, "/settings", SettingsPage.show),
        (.post, "/settings/profile", SettingsForms.profile),
        (.post, "/settings/username", SettingsForms.username),
        (.post, "/settings/password", SettingsForms.password),
        (.post, "/settings/sign-out-everywhere", SettingsForms.signOutEverywhere),
        (.post, "/settings/connect/{provider}", ProviderSignIn.connect),
        (.post, "/settings/disconnect/{identity}", SettingsForms.disconnect),
        (.get, "/settings/export", SettingsForms.export),
        (.post, "/settings/delete", SettingsForms.delete),
        (.get, "/assets/{asset}", AssetLibrary.serve),
        (.get, "/ping", ping),
        (.get, "/.well-known/jwks.json", SessionsAPI.keys),

        // Sharing
        (.get, "/@{username}/embed", EmbedPage.show),
        (.get, "/@{username}/feed", Feeds.list),
        (.get, "/platforms/{platform}/feed", Feeds.ranking),
        (.get, "/oembed", OEmbed.show),
        (.get, "/sitemap.xml", Sitemap.show),
        (.get, "/robots.txt", Robots.show),
        (.get, "/favicon.ico", AssetLibrary.serveIcon),

        // API
        (.get, "/api/problems", ProblemsPage.show),
        (.get, "/api/problems/{kind}", ProblemsPage.one),
        (.get, "/api/v1/platforms", PlatformsAPI.list),
        (.get, "/api/v1/platforms/{platform}", PlatformsAPI.one),
        (.get, "/api/v1/platforms/{platform}/ranking", RankingsAPI.ranking),
        (.get, "/api/v1/platforms/{platform}/games/{game}/entries", RankingsAPI.entries),
        (.get, "/api/v1/games", GamesAPI.list),
        (.get, "/api/v1/games/{game}", GamesAPI.one),
        (.get, "/api/v1/users", UsersAPI.search),
        (.get, "/api/v1/users/{username}", UsersAPI.one),
        (.get, "/api/v1/users/{username}/list", UsersAPI.list),
        (.post, "/api/v1/users", UsersAPI.create),
        (.get, "/api/v1/entries", EntriesAPI.list),
        (.post, "/api/v1/sessions", SessionsAPI.create),
        (.post, "/api/v1/sessions/refresh", SessionsAPI.refresh),
        (.delete, "/api/v1/sessions/current", SessionsAPI.delete),
        (.get, "/api/v1/me", MeAPI.show),
        (.patch, "/api/v1/me", MeAPI.change),
        (.delete, "/api/v1/me", MeAPI.delete),
        (.get, "/api/v1/me/export", MeAPI.export),
        (.put, "/api/v1/me/password", MeAPI.changePassword),
        (.delete, "/api/v1/me/sessions", MeAPI.endSessions),
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
