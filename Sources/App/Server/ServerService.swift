import Endpoints
import Foundation
import GameSearch
import Glibc
import HTTPClient
import HTTPServer
import IGDB
import Identity
import Imports
import Logging
import Migrations
import Monitoring
import Postgres
import ServiceLifecycle
import ShareCard
import Sockets
@_spi(Writing) import Storage
import Traces
import Tracing
import Web
import Work

/// The assembled server. Each event loop has its own pool, HTTP client and site.
package struct ServerService: Service {
    private let loops: [EventLoop]
    private let pools: [PostgresPool]
    /// Of each loop; empty if there are none.
    private let replicas: [Replicas]
    private let clients: [HTTPClient]
    private let server: HTTPServer
    private let redirectServer: HTTPServer?
    private let adminServer: HTTPServer?
    private let workers: WorkerPool
    private let preparation: Preparation
    /// Waits for the database.
    private let prepared: Task<[SigningKey]?, Never>
    private let housekeeping: Task<Void, Never>
    private let postman: Postman?
    private let exporting: Task<Void, Never>?
    private let readiness: ReadyState
    private let manager: ServiceManager
    private let shutdownDelay: Duration
    private let certificateWatch: Task<Void, Never>?
    private let publicURL: String
    private let logger: Logger

    /// Checks everything that can be checked in advance, and starts to listen. A database that is away,
    /// or has an older schema, is waited for in the background.
    ///
    /// - Throws: An error whose description tells the operator what to do.
    package init(
        _ settings: ServerSettings, migrations: [Migration],
        manager: ServiceManager = ServiceManager(),
        metrics: MetricRegistry = MetricRegistry(ServerMetrics.recorded), logger: Logger
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
        let preparation = Preparation(
            settings, migrations, readiness,
            migrationPatience: manager.isPresent ? .seconds(60) : nil, logger)
        let prepared = Task.detached { await preparation.run() }
        self.preparation = preparation
        self.prepared = prepared
        let keys: [SigningKey]?
        do {
            keys = try await preparation.settle()
        } catch {
            prepared.cancel()
            throw error
        }
        let inherited = try manager.inheritedSockets()
        let sockets =
            inherited.isEmpty
            ? try Self.listen(settings.host, settings.port, Settings.service.port) : inherited
        let redirectSockets = try settings.redirectPort.map {
            try Self.listen(besides: sockets, $0)
        }
        let adminSockets = try settings.adminAddress.map {
            try Self.listen(on: $0.resolve(), Settings.monitoring.listen)
        }
        var (http, redirectConnections) = try Self.bounded(
            settings, sockets: sockets.count, redirectSockets: redirectSockets?.count ?? 0,
            adminSockets: adminSockets?.count ?? 0, logger)
        http.tls = certificates?.server
        http.limits.largerBodies = Site.bodyLimits

        loops = try (0..<settings.loops).map { try EventLoop(name: String($0)) }
        let longReads = LongReads(limit: settings.loops / 2)
        // The standbys have cores of their own.
        let replicaLongReads = LongReads(limit: settings.loops * settings.replicas.count / 2)
        let applicationName = Migration.applicationName(migrations)
        pools = try loops.map {
            try PostgresPool(
                settings.database, on: $0, logger: logger, longReads: longReads,
                applicationName: applicationName)
        }
        clients = loops.map { HTTPClient(on: $0) }
        workers = WorkerPool(threads: settings.passwordHashers)
        let exporter = settings.traces.map { [client = clients[0]] in
            SpanExporter($0.destination, client: client, logger: logger)
        }
        if let exporter, let ratio = settings.traces?.ratio {
            InstrumentationSystem.bootstrap(OTLPTracer(exporter, ratio: ratio))
        }
        exporting = exporter.map { [loop = loops[0]] exporter in
            Task(executorPreference: loop) { await exporter.run(on: loop) }
        }
        let hasher = PasswordHasher(ln: settings.passwordCost, on: workers)
        let covers = settings.coverImagesURL.map { [client = clients[0]] in
            CoverStore.fetching(from: $0, client: client)
        }
        let cards = CardRenderer(on: workers, covers: covers)
        let stores = pools.map { Store($0) }
        let ownKeys = OwnKeys(keys, loop: loops[0], logger: logger) { [store = stores[0]] in
            try await store.signingKeys()
        }
        let realm = try await Realm(
            ownKeys: ownKeys, trusted: settings.trustedIssuers, providers: settings.providers,
            client: clients[0], loop: loops[0], logger: logger)
        let igdb = Self.igdb(settings, store: stores[0], client: clients[0], loop: loops[0], logger)
        // One loop asks IGDB on behalf of all loops, because IGDB's limits are for the whole
        // application.
        let directory = GameDirectory(
            client: igdb, store: stores[0], loop: loops[0], logger: logger,
            terms: settings.gameSearch)
        let rateLimiter = RateLimiter(settings.web.rateLimits)
        var sites: [ObjectIdentifier: Site] = [:]
        var parts: [ServerMetrics.Part] = []
        var administrators: [ObjectIdentifier: AdminResponder] = [:]
        for (index, loop) in loops.enumerated() {
            let accounts = Accounts(
                store: stores[index], hasher: hasher, ownKeys: ownKeys,
                policy: settings.accounts)
            let health = Health(on: loop, readiness, schema: migrations.count)
            let services = Services(
                store: stores[index], games: GameFinder(directory, store: stores[index]),
                accounts: accounts,
                importer: Importer(
                    store: stores[index], workers: workers, loop: loop, logger: logger),
                authenticator: realm.authenticator(accounts: accounts),
                providers: realm.openIDProviders(client: clients[index]), ownKeys: ownKeys,
                assets: assets, cards: cards, rateLimiter: rateLimiter, health: health,
                settings: settings.web, logger: logger)
            let pool = pools[index]
            let feed =
                settings.keepsAnswers || !settings.replicas.isEmpty ? ChangeFeed(pool) : nil
            let rows =
                settings.keepsAnswers
                ? feed.map { SharedRows(pool, $0, bytes: settings.web.cache.rowBytes) } : nil
            let replicas =
                try settings.replicas.isEmpty
                ? nil
                : feed.map {
                    try Replicas(
                        settings.replicas, of: pool, $0, logger: logger,
                        longReads: replicaLongReads, applicationName: applicationName)
                }
            let site = Site(
                services, feed: feed, keepsAnswers: settings.keepsAnswers, rows: rows,
                replicas: replicas)
            sites[ObjectIdentifier(loop)] = site
            administrators[ObjectIdentifier(loop)] = AdminResponder(
                metrics, health, stores[index],
                isOnLoopback: settings.adminAddress?.isLoopback == true)
            parts.append(
                .init(
                    loop: loop, pool: pool, store: stores[index], site: site, feed: feed,
                    rows: rows, replicas: replicas))
        }
        replicas = parts.compactMap(\.replicas)
        let open: @Sendable () -> Void = { [parts] in
            for part in parts {
                part.loop.execute {
                    part.pool.open()
                    part.replicas?.open()
                }
            }
            readiness.begin()
        }
        if keys != nil {
            open()
        } else {
            Task {
                guard await prepared.value != nil else { return }
                open()
                logger.notice("the database can be used now")
            }
        }
        server = try await HTTPServer(http, sockets: sockets, loops: loops) { loop in
            guard let site = sites[ObjectIdentifier(loop)] else {
                preconditionFailure("every loop has a site")
            }
            return site
        }
        redirectServer = try await Self.redirectServer(
            to: settings.web.publicURL, http, redirectSockets, connections: redirectConnections,
            loops)
        metrics.add(
            ServerMetrics(
                parts: parts, server: server, workers: workers, igdb: igdb,
                exporter: exporter, tls: certificates?.server, hasMail: settings.mail != nil,
                schema: migrations.count
            ).collect)
        adminServer = try await Self.adminServer(http, adminSockets, loops) { loop in
            guard let administrator = administrators[ObjectIdentifier(loop)] else {
                preconditionFailure("every loop has its responder")
            }
            return administrator
        }
        housekeeping = Self.keepHouse(stores[0], on: loops[0], after: prepared, logger)
        postman = settings.mail.map { [store = stores[0], loop = loops[0]] in
            Postman(
                $0, publicURL: settings.web.publicURL, store: store, on: loop, after: prepared,
                logger)
        }
        certificateWatch = certificates.map { certificates in
            Task.detached { await certificates.watch(every: .seconds(2)) }
        }
        if settings.host.hasPrefix("unix:"), !settings.web.trustedProxies.includesLocal {
            logger.warning(
                """
                clients of a unix-domain socket have no address, so failed sign-ins cannot be \
                limited by address; to trust the X-Forwarded-For of the proxy in front, set \
                TRUSTED_PROXIES=local
                """)
        }
        publicURL = settings.web.publicURL
    }

    /// When the program file, which contains every asset, was modified, in seconds since 1970.
    private static var programModifiedAt: Int? {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: Bundle.main.executablePath ?? "")
        return (attributes?[.modificationDate] as? Date).map { Int($0.timeIntervalSince1970) }
    }

    private static func igdb(
        _ settings: ServerSettings, store: Store, client: HTTPClient, loop: EventLoop,
        _ logger: Logger
    ) -> IGDBClient? {
        settings.igdb.map { configuration in
            IGDBClient(
                configuration, tokens: StoredTokens(store, clientID: configuration.clientID),
                client: client, loop: loop, logger: logger)
        }
    }

    /// Does the maintenance tasks, unless another server does them, until the task is cancelled.
    private static func keepHouse(
        _ store: Store, on loop: EventLoop, after preparation: Task<[SigningKey]?, Never>,
        _ logger: Logger
    ) -> Task<Void, Never> {
        Task(executorPreference: loop) {
            guard await preparation.value != nil else { return }
            while !Task.isCancelled {
                for task in MaintenanceTask.allCases {
                    do {
                        try await store.maintain(task)
                    } catch {
                        // A failure because the server is stopping is not worth a warning.
                        guard !Task.isCancelled else { return }
                        logger.warning(
                            "maintenance failed: \(task.name): \(String(reflecting: error))")
                    }
                }
                // More often than the tasks are due: they may have been another server's, which is
                // gone.
                try? await Task.sleep(for: MaintenanceTask.period / 2)
            }
        }
    }

    /// Limits the connections of clients to the descriptors that are left after everything else.
    ///
    /// - Returns: The configuration with these limits, and how many connections the redirects may
    ///   have.
    private static func bounded(
        _ settings: ServerSettings, sockets: Int, redirectSockets: Int, adminSockets: Int,
        _ logger: Logger
    ) throws -> (ServerConfiguration, redirectConnections: Int) {
        let sockets = sockets + redirectSockets + adminSockets
        // Each loop has an epoll and an event descriptor, its connections to PostgreSQL, a
        // duplicate of each listening socket, and connections to IGDB and identity providers. All
        // loops share 32 more for files, the log and name look-ups.
        let perLoop =
            2 + settings.database.connections + settings.replicas.reduce(0) { $0 + $1.connections }
            + sockets + HTTPClient.connectionLimit
        let limit = try DescriptorLimit.raise()
        var reserve = sockets + settings.loops * perLoop + 32
        if adminSockets > 0 {
            reserve += HTTPServer.descriptors(
                maximumConnections: adminConnections, loops: settings.loops)
        }
        // Each redirect needs a connection of its own, but only for a moment.
        let redirectConnections = min(1024, max(8, (limit - reserve) / 16))
        if redirectSockets > 0 {
            reserve += HTTPServer.descriptors(
                maximumConnections: redirectConnections, loops: settings.loops)
        }
        let wanted = settings.http.maximumConnections
        var http = settings.http
        let possible = HTTPServer.maximumConnections(
            descriptors: limit - reserve, loops: settings.loops)
        guard possible >= 16 else {
            throw OperatorError(
                """
                The process may open \(limit) file descriptors, and needs \(reserve) of them for \
                things other than clients. Raise the limit (ulimit -n, or LimitNOFILE= in \
                systemd), or lower LOOPS or DATABASE_CONNECTIONS.
                """)
        }
        http.maximumConnections = min(wanted, possible)
        http.connectionsPerAddress = min(
            settings.connectionsPerAddress ?? max(16, http.maximumConnections / 4),
            http.maximumConnections)
        http.owner = { [proxies = settings.web.trustedProxies] client in
            guard !proxies.contains(client), let network = client.network else { return nil }
            return network.site ?? network
        }
        logger.log(
            level: http.maximumConnections < wanted ? .warning : .info,
            """
            up to \(http.maximumConnections) connections, \(http.connectionsPerAddress) from one \
            address; \(reserve) of \(limit) file descriptors are reserved for other things
            """)
        return (http, redirectConnections)
    }

    /// Starts the server that redirects plain HTTP to HTTPS, if there are sockets for it.
    ///
    /// - Parameter http: The configuration of the main server.
    private static func redirectServer(
        to publicURL: String, _ http: ServerConfiguration, _ sockets: [ListeningSocket]?,
        connections: Int, _ loops: [EventLoop]
    ) async throws -> HTTPServer? {
        guard let sockets else { return nil }
        var http = http
        http.tls = nil
        // A client that follows the redirect has no further use for this connection.
        http.requestsPerConnection = 1
        http.maximumConnections = connections
        http.connectionsPerAddress = max(1, connections / 4)
        return try await HTTPServer(http, sockets: sockets, loops: loops) { _ in
            HTTPSRedirect(to: publicURL)
        }
    }

    /// Starts the server for the operator's monitors, if there are sockets for it.
    ///
    /// - Parameter http: The configuration of the main server.
    private static func adminServer(
        _ http: ServerConfiguration, _ sockets: [ListeningSocket]?, _ loops: [EventLoop],
        makeResponder: (EventLoop) -> AdminResponder
    ) async throws -> HTTPServer? {
        guard let sockets else { return nil }
        var http = http
        http.tls = nil
        http.maximumConnections = Self.adminConnections
        http.connectionsPerAddress = Self.adminConnections
        return try await HTTPServer(http, sockets: sockets, loops: loops) { makeResponder($0) }
    }

    private static let adminConnections = 16

    /// Listens on all addresses of a host, or on a unix-domain socket.
    ///
    /// - Parameter setting: The port's setting, which errors name.
    private static func listen(
        _ host: String, _ port: Int, _ setting: any AnySetting
    ) throws -> [ListeningSocket] {
        try listen(
            on: host.hasPrefix("unix:")
                ? [try SocketAddress.unix(path: String(host.dropFirst("unix:".count)))]
                : try SocketAddress.resolve(host: host, port: port), setting)
    }

    /// Listens on the port that redirects to HTTPS, on the addresses of the server's own sockets.
    private static func listen(
        besides sockets: [ListeningSocket], _ port: Int
    ) throws -> [ListeningSocket] {
        var hosts = sockets.filter { $0.address.port != nil }.map(\.address.host)
        // systemd's [::] takes IPv4, too, and our own sockets don't.
        if sockets.contains(where: { $0.isShared && $0.address.host == "::" }) {
            hosts.append("0.0.0.0")
        }
        guard !hosts.isEmpty else {
            throw OperatorError(
                """
                HTTP_REDIRECT_PORT needs an address to listen on, and the service manager has handed \
                over none.
                """)
        }
        return try listen(
            on: Set(hosts).sorted().flatMap { try SocketAddress.resolve(host: $0, port: port) },
            Settings.https.redirectPort)
    }

    private static func listen(
        on addresses: [SocketAddress], _ setting: any AnySetting
    ) throws -> [ListeningSocket] {
        try addresses.map { address in
            do throws(SystemError) {
                return try ListeningSocket(address)
            } catch {
                switch error.code {
                case EADDRINUSE:
                    throw OperatorError(
                        """
                        \(address) is in use: another program listens there. Stop it, or change \
                        \(setting.name).
                        """)
                case EACCES:
                    throw OperatorError(
                        "This user may not listen on \(address). Change \(setting.name).")
                case EADDRNOTAVAIL:
                    throw OperatorError(
                        "\(address) is not an address of this machine. Change \(setting.name).")
                default: throw OperatorError("Cannot listen on \(address): \(error).")
                }
            }
        }
    }

    /// The addresses that the server listens on.
    package var addresses: [SocketAddress] { server.addresses }

    /// The addresses that redirect clients from plain HTTP to HTTPS.
    package var redirectAddresses: [SocketAddress] { redirectServer?.addresses ?? [] }

    /// The addresses for the operator's monitors.
    package var adminAddresses: [SocketAddress] { adminServer?.addresses ?? [] }

    /// Serves until the process is told to stop, then lets running requests finish.
    package func run() async throws {
        // Not earlier: signals are handled only from now on.
        let addresses = server.addresses.map(\.description).joined(separator: ", ")
        logger.notice("listening on \(addresses), as \(publicURL)")
        manager.notify("READY=1\nSTATUS=listening on \(addresses)")
        if !redirectAddresses.isEmpty {
            let addresses = redirectAddresses.map(\.description).joined(separator: ", ")
            logger.notice("redirecting \(addresses) to \(publicURL)")
        }
        if !adminAddresses.isEmpty {
            let addresses = adminAddresses.map(\.description).joined(separator: ", ")
            logger.notice("answering monitors on \(addresses)")
        }
        let watchdog = Task { [manager, loops] in await manager.feedWatchdog(loops) }
        // Not on an event loop, because trimming takes some milliseconds.
        let trimming = Task { await ResidentMemory.trim(every: .seconds(10)) }
        let mustStartAgain = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                // Ends, too, if the task is cancelled instead of shut down gracefully.
                try? await gracefulShutdown()
                return false
            }
            group.addTask { [preparation] in
                for await _ in preparation.restarts { return true }
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        readiness.end()
        manager.notify("STOPPING=1")
        if shutdownDelay > .zero {
            // Load balancers have this long to notice. The sleep has a task of its own, because
            // this task may be cancelled.
            logger.notice("stopping in \(shutdownDelay)")
            _ = await Task.detached { [shutdownDelay] in
                try? await Task.sleep(for: shutdownDelay)
            }.value
        }
        await stop()
        watchdog.cancel()
        trimming.cancel()
        guard !mustStartAgain else {
            throw OperatorError(
                "The database has an older schema: ending, to be started again after a migration.")
        }
    }

    /// Lets running requests finish within `drainTimeout`, and closes everything.
    package func stop() async {
        logger.notice("stopping: finishing \(server.connectionCount) connections")
        prepared.cancel()
        housekeeping.cancel()
        await postman?.stop()
        certificateWatch?.cancel()
        async let redirectsEnd: Void? = redirectServer?.drain()
        async let monitorsEnd: Void? = adminServer?.drain()
        await server.drain()
        await redirectsEnd
        await monitorsEnd
        exporting?.cancel()
        await exporting?.value
        workers.close()
        for (index, loop) in loops.enumerated() {
            loop.execute { [pool = pools[index], replicas] in
                if index < replicas.count { replicas[index].close() }
                pool.close()
            }
            await clients[index].close()
            loop.stop()
        }
        logger.notice("stopped")
    }
}
