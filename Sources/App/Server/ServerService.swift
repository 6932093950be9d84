import Foundation
import GameSearch
import Glibc
import HTTPClient
import HTTPServer
import IGDB
import Identity
import Logging
import Migrations
import Postgres
import ServiceLifecycle
import ShareCard
import Sockets
import Storage
import Web
import Work

/// The server, put together: one stack of pool, client and site for each event loop.
package struct ServerService: Service {
    private let loops: [EventLoop]
    private let pools: [PostgresPool]
    private let clients: [HTTPClient]
    private let server: HTTPServer
    private let redirectServer: HTTPServer?
    private let workers: WorkerPool
    private let housekeeping: Task<Void, Never>
    private let readiness: ReadyState
    private let manager: ServiceManager
    private let shutdownDelay: Duration
    private let certificateWatch: Task<Void, Never>?
    private let publicURL: String
    private let logger: Logger

    /// Checks everything that can be checked, and listens.
    ///
    /// - Throws: An error whose description tells the operator what to do.
    package init(
        _ settings: ServerSettings, manager: ServiceManager = ServiceManager(), logger: Logger
    ) async throws {
        self.logger = logger
        self.manager = manager
        shutdownDelay = settings.shutdownDelay
        let readiness = ReadyState()
        self.readiness = readiness
        let assets = AssetLibrary(modifiedAt: Self.programModifiedAt)
        let certificates =
            settings.certificates.isEmpty
            ? nil : try CertificateStore(settings.certificates, logger: logger)
        let keys = try Self.checkDatabase(settings)
        let inherited = try manager.inheritedSockets()
        let sockets =
            inherited.isEmpty
            ? try Self.listen(settings.host, settings.port, Settings.service.port) : inherited
        let redirectSockets = try settings.redirectPort.map {
            try Self.listen(settings.host, $0, Settings.https.redirectPort)
        }
        var (http, redirectConnections) = try Self.bounded(
            settings, sockets: sockets.count, redirectSockets: redirectSockets?.count ?? 0, logger)
        http.tls = certificates?.server

        loops = try (0..<settings.loops).map { try EventLoop(name: "loop \($0)") }
        let longReads = LongReads(limit: settings.loops / 2)
        pools = try loops.map {
            try PostgresPool(settings.database, on: $0, logger: logger, longReads: longReads)
        }
        clients = loops.map { HTTPClient(on: $0) }
        workers = WorkerPool(threads: settings.passwordHashers)
        let hasher = PasswordHasher(ln: settings.passwordCost, on: workers)
        let cards = CardRenderer(on: workers)
        let stores = pools.map { Store($0) }
        let ownKeys = OwnKeys(keys, loop: loops[0], logger: logger) { [store = stores[0]] in
            try await store.signingKeys()
        }
        let realm = try await Realm(
            ownKeys: ownKeys, trusted: settings.trustedIssuers, providers: settings.providers,
            client: clients[0], loop: loops[0], logger: logger)
        let directory = Self.directory(
            settings, store: stores[0], client: clients[0], loop: loops[0], logger)
        let rateLimiter = RateLimiter(settings.web.rateLimits)
        var sites: [ObjectIdentifier: Site] = [:]
        for (index, loop) in loops.enumerated() {
            let accounts = Accounts(
                store: stores[index], hasher: hasher, policy: settings.accounts)
            let services = Services(
                store: stores[index], games: GameFinder(directory, store: stores[index]),
                accounts: accounts,
                authenticator: realm.authenticator(accounts: accounts, client: clients[index]),
                providers: realm.openIDProviders(client: clients[index]), ownKeys: ownKeys,
                assets: assets, cards: cards, rateLimiter: rateLimiter, readiness: readiness,
                settings: settings.web, logger: logger)
            sites[ObjectIdentifier(loop)] = Site(services)
        }
        for (loop, pool) in zip(loops, pools) { loop.execute { pool.open() } }
        server = try await HTTPServer(http, sockets: sockets, loops: loops) { loop in
            guard let site = sites[ObjectIdentifier(loop)] else {
                preconditionFailure("every loop has a site")
            }
            return site
        }
        redirectServer = try await Self.redirectServer(
            to: settings.web.publicURL, http, redirectSockets, connections: redirectConnections,
            loops)
        housekeeping = Self.keepHouse(stores[0], on: loops[0], logger)
        certificateWatch = certificates.map { certificates in
            Task.detached { await certificates.watch(every: .seconds(2)) }
        }
        if settings.host.hasPrefix("unix:"), !settings.web.trustedProxies.includesLocal {
            logger.warning(
                """
                on a unix-domain socket nobody's address is known, so failed sign-ins are not \
                bounded by it; TRUSTED_PROXIES=local believes the proxy in front
                """)
        }
        publicURL = settings.web.publicURL
    }

    /// When the program, and with it every asset, was written; in seconds since 1970.
    private static var programModifiedAt: Int? {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: Bundle.main.executablePath ?? "")
        return (attributes?[.modificationDate] as? Date).map { Int($0.timeIntervalSince1970) }
    }

    /// The schema must be exactly ours; the signing key is made at the first start.
    private static func checkDatabase(_ settings: ServerSettings) throws -> [SigningKey] {
        let migrations = try Migration.embedded()
        let session = try BlockingSession(
            connectionString: settings.database.connectionString, applicationName: "fave-server")
        try Migrator(session, migrations).check()
        let stored = try StoredSigningKey.loadOrMake(session, candidate: SigningKey.make())
        return try stored.map { stored in
            guard let key = SigningKey(stored) else {
                throw OperatorError("The signing key \(stored.id) in the database is damaged.")
            }
            return key
        }
    }

    /// IGDB is asked by one loop for all: its limits are the whole application's.
    private static func directory(
        _ settings: ServerSettings, store: Store, client: HTTPClient, loop: EventLoop,
        _ logger: Logger
    ) -> GameDirectory {
        let igdb = settings.igdb.map { configuration in
            IGDBClient(
                configuration, tokens: StoredTokens(store, clientID: configuration.clientID),
                client: client, loop: loop, logger: logger)
        }
        return GameDirectory(
            client: igdb, store: store, loop: loop, logger: logger, terms: settings.gameSearch)
    }

    /// Notes each day's ranks, and deletes expired sessions and the like, now and then.
    private static func keepHouse(
        _ store: Store, on loop: EventLoop, _ logger: Logger
    ) -> Task<Void, Never> {
        @Sendable func attempt(_ what: String, _ body: () async throws -> Void) async {
            do {
                try await body()
            } catch {
                // What fails because the server ends is no news.
                guard !Task.isCancelled else { return }
                logger.warning("housekeeping: \(what): \(String(reflecting: error))")
            }
        }
        return Task(executorPreference: loop) {
            while !Task.isCancelled {
                await attempt("ranks") { try await store.noteRanks() }
                for what in Store.Perishable.allCases {
                    // In small parts: nobody waits long for a row.
                    await attempt("\(what)") {
                        while try await store.deleteExpired(what), !Task.isCancelled {}
                    }
                }
                try? await Task.sleep(for: .seconds(600))
            }
        }
    }

    /// Lets there be as many connections as the descriptors allow that the rest leaves.
    ///
    /// - Returns: The bounds of the server, and how many connections its redirects may have.
    private static func bounded(
        _ settings: ServerSettings, sockets: Int, redirectSockets: Int, _ logger: Logger
    ) throws -> (ServerConfiguration, redirectConnections: Int) {
        let sockets = sockets + redirectSockets
        // An epoll and an event descriptor, the connections to PostgreSQL, a duplicate of each
        // listening socket, requests to IGDB and identity providers; and files, the log and
        // look-ups of names, for all loops together.
        let perLoop = 2 + settings.database.connections + sockets + HTTPClient.connectionLimit
        let limit = try DescriptorLimit.raise()
        var reserve = sockets + settings.loops * perLoop + 32
        // Each redirect has a connection for itself, but only for a moment.
        let redirectConnections = min(1024, max(8, (limit - reserve) / 16))
        if redirectSockets > 0 {
            reserve += HTTPServer.descriptors(maximumConnections: redirectConnections)
        }
        let wanted = settings.http.maximumConnections
        var http = settings.http
        let possible = HTTPServer.maximumConnections(descriptors: limit - reserve)
        guard possible >= 16 else {
            throw OperatorError(
                """
                The process may have \(limit) descriptors, of which \(reserve) are for other things \
                than clients. Allow more (ulimit -n, or LimitNOFILE= for systemd), or set LOOPS or \
                DATABASE_CONNECTIONS lower.
                """)
        }
        http.maximumConnections = min(wanted, possible)
        http.connectionsPerAddress = min(
            settings.connectionsPerAddress ?? max(16, http.maximumConnections / 4),
            http.maximumConnections)
        http.owner = { [proxies = settings.web.trustedProxies] client in
            proxies.contains(client) ? nil : client.network
        }
        logger.log(
            level: http.maximumConnections < wanted ? .warning : .info,
            """
            up to \(http.maximumConnections) connections, \(http.connectionsPerAddress) from one \
            address: of \(limit) descriptors, \(reserve) are kept for other things
            """)
        return (http, redirectConnections)
    }

    /// - Parameter http: The bounds of the server itself.
    private static func redirectServer(
        to publicURL: String, _ http: ServerConfiguration, _ sockets: [ListeningSocket]?,
        connections: Int, _ loops: [EventLoop]
    ) async throws -> HTTPServer? {
        guard let sockets else { return nil }
        var http = http
        http.tls = nil
        // A client that follows has no further use for the connection.
        http.requestsPerConnection = 1
        http.maximumConnections = connections
        http.connectionsPerAddress = max(1, connections / 4)
        return try await HTTPServer(http, sockets: sockets, loops: loops) { _ in
            HTTPSRedirect(to: publicURL)
        }
    }

    /// - Parameter setting: What sets the port.
    private static func listen(
        _ host: String, _ port: Int, _ setting: any AnySetting
    ) throws -> [ListeningSocket] {
        let addresses =
            host.hasPrefix("unix:")
            ? [try SocketAddress.unix(path: String(host.dropFirst("unix:".count)))]
            : try SocketAddress.resolve(host: host, port: port)
        return try addresses.map { address in
            do throws(SystemError) {
                return try ListeningSocket(address)
            } catch {
                switch error.code {
                case EADDRINUSE:
                    throw OperatorError(
                        """
                        \(address) is taken: something listens there. Stop it, or set \
                        \(setting.name).
                        """)
                case EACCES:
                    throw OperatorError(
                        "\(address) may not be listened on by this user. Set \(setting.name).")
                case EADDRNOTAVAIL:
                    throw OperatorError("\(address) is not an address of this machine. Set HOST.")
                default: throw OperatorError("\(address) cannot be listened on: \(error).")
                }
            }
        }
    }

    /// Where it listens.
    package var addresses: [SocketAddress] { server.addresses }

    /// Where it leads clients that speak HTTP in the clear to HTTPS.
    package var redirectAddresses: [SocketAddress] { redirectServer?.addresses ?? [] }

    /// Serves until it is told to stop, then lets running requests end.
    package func run() async throws {
        // Not before: from now on signals are heard.
        let addresses = server.addresses.map(\.description).joined(separator: ", ")
        logger.notice("listening on \(addresses), as \(publicURL)")
        manager.notify("READY=1\nSTATUS=listening on \(addresses)")
        if !redirectAddresses.isEmpty {
            let addresses = redirectAddresses.map(\.description).joined(separator: ", ")
            logger.notice("redirecting \(addresses) to \(publicURL)")
        }
        let watchdog = Task { [manager, loops] in await manager.feedWatchdog(loops) }
        // Not on a loop: it takes some milliseconds.
        let trimming = Task { await ResidentMemory.trim(every: .seconds(10)) }
        do {
            try await gracefulShutdown()
        } catch is CancellationError {
            // Told to stop in the harder way: the same, as far as it goes.
        }
        readiness.end()
        manager.notify("STOPPING=1")
        if shutdownDelay > .zero {
            // A load balancer has this long to notice. A separate task, as this one may be
            // cancelled.
            logger.notice("stopping in \(shutdownDelay)")
            _ = await Task.detached { [shutdownDelay] in
                try? await Task.sleep(for: shutdownDelay)
            }.value
        }
        await stop()
        watchdog.cancel()
        trimming.cancel()
    }

    /// Lets running requests end, within `drainTimeout`, and closes everything.
    package func stop() async {
        logger.notice("stopping: finishing \(server.connectionCount) connections")
        housekeeping.cancel()
        certificateWatch?.cancel()
        async let redirectsEnd: Void? = redirectServer?.drain()
        await server.drain()
        await redirectsEnd
        workers.close()
        for (index, loop) in loops.enumerated() {
            loop.execute { [pool = pools[index]] in pool.close() }
            await clients[index].close()
            loop.stop()
        }
        logger.notice("stopped")
    }
}
