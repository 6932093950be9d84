import Endpoints
import FaveGames
import Foundation
import GameSearch
import HTTPClient
import IGDB
import Identity
import Imports
import Languages
import Logging
import ShareCard
import Storage
import Web
import Work

/// What all loops share. Where one loop has to act on behalf of all, it is the first one.
struct SharedParts: Sendable {
    let workers: WorkerPool
    /// `nil` if the catalogue alone serves searches.
    let igdb: IGDBClient?
    /// `nil` if cards are drawn without covers.
    let covers: CoverStore?
    private let settings: ServerSettings
    private let assets: AssetLibrary
    private let hasher: PasswordHasher
    private let cards: CardRenderer
    private let ownKeys: OwnKeys
    private let realm: Realm
    private let directory: GameDirectory
    private let rateLimiter: RateLimiter
    private let logger: Logger

    /// - Parameter keys: `nil` if they have yet to be read.
    init(
        _ settings: ServerSettings, _ assets: AssetLibrary, on first: ServerLoop,
        _ keys: [SigningKey]?, _ logger: Logger
    ) async throws {
        self.settings = settings
        self.assets = assets
        self.logger = logger
        workers = WorkerPool(threads: settings.passwordHashers)
        hasher = PasswordHasher(ln: settings.passwordCost, on: workers)
        let folder = settings.web.covers == .site ? settings.coversFolder : nil
        covers = settings.coverImagesURL.map {
            CoverStore.fetching(
                from: $0, client: first.client,
                storedIn: folder.map {
                    CoverFolder(path: $0, limit: settings.coversBytes, logger: logger)
                })
        }
        cards = CardRenderer(on: workers, covers: covers)
        ownKeys = OwnKeys(keys, loop: first.loop, logger: logger) { [store = first.store] in
            try await store.signingKeys()
        }
        realm = try await Realm(
            ownKeys: ownKeys, trusted: settings.trustedIssuers, providers: settings.providers,
            client: first.client, loop: first.loop, logger: logger)
        igdb = settings.igdb.map {
            IGDBClient(
                $0, tokens: StoredTokens(first.store, clientID: $0.clientID), client: first.client,
                loop: first.loop, logger: logger)
        }
        // IGDB's limits are for the whole application.
        directory = GameDirectory(
            client: igdb, store: first.store, loop: first.loop, logger: logger,
            terms: settings.gameSearch)
        rateLimiter = RateLimiter(settings.web.rateLimits)
    }

    /// The site of one loop.
    func site(on loop: ServerLoop) -> Site {
        Site(services(on: loop), feed: loop.feed, rows: loop.rows)
    }

    private func services(on loop: ServerLoop) -> Services {
        let store = loop.store
        let accounts = Accounts(
            store: store, hasher: hasher, ownKeys: ownKeys, policy: settings.accounts)
        return Services(
            store: store, games: GameFinder(directory, store: store), accounts: accounts,
            importer: Importer(store: store, workers: workers, loop: loop.loop, logger: logger),
            authenticator: realm.authenticator(accounts: accounts),
            providers: realm.openIDProviders(client: loop.client), ownKeys: ownKeys,
            assets: assets, cards: cards, covers: settings.web.covers == .site ? covers : nil,
            rateLimiter: rateLimiter, health: loop.health,
            settings: settings.web, logger: logger)
    }

    /// The assets of a site.
    static func assets(of site: SiteIdentity, in language: Language) -> AssetLibrary {
        AssetLibrary(
            of: site, in: language,
            // With settings of their own, they may change at each start.
            modifiedAt: site == SiteIdentity() && language == .en
                ? programModifiedAt : Int(Date().timeIntervalSince1970))
    }

    /// When the program file, which contains every asset, was modified, in seconds since 1970.
    private static var programModifiedAt: Int? {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: Bundle.main.executablePath ?? "")
        return (attributes?[.modificationDate] as? Date).map { Int($0.timeIntervalSince1970) }
    }
}
