public import Endpoints
public import FaveGames
public import GameSearch
package import HTTP
public import Identity
public import Imports
package import Languages
public import Logging
public import Outbox
public import ShareCard
public import Storage

/// The dependencies of the handlers on one loop.
///
/// A class, since every request refers to them from several places, and one reference is quicker to
/// copy than all of them.
///
/// Everything here that reads from the database reads from `store`, and so in the same way. A response
/// that may be cached is made with services whose store records what it reads. A handler has no other
/// services, so it can't read anything unrecorded.
public final class Services: Sendable {
    let store: Store
    let games: GameFinder
    let accounts: Accounts
    let importer: Importer
    let authenticator: Authenticator
    let providers: [OpenIDProvider]
    let ownKeys: OwnKeys
    let assets: AssetLibrary
    let cards: CardRenderer
    /// The covers that the site serves itself; `nil` if browsers get them from IGDB's image host.
    let covers: CoverStore?
    let rateLimiter: RateLimiter
    let health: Health
    package let gzip = Gzip.ofResponses
    let settings: WebSettings
    package let logger: Logger

    /// - Parameters:
    ///   - store: What all the others are made to read from, whatever they have read from.
    ///   - catalogue: Where games and imports are stored, which wait for IGDB; the same if `nil`.
    public init(
        store: Store, catalogue: Store? = nil, games: GameFinder, accounts: Accounts,
        importer: Importer,
        authenticator: Authenticator, providers: [OpenIDProvider], ownKeys: OwnKeys,
        assets: AssetLibrary,
        cards: CardRenderer, covers: CoverStore? = nil, rateLimiter: RateLimiter,
        health: Health,
        settings: WebSettings, logger: Logger
    ) {
        self.store = store
        self.games = games.reading(from: catalogue ?? store)
        self.accounts = accounts.reading(from: store)
        self.importer = importer.reading(from: catalogue ?? store)
        self.authenticator = authenticator.reading(from: store)
        self.providers = providers
        self.ownKeys = ownKeys
        self.assets = assets
        self.cards = cards
        self.covers = covers
        self.rateLimiter = rateLimiter
        self.health = health
        self.settings = settings
        self.logger = logger
    }

    /// The same services, but with another way of reading.
    ///
    /// - Parameter viewer: The sender of the request; `nil` if that stays as it is.
    func reading(_ reading: Reading, for viewer: Viewer? = nil) -> Services {
        using(store.reading(reading, for: viewer))
    }

    /// The same services, but what people do is written to another store. Games that IGDB is asked for are
    /// not: a transaction must not wait for that.
    func writing(to store: Store) -> Services { using(store, catalogue: self.store) }

    private func using(_ store: Store, catalogue: Store? = nil) -> Services {
        Services(
            store: store, catalogue: catalogue, games: games, accounts: accounts,
            importer: importer,
            authenticator: authenticator, providers: providers, ownKeys: ownKeys, assets: assets,
            cards: cards, covers: covers, rateLimiter: rateLimiter, health: health,
            settings: settings,
            logger: logger)
    }
}

/// The operator's settings for pages and the API.
public struct WebSettings: Sendable {
    /// The site's public address, without a trailing slash: its origin, as browsers write it.
    public var publicURL: String {
        didSet {
            cookieSite = Self.cookieSite(publicURL)
            addresses = SiteAddresses(publicURL, covers)
        }
    }
    /// What responses name of the site.
    public private(set) var addresses: SiteAddresses
    /// Where the site's cookies belong to.
    private(set) var cookieSite: CookieSite
    public var site = SiteIdentity()
    /// The languages that pages are in.
    package var languages = OfferedLanguages()
    /// Whether crawlers that train models are welcome.
    public var admitsAICrawlers = false
    /// The ids of the platforms on the home page, in order. A platform without a ranking is left
    /// out.
    public var featuredPlatforms: [Int]
    public var trustedProxies: TrustedProxies
    /// The address of this program's source, if pages are to link it.
    public var sourceURL: String?
    /// How long browsers must insist on TLS, in seconds; 0 omits the header field.
    public var strictTransportLifetime: Int
    /// The origins, besides the site's own, whose pages may write with the API.
    public var crossOrigins = AllowedOrigins.these([])
    /// How long shared caches may serve public reads of the API by themselves, in seconds.
    public var cacheLifetime = Self.defaultCacheLifetime
    public var rateLimits = RateLimits()
    public var cache = CacheLimits()
    /// Where the webhooks of circles may be sent to.
    public var webhookNetworks = WebhookNetworks.public
    /// How each request is logged; `nil` if it isn't.
    public var accessLog: RequestLog.Format?
    /// Where browsers get covers from.
    public var covers = CoverImage.Source.igdb {
        didSet { addresses = SiteAddresses(publicURL, covers) }
    }
    /// A request that takes longer than this is logged.
    public var slowRequest = Self.defaultSlowRequest

    public init(
        publicURL: String, featuredPlatforms: [Int] = Self.defaultFeaturedPlatforms,
        trustedProxies: TrustedProxies = TrustedProxies(),
        strictTransportLifetime: Int = Self.defaultStrictTransportLifetime
    ) {
        self.publicURL = publicURL
        addresses = SiteAddresses(publicURL, covers)
        cookieSite = Self.cookieSite(publicURL)
        self.featuredPlatforms = featuredPlatforms
        self.trustedProxies = trustedProxies
        self.strictTransportLifetime = strictTransportLifetime
    }

    public static let defaultCacheLifetime = 0

    public static let defaultSlowRequest = Duration.seconds(1)

    /// One year.
    public static let defaultStrictTransportLifetime = 31_536_000

    /// Whether people reach the site over TLS.
    var isSecure: Bool { publicURL.hasPrefix("https:") }

    private static func cookieSite(_ publicURL: String) -> CookieSite {
        let origin = WebOrigin(publicURL)
        return origin?.isSecure == false
            ? .plain("fave-games", port: origin?.port ?? 80) : .secure
    }

    /// PlayStation 4, Nintendo Switch, PC and Xbox One; then the successors of two of them.
    public static let defaultFeaturedPlatforms = [48, 130, 6, 49, 167, 508]
}

extension SiteAddresses {
    package convenience init(_ publicURL: String, _ covers: CoverImage.Source) {
        self.init(publicURL: publicURL, pictures: covers.folder(below: publicURL))
    }
}

/// The sizes of a loop's caches of data from the database.
public struct CacheLimits: Sendable {
    public var bytesPerLoop = 32 << 20
    /// The room for the rows that the responses for people who are signed in share.
    public var rowBytes: Int { bytesPerLoop / 4 }
    /// The room for cached responses.
    var responseBytes: Int { bytesPerLoop - rowBytes }
    /// How long responses are used while PostgreSQL can't be asked whether they are current.
    public var staleness = Duration.zero

    public init() {}
}
