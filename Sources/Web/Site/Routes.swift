import HTTP
import HTTPServer
import HTTPTypes

typealias Handler = @Sendable (Call) async throws -> Response

/// What answers at one address.
struct Endpoint: Sendable {
    let handler: Handler
    /// Whether it says the same for as long as the server runs, to all who are not signed in.
    let isConstant: Bool
}

/// Every address of the service.
enum Routes {
    /// Those that say the same for as long as the server runs, to all who are not signed in.
    private static let constants: [(HTTPRequest.Method, String, Handler)] = [
        (.get, "/assets/{asset}", AssetLibrary.serve),
        (.get, "/favicon.ico", AssetLibrary.serveIcon),
        (.get, "/ping", ping),
        (.get, "/robots.txt", Robots.show),
        (.get, "/api", APIPage.show),
        (.get, "/api/problems", ProblemsPage.show),
        (.get, "/api/problems/{kind}", ProblemsPage.one),
    ]

    private static let others: [(HTTPRequest.Method, String, Handler)] = [
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
        (.get, "/ready", ReadyState.show),
        (.get, "/.well-known/jwks.json", SessionsAPI.keys),

        // Sharing
        (.get, "/@{username}/embed", EmbedPage.show),
        (.get, "/@{username}/feed", Feeds.list),
        (.get, "/platforms/{platform}/feed", Feeds.ranking),
        (.get, "/oembed", OEmbed.show),
        (.get, "/sitemap.xml", Sitemap.show),

        // API
        (.get, "/api/v1/openapi.json", APIPage.document),
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
        (.get, "/api/v1/me/list/entries/{entry}", MyListAPI.one),
        (.patch, "/api/v1/me/list/entries/{entry}", MyListAPI.change),
        (.delete, "/api/v1/me/list/entries/{entry}", MyListAPI.remove),

        // The first front end
        (.get, "/api/v0/ping", barePing),
        (.get, "/api/v0/games", V0GamesAPI.list),
        (.get, "/api/v0/games/{game}", V0GamesAPI.one),
        (.get, "/api/v0/platforms", V0PlatformsAPI.list),
        (.get, "/api/v0/platform-fave-games/{platform}", V0PlatformsAPI.faveGames),
        (.get, "/api/v0/users", V0UsersAPI.search),
        (.get, "/api/v0/users/me", V0UsersAPI.me),
        (.get, "/api/v0/users/{user}", V0UsersAPI.one),
        (.get, "/api/v0/my-fave-games", V0FaveGamesAPI.mine),
        (.post, "/api/v0/my-fave-games", V0FaveGamesAPI.add),
        (.get, "/api/v0/my-fave-games/{user}", V0FaveGamesAPI.list),
        (.put, "/api/v0/my-fave-games/{entry}", V0FaveGamesAPI.change),
        (.delete, "/api/v0/my-fave-games/{entry}", V0FaveGamesAPI.remove),
    ]

    static let table = constants + others

    static let router: Router<Endpoint> = {
        var router = Router<Endpoint>()
        func add(_ routes: [(HTTPRequest.Method, String, Handler)], areConstant: Bool) {
            for (method, pattern, handler) in routes {
                router.add(method, pattern, Endpoint(handler: handler, isConstant: areConstant))
            }
        }
        add(constants, areConstant: true)
        add(others, areConstant: false)
        return router
    }()

    /// Says that the process answers, without asking the database.
    private static func ping(_ call: Call) -> Response { .signal("pong\n") }

    /// Without the line end: a program may compare it.
    private static func barePing(_ call: Call) -> Response { .signal("pong") }
}
