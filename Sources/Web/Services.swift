import HTTP
import Identity
import Logging
import Storage

/// What the handlers of one loop work with.
public struct Services: Sendable {
    let store: Store
    let authenticator: Authenticator
    let views: ViewLibrary
    let assets: AssetLibrary
    let settings: WebSettings
    let logger: Logger

    public init(
        store: Store, authenticator: Authenticator, views: ViewLibrary, assets: AssetLibrary,
        settings: WebSettings, logger: Logger
    ) {
        self.store = store
        self.authenticator = authenticator
        self.views = views
        self.assets = assets
        self.settings = settings
        self.logger = logger
    }
}

/// What an operator can set about pages and API.
public struct WebSettings: Sendable {
    /// Where people reach the site, without a slash at the end.
    public var publicURL: String
    /// The platforms of the home page, by id, in order. One without a ranking is left out.
    public var featuredPlatforms: [Int]

    public init(publicURL: String, featuredPlatforms: [Int] = Self.defaultFeaturedPlatforms) {
        self.publicURL = publicURL
        self.featuredPlatforms = featuredPlatforms
    }

    /// PlayStation 4, Nintendo Switch, PC, Xbox One; then what succeeded them.
    public static let defaultFeaturedPlatforms = [48, 130, 6, 49, 167, 508, 169]
}
