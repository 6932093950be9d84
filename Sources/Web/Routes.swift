import Endpoints
import HTTP
import HTTPTypes

/// A part of the product: the addresses that a folder of `Sources/Web` declares.
struct Feature: Sendable {
    /// The folder's name.
    let name: String
    /// What people find there, in a sentence.
    let summary: String
    let routes: [Route]

    fileprivate init(_ name: String, _ summary: String, _ routes: [Route]...) {
        self.name = name
        self.summary = summary
        self.routes = routes.flatMap { $0 }
    }
}

/// Every address of the service. Each feature declares its routes together with their handlers.
enum Routes {
    static let features = [
        Feature(
            "Home", "The first page, and what is new for someone since their last visit.",
            HomePage.routes, NewsAPI.routes),
        Feature(
            "Lists", "A person’s five games: to read, to edit, and to compare.",
            ListPage.routes, SimilarPage.routes, ListEditor.routes, MyListAPI.routes),
        Feature(
            "Entries", "Everyone’s reasons for loving a game, and the hearts that they get.",
            EntriesPage.routes, HeartForm.routes, EntriesAPI.routes, HeartsAPI.routes),
        Feature(
            "Rankings", "Platforms, and the top games of each.",
            PlatformsPage.routes, RankingPage.routes, PlatformsAPI.routes, RankingsAPI.routes),
        Feature(
            "Games", "Games, who loves them on which platform, and their covers.",
            GamesPage.routes, GamePage.routes, PlatformGamePage.routes, Covers.routes,
            GamesAPI.routes),
        Feature(
            "People", "Other people, and one’s own account.",
            UsersPage.routes, SettingsPage.routes, MailPages.routes, TokensPage.routes,
            InvitationsPage.routes, UsersAPI.routes, MeAPI.routes, TokensAPI.routes,
            InvitationsAPI.routes),
        Feature(
            "Following", "Following people, and blocking them.",
            FollowingPage.routes, FollowFeed.routes, BlockPages.routes, FollowsAPI.routes,
            BlocksAPI.routes),
        Feature(
            "Circles", "Groups of friends, with rankings of their own.",
            CirclesPage.routes, CirclePage.routes, CircleSettingsPage.routes,
            CircleInvitationPage.routes, CirclesAPI.routes, CircleMembersAPI.routes,
            CircleInvitationsAPI.routes),
        Feature(
            "Webhooks", "Circles’ own addresses that the site tells of changes.",
            CircleWebhookAPI.routes),
        Feature(
            "Snapshots", "Lists as they were, under a title or a year.",
            SnapshotPage.routes, SnapshotsPage.routes, SnapshotsAPI.routes),
        Feature(
            "Sharing",
            "Links with pictures, feeds and embedded lists, and what search engines read.",
            SharePage.routes, CardPictures.routes, EmbedPage.routes, Feeds.routes, OEmbed.routes,
            CardsAPI.routes, Robots.routes, Sitemap.routes),
        Feature(
            "Import", "Games from elsewhere, to pick five from.",
            ImportPage.routes, ImportAPI.routes),
        Feature(
            "SignIn", "Signing up, in and out, and recovering an account.",
            SignInPage.routes, ProviderSignIn.routes, NewcomerPage.routes, SignUpPage.routes,
            RecoveryPage.routes, PasskeysPage.routes, RecoveryCodesPage.routes, SignOutPage.routes,
            SessionsAPI.routes, RecoveryAPI.routes),
        Feature(
            "Apps", "Programs of others that people let use their account, with OAuth.",
            AuthorizePage.routes, AppsPage.routes, OAuthAPI.routes),
        Feature(
            "Languages", "Choosing the language of pages.", LanguagePage.routes),
        Feature(
            "Moderation", "Reports, and what moderators and administrators do.",
            ReportPage.routes, ModerationPage.routes, AdministratorPage.routes, ReportsAPI.routes,
            ModerationAPI.routes),
        Feature(
            "Reference", "What the site and its API are.",
            AboutPages.routes, ServiceAPI.routes, APIPage.routes, ProblemsPage.routes),
        Feature(
            "FirstFrontEnd", "The API that the site’s first front end was written for.",
            V0GamesAPI.routes, V0PlatformsAPI.routes, V0UsersAPI.routes, V0FaveGamesAPI.routes),
        Feature(
            "Site", "Scripts, styles and fonts, and signs of life for monitoring.",
            AssetLibrary.routes, Signals.routes),
    ]

    static let all: [Route] = features.flatMap(\.routes)

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
