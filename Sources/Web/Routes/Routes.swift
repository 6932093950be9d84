import Endpoints
import HTTP

/// Every address of the service. Each feature declares its routes together with their handlers.
enum Routes {
    static let all: [Route] = [
        // Pages
        HomePage.routes, PlatformsPage.routes, RankingPage.routes, PlatformGamePage.routes,
        GamesPage.routes, GamePage.routes, Covers.routes, UsersPage.routes, ListPage.routes,
        SnapshotPage.routes,
        SimilarPage.routes, EntriesPage.routes, HeartForm.routes, FollowingPage.routes,
        BlockPages.routes,
        ListEditor.routes, ImportPage.routes, AboutPages.routes,

        // Accounts
        SignInPage.routes, ProviderSignIn.routes, NewcomerPage.routes, SignUpPage.routes,
        RecoveryPage.routes, MailPages.routes, PasskeysPage.routes,
        RecoveryCodesPage.routes,
        SignOutPage.routes,
        SettingsPage.routes, SnapshotsPage.routes, TokensPage.routes, InvitationsPage.routes,

        // Circles
        CirclesPage.routes, CirclePage.routes, CircleSettingsPage.routes,
        CircleInvitationPage.routes, CirclesAPI.routes, CircleMembersAPI.routes,
        CircleInvitationsAPI.routes, CircleWebhookAPI.routes,

        // Moderation
        ReportPage.routes, ModerationPage.routes, AdministratorPage.routes, ReportsAPI.routes,
        ModerationAPI.routes, InvitationsAPI.routes, RecoveryAPI.routes,

        // Sharing
        SharePage.routes, CardPictures.routes, EmbedPage.routes, Feeds.routes, FollowFeed.routes,
        OEmbed.routes,

        // The API
        PlatformsAPI.routes, RankingsAPI.routes, GamesAPI.routes, EntriesAPI.routes,
        HeartsAPI.routes, FollowsAPI.routes, BlocksAPI.routes, NewsAPI.routes, UsersAPI.routes,
        SessionsAPI.routes,
        MeAPI.routes,
        TokensAPI.routes, MyListAPI.routes, SnapshotsAPI.routes,
        ImportAPI.routes, CardsAPI.routes,
        ServiceAPI.routes, APIPage.routes, ProblemsPage.routes,

        // The first front end
        V0GamesAPI.routes, V0PlatformsAPI.routes, V0UsersAPI.routes, V0FaveGamesAPI.routes,

        // For programs
        AssetLibrary.routes, Robots.routes, Sitemap.routes, Signals.routes,
    ].flatMap { $0 }

    static let router: Router<Route> = {
        var router = Router<Route>()
        for route in all { router.add(route.method, route.pattern, route) }
        return router
    }()

    /// The pages, by their patterns.
    static let pages = Dictionary(
        uniqueKeysWithValues: all.lazy.filter { $0.method == .get && $0.kind == .page }
            .map { ($0.pattern, $0) })

    /// The most bytes of a body, by the path, where that is more than elsewhere.
    static let bodyLimits: [String: Int] = {
        var limits: [String: Int] = [:]
        for route in all {
            guard let limit = route.inputs.lazy.compactMap(\.body?.limit).first else { continue }
            precondition(!route.pattern.contains("{"), "the parser knows no patterns")
            limits[route.pattern] = limit
        }
        return limits
    }()

    /// - Parameter match: What a router has found at the target.
    static func kind(of target: RequestTarget, _ match: Router<Route>.Match) -> AddressKind {
        switch match {
        case .found(let route, _), .methodNotAllowed(_, let route): route.kind
        case .methodNotImplemented(let route): route?.kind ?? kind(of: target)
        case .notFound: kind(of: target)
        }
    }

    /// The kind of an address that has no route.
    private static func kind(of target: RequestTarget) -> AddressKind {
        switch (target.segments.first, target.segments.dropFirst().first) {
        case ("api", "v0"): .plainAPI
        case ("api", _): .api
        case ("assets", _), (".well-known", _): .file
        default: .page
        }
    }
}
