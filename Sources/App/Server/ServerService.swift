import FaveGames
import Foundation
import Glibc
import HTTPServer
import Identity
import Languages
package import Logging
package import Migrations
package import Monitoring
import Outbox
import ServiceLifecycle
import ShareCard
package import Sockets
import Web
import Work

/// The assembled server. Each event loop has its own pool, HTTP client and site.
package struct ServerService: Service, CustomStringConvertible {
    /// The name in the log lines of service groups, which would otherwise print all properties.
    package var description: String { "the server" }

    private let loops: [ServerLoop]
    private let parts: SharedParts
    private let server: HTTPServer
    private let adminServer: HTTPServer?
    private let preparation: Preparation
    /// Waits for the database.
    private let prepared: Task<[SigningKey]?, Never>
    private let housekeeping: Task<Void, Never>
    private let maintenanceWatch: Task<Void, Never>
    private let senders: [Sender]
    private let readiness = ReadyState()
    private let manager: ServiceManager
    private let shutdownDelay: Duration
    private let certificateWatch: Task<Void, Never>?
    private let publicURL: String
    private let logger: Logger

    /// Checks everything that can be checked in advance, and starts to listen. A database that is away,
    /// or has an older schema, is waited for in the background.
    ///
    /// - Parameter refusal: Why the server's settings can't be used, if it serves only to say so.
    /// - Throws: An error whose description tells the operator what to do.
    package init(
        _ settings: ServerSettings, migrations: [Migration],
        manager: ServiceManager = ServiceManager(), refusal: String? = nil,
        metrics: MetricRegistry = MetricRegistry(ServerMetrics.recorded), logger: Logger
    ) async throws {
        self.logger = logger
        self.manager = manager
        shutdownDelay = settings.shutdownDelay
        publicURL = settings.web.publicURL

        let certificates =
            settings.certificates.isEmpty
            ? nil : try CertificateStore(settings.certificates, logger: logger)
        preparation = Preparation(
            settings, migrations, readiness,
            migrationPatience: manager.isPresent ? .seconds(60) : nil,
            servesRefusals: manager.hasSockets, refusal: refusal, logger)
        prepared = preparation.begin()
        // What needs no database is made while PostgreSQL responds.
        let assets = SharedParts.assets(of: settings.web.site, in: settings.web.languages.site)
        Site.declareRoutes()
        let keys = try await preparation.settle(prepared)
        let listeners = try Listeners(settings, manager)
        let configurations = try ServerConfigurations(
            settings, listeners, tls: certificates?.server, logger)

        loops = try ServerLoop.all(settings, migrations, readiness, logger)
        let first = loops[0]
        parts = try await SharedParts(settings, assets, on: first, keys, logger)
        let sites = loops.map { [parts] in (loop: $0, site: parts.site(on: $0)) }
        Self.open(loops, readiness, after: prepared, isPrepared: keys != nil, logger)

        server = try await HTTPServer(
            configurations.site, sockets: listeners.site,
            responders: sites.map { (loop: $0.loop.loop, responder: $0.site) })
        adminServer = try await Self.server(configurations.monitors, listeners.monitors, loops) {
            AdminResponder(
                metrics, $0.health, $0.store,
                isOnLoopback: settings.adminAddress?.isLoopback == true)
        }
        metrics.add(
            ServerMetrics(
                sites: sites, server: server, workers: parts.workers, igdb: parts.igdb,
                covers: settings.web.covers == .site ? parts.covers : nil,
                tls: certificates?.server, hasMail: settings.mail != nil, schema: migrations.count
            ).collect)

        housekeeping = Housekeeping.begin(on: first, after: prepared, logger)
        maintenanceWatch = MaintenanceWatch.begin(
            on: first, after: prepared, readiness.maintenance)
        senders = Self.senders(settings, on: first, after: prepared, logger)
        certificateWatch = certificates.map { certificates in
            Task.detached { await certificates.watch(every: .seconds(2)) }
        }
    }

    /// Connects to the database, at once or when it can be used.
    private static func open(
        _ loops: [ServerLoop], _ readiness: ReadyState,
        after preparation: Task<[SigningKey]?, Never>, isPrepared: Bool, _ logger: Logger
    ) {
        let open: @Sendable () -> Void = {
            for loop in loops { loop.open() }
            readiness.begin()
        }
        guard !isPrepared else { return open() }
        Task {
            guard await preparation.value != nil else { return }
            open()
            logger.notice("the database can be used now")
        }
    }

    /// Starts to send mail, if there is a mail server, and webhooks.
    private static func senders(
        _ settings: ServerSettings, on loop: ServerLoop,
        after preparation: Task<[SigningKey]?, Never>,
        _ logger: Logger
    ) -> [Sender] {
        let site = settings.web
        let isPrepared = { @Sendable in await preparation.value != nil }
        let webhooks = Sender.webhooks(
            settings.webhooks, from: loop.store, on: loop.loop, after: isPrepared, logger
        ) { [addresses = site.addresses] in WebhookEvents.body($0, at: $1, for: addresses) }
        guard let mail = settings.mail else { return [webhooks] }
        return [
            webhooks,
            .mail(
                of: MailSite(
                    site.site, publicURL: site.publicURL, from: mail.from, languages: site.languages
                ),
                to: mail.server, from: loop.store, on: loop.loop, after: isPrepared, logger),
        ]
    }

    /// Starts a server besides the site's, if there are sockets for it.
    private static func server(
        _ configuration: ServerConfiguration, _ sockets: [ListeningSocket]?, _ loops: [ServerLoop],
        _ makeResponder: (ServerLoop) -> any Responder
    ) async throws -> HTTPServer? {
        guard let sockets else { return nil }
        return try await HTTPServer(
            configuration, sockets: sockets,
            responders: loops.map { (loop: $0.loop, responder: makeResponder($0)) })
    }

    /// The addresses that the server listens on.
    package var addresses: [SocketAddress] { server.addresses }

    /// The addresses for the operator's monitors.
    package var adminAddresses: [SocketAddress] { adminServer?.addresses ?? [] }

    /// Serves until the process is asked to stop, then lets running requests finish.
    package func run() async throws {
        // Announced here, and not when the server listens, because signals are handled only while
        // `run` runs.
        let addresses = server.addresses.map(\.description).joined(separator: ", ")
        logger.notice("listening on \(addresses), as \(publicURL)")
        manager.notify("READY=1\nSTATUS=listening on \(addresses)")
        if !adminAddresses.isEmpty {
            let addresses = adminAddresses.map(\.description).joined(separator: ", ")
            logger.notice("serving monitors on \(addresses)")
        }
        let watchdog = Task { [manager, loops] in await manager.feedWatchdog(loops.map(\.loop)) }
        ResidentMemory.retainBuffers()
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
        maintenanceWatch.cancel()
        for sender in senders { await sender.stop() }
        certificateWatch?.cancel()
        async let monitorsEnd: Void? = adminServer?.drain()
        await server.drain()
        await monitorsEnd
        parts.workers.close()
        parts.covers?.close()
        for loop in loops { await loop.close() }
        logger.notice("stopped")
    }
}
