import Endpoints
import FaveGames
import Foundation
import GameSearch
import HTTPClient
import Identity
import Imports
import Logging
import Postgres
import ShareCard
import Storage
import StorageWrites
import TestSupport
import Views
import Work

@testable import Web

/// Things to build pages of, the same in every run.
enum Fixture {
    static let date = Date(timeIntervalSince1970: 1_719_835_200)  // 1 July 2024, 12:00 UTC

    static let playStation = Platform(
        id: 48, slug: "ps4--1", name: "PlayStation 4", abbreviation: "PS4")
    static let pc = Platform(
        id: 6, slug: "win", name: "PC (Microsoft Windows)", abbreviation: "PC")
    static let odd = Platform(id: 900, slug: "odd", name: "Bits & <Bobs>", abbreviation: nil)

    static let portal = Game(
        id: 71, name: GameTitle("Portal"), releaseYear: 2007, coverImageID: "co1x7d")
    static let guardian = Game(
        id: 117, name: GameTitle("The Last Guardian"), releaseYear: 2016, coverImageID: nil)
    static let diablo = Game(
        id: 120, name: GameTitle("Diablo III"), releaseYear: 2012, coverImageID: "co1r0o")
    static let shenmue = Game(
        id: 300, name: GameTitle("シェンムー 一章 横須賀"), releaseYear: 1999, coverImageID: nil)
    static let markup = Game(
        id: 301, name: GameTitle("R&D \"<Tag>\" 'n' Co"), releaseYear: nil, coverImageID: nil)

    static func user(
        _ username: String, _ displayName: String, updated: Date? = date
    ) -> User {
        User(
            id: id(1), username: username, displayName: displayName, createdAt: date,
            listUpdatedAt: updated)
    }

    static func entry(
        _ position: Int, _ game: Game, _ platform: Platform, _ comment: String = "",
        includedBy: Int = 1
    ) -> Entry {
        Entry(
            id: id(position), position: position, game: game, platform: platform, comment: comment,
            includedBy: includedBy, createdAt: date, updatedAt: date)
    }

    private static func id(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }

    static let full = FaveList(
        owner: user("rob", "Rob <the \"Great\"> & Co"),
        entries: [
            entry(1, portal, pc, "The cake is a lie.\n\nStill.", includedBy: 1235),
            entry(2, guardian, playStation, "", includedBy: 2),
            entry(3, shenmue, odd, "船乗りを探しています。"),
            entry(4, markup, odd, "<script>alert('1')</script> \"&amp;\"\u{301}", includedBy: 12),
            entry(5, diablo, playStation, String(repeating: "Stay awhile and listen. ", count: 40)),
        ])

    static func ranked(
        _ game: Game, _ rank: Int, _ count: Int, _ quotes: [Quote] = []
    ) -> RankedGame {
        RankedGame(game: game, rank: rank, includedBy: count, quotes: quotes)
    }
}

extension FaveList {
    var summary: ListSummary { ListSummary(owner: owner, games: entries.map(\.game)) }
}

extension Services {
    private static let workers = WorkerPool(threads: 1)
    private static let hasher = PasswordHasher(ln: 4, on: workers)

    /// What page models ask for addresses and assets. Reaches no database.
    static func forPages<Result>(
        _ body: (Services) async throws -> Result
    ) async throws -> Result {
        try await on(nil) { services, _ in try await body(services) }
    }

    /// Services with a database, whose pool is not open yet.
    static func on<Result>(
        _ database: TestDatabase?, of site: SiteIdentity = SiteIdentity(),
        _ body: (Services, PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await withLoop { loop in
            var configuration = PostgresConfiguration(connectionString: database?.url ?? "")
            // A busy machine is no reason for a page to say so.
            configuration.acquisitionTimeout = .seconds(120)
            configuration.statementTimeout = .seconds(120)
            let pool = try PostgresPool(configuration, on: loop, logger: .init(label: "test"))
            let store = Store(pool)
            let logger = Logger(label: "test")
            let client = HTTPClient(on: loop)
            let ownKeys = OwnKeys([], loop: loop, logger: logger) { [] }
            let realm = try await Realm(
                ownKeys: ownKeys, trusted: [], providers: [], client: client, loop: loop,
                logger: logger)
            let accounts = Accounts(
                store: store, hasher: Self.hasher, ownKeys: ownKeys, policy: AccountPolicy())
            let assets = AssetLibrary(
                [
                    "site.css": Array("body { color: red }".utf8),
                    "favicon.svg": Array("<svg/>".utf8), "site.js": Array("// nothing".utf8),
                ], of: site)
            var settings = WebSettings(publicURL: "https://fave.example")
            settings.site = site
            let services = Services(
                store: store,
                games: GameFinder(
                    GameDirectory(client: nil, store: store, loop: loop, logger: logger),
                    store: store),
                accounts: accounts,
                importer: Importer(
                    store: store, workers: Self.workers, loop: loop, logger: logger),
                authenticator: realm.authenticator(accounts: accounts),
                providers: [], ownKeys: ownKeys, assets: assets,
                cards: CardRenderer(on: WorkerPool(threads: 0)),
                rateLimiter: RateLimiter(RateLimits()),
                health: Health(on: loop, ReadyState(), schema: 0),
                settings: settings, logger: logger)
            return try await body(services, pool)
        }
    }
}
