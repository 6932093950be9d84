import FaveGames
import Foundation
import Freshness
import Glibc
import HTTPClient
import HTTPServer
import IGDB
import Monitoring
import Outbox
import Postgres
import ShareCard
import Sockets
import Storage
import Web
import Work

/// What `/metrics` tells besides what swift-metrics records: everything that is only looked at when
/// someone asks.
struct ServerMetrics {
    /// The metrics that are recorded with swift-metrics.
    static let recorded =
        RequestMetrics.all + HTTPClient.metrics + PoolMetrics.all + LoopMetrics.all + Sender.metrics

    /// Every metric.
    static let names = recorded + Names.all

    let sites: [(loop: ServerLoop, site: Site)]
    let server: HTTPServer
    let workers: WorkerPool
    /// `nil` if the catalogue alone serves searches.
    let igdb: IGDBClient?
    /// `nil` if the site serves no covers.
    let covers: CoverStore?
    /// `nil` for plain HTTP.
    let tls: TLSServer?
    let hasMail: Bool
    let schema: Int
    private let startTime = Date()
    private let stored = StoredMetrics()

    init(
        sites: [(loop: ServerLoop, site: Site)], server: HTTPServer, workers: WorkerPool,
        igdb: IGDBClient?, covers: CoverStore?, tls: TLSServer?, hasMail: Bool, schema: Int
    ) {
        self.sites = sites
        self.server = server
        self.workers = workers
        self.igdb = igdb
        self.covers = covers
        self.tls = tls
        self.hasMail = hasMail
        self.schema = schema
    }

    @Sendable
    func collect() async -> [MetricFamily] {
        var snapshots: [Snapshot] = []
        for (index, (loop, site)) in sites.enumerated() {
            snapshots.append(
                await Task(executorPreference: loop.loop) {
                    Snapshot(of: loop, site, index)
                }.value)
        }
        // Not a sum, whose type takes older compilers too long to find.
        let families: [[MetricFamily]] = [
            connections(await server.statistics()), database(snapshots), caches(snapshots),
            [MetricFamily(Names.workerJobs, workers.waitingCount)],
            await search(), coverRequests(), await maintenance(), certificates(), process(),
        ]
        return families.flatMap { $0 }
    }

    /// What a loop is doing at one moment.
    private struct Snapshot: Sendable {
        let loop: String
        let pool: PoolStatistics
        let caches: [(name: String, statistics: CacheStatistics)]
        let checks: Int?

        init(of loop: ServerLoop, _ site: Site, _ index: Int) {
            self.loop = String(index)
            pool = loop.pool.statistics
            caches = [
                ("responses", site.cacheStatistics), ("rows", loop.rows?.statistics),
            ].compactMap { name, statistics in statistics.map { (name, $0) } }
            checks = loop.feed?.checks
        }
    }

    // MARK: Requests

    private func connections(_ loops: [ServerStatistics]) -> [MetricFamily] {
        func total(_ value: KeyPath<ServerStatistics, Int>) -> Int {
            loops.reduce(0) { $0 + $1[keyPath: value] }
        }
        func each(_ value: KeyPath<ServerStatistics, Int>) -> [MetricFamily.Sample] {
            loops.enumerated().map { .init($1[keyPath: value], [("loop", String($0))]) }
        }
        // Each begins at zero: the first refusals would not count as an increase of what was not there.
        let refusals = ConnectionError.Reason.allCases.map { reason in
            (reason, loops.reduce(0) { $0 + $1.refusals[reason, default: 0] })
        }
        return [
            MetricFamily(Names.activeRequests, total(\.activeRequests)),
            MetricFamily(Names.waitingRequests, total(\.waitingRequests)),
            MetricFamily(Names.connections, each(\.connections)),
            MetricFamily(Names.accepted, total(\.acceptedConnections)),
            MetricFamily(
                Names.refusals,
                refusals.map { .init($0.1, [("reason", $0.0.rawValue)]) }),
            MetricFamily(
                Names.bytes,
                [
                    .init(total(\.receivedBytes), [("direction", "receive")]),
                    .init(total(\.sentBytes), [("direction", "transmit")]),
                ]),
            MetricFamily(Names.unsent, total(\.unsentBytes)),
        ]
    }

    // MARK: PostgreSQL

    private func database(_ snapshots: [Snapshot]) -> [MetricFamily] {
        func total(_ value: KeyPath<PoolStatistics, Int>) -> Int {
            snapshots.reduce(0) { $0 + $1.pool[keyPath: value] }
        }
        return [
            MetricFamily(
                Names.poolConnections,
                snapshots.flatMap { snapshot in
                    [("idle", snapshot.pool.idle), ("used", snapshot.pool.used)].map {
                        .init($1, [("loop", snapshot.loop), ("state", $0)])
                    }
                }),
            MetricFamily(Names.poolMaximum, total(\.maximum)),
            MetricFamily(
                Names.pending,
                snapshots.flatMap { snapshot in
                    snapshot.pool.waiting.map {
                        .init($0.count, [("loop", snapshot.loop), ("lane", $0.lane)])
                    }
                }),
            MetricFamily(Names.timeouts, total(\.timeouts)),
            MetricFamily(Names.rejections, total(\.rejections)),
            MetricFamily(Names.connects, total(\.connects)),
            MetricFamily(Names.losses, total(\.losses)),
        ]
    }

    // MARK: Caches

    private func caches(_ snapshots: [Snapshot]) -> [MetricFamily] {
        let caches = Dictionary(grouping: snapshots.flatMap(\.caches), by: \.name)
            .mapValues { $0.map(\.statistics) }.sorted { $0.key < $1.key }
        guard !caches.isEmpty else { return [] }
        func each(
            _ values: [(result: String, value: KeyPath<CacheStatistics, Int>)], of label: String
        ) -> [MetricFamily.Sample] {
            caches.flatMap { name, loops in
                values.map { result, value in
                    .init(
                        loops.reduce(0) { $0 + $1[keyPath: value] },
                        [("cache", name), (label, result)])
                }
            }
        }
        func sum(_ value: KeyPath<CacheStatistics, Int>) -> [MetricFamily.Sample] {
            caches.map { name, loops in
                .init(loops.reduce(0) { $0 + $1[keyPath: value] }, [("cache", name)])
            }
        }
        return [
            MetricFamily(
                Names.lookUps,
                each(
                    [
                        ("hit", \.hits), ("stale", \.staleHits), ("outdated", \.outdated),
                        ("miss", \.misses),
                    ], of: "result")),
            MetricFamily(Names.fills, sum(\.fills)),
            MetricFamily(Names.cachedFills, sum(\.cachedFills)),
            MetricFamily(Names.cacheEntries, sum(\.count)),
            MetricFamily(Names.cacheBytes, sum(\.bytes)),
            MetricFamily(Names.checks, snapshots.reduce(0) { $0 + ($1.checks ?? 0) }),
        ]
    }

    // MARK: IGDB

    private func search() async -> [MetricFamily] {
        guard let statistics = await igdb?.statistics else { return [] }
        return [
            MetricFamily(Names.igdbIsLeftAlone, statistics.isLeftAlone ? 1 : 0),
            MetricFamily(Names.igdbRequests, statistics.waitingRequests),
        ]
    }

    // MARK: Covers

    private func coverRequests() -> [MetricFamily] {
        guard let counts = covers?.statistics else { return [] }
        let results = [
            ("memory", counts.fromMemory), ("folder", counts.fromFolder),
            ("fetched", counts.fetched), ("absent", counts.absent), ("failed", counts.failed),
            ("refused", counts.refused),
        ]
        return [
            MetricFamily(
                Names.coverRequests, results.map { .init($0.1, [("result", $0.0)]) }),
            MetricFamily(Names.fetchedCovers, counts.fetchedBytes),
        ] + [counts.storedBytes].compactMap(\.self).map { MetricFamily(Names.storedCovers, $0) }
    }

    // MARK: Maintenance and mail

    /// The latest known values: PostgreSQL gets a moment to respond, and no more.
    private func maintenance() async -> [MetricFamily] {
        guard let loop = sites.first?.loop else { return [] }
        let last = await stored.current(loop.store, on: loop.loop)
        let times = MetricFamily(
            Names.maintenance,
            last.times.map {
                .init($0.date.timeIntervalSince1970.rounded(), [("task", $0.task)])
            })
        guard hasMail, let mail = last.mail else { return [times] }
        return [
            times, MetricFamily(Names.waitingMail, mail.count),
            MetricFamily(Names.oldestMail, mail.seconds),
        ]
    }

    // MARK: Certificates

    private func certificates() -> [MetricFamily] {
        guard let tls else { return [] }
        let expiries = tls.expiries.enumerated().map { index, certificate in
            MetricFamily.Sample(
                certificate.time, [("certificate", String(index)), ("name", certificate.name)])
        }
        return [MetricFamily(Names.expiry, expiries)]
    }

    // MARK: The process

    private func process() -> [MetricFamily] {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
        }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return [
            MetricFamily(Names.cpu, seconds(usage.ru_utime) + seconds(usage.ru_stime)),
            MetricFamily(Names.residentMemory, ResidentMemory.bytes ?? 0),
            MetricFamily(Names.openDescriptors, descriptors?.count ?? 0),
            MetricFamily(Names.maximumDescriptors, Int(clamping: limit.rlim_cur)),
            MetricFamily(Names.startTime, startTime.timeIntervalSince1970.rounded()),
            MetricFamily(
                Names.build,
                [.init(1, [("version", Release.version), ("schema", String(schema))])]),
        ]
    }

    enum Names {
        static let all = [
            activeRequests,
            waitingRequests,
            connections,
            accepted,
            refusals,
            bytes,
            unsent,
            poolConnections,
            poolMaximum,
            pending,
            timeouts,
            rejections,
            connects,
            losses,
            lookUps,
            fills,
            cachedFills,
            cacheEntries,
            cacheBytes,
            checks,
            workerJobs,
            maintenance,
            waitingMail,
            oldestMail,
            expiry,
            igdbIsLeftAlone,
            igdbRequests,
            coverRequests,
            fetchedCovers,
            storedCovers,
            cpu,
            residentMemory,
            openDescriptors,
            maximumDescriptors,
            startTime,
            build,
        ]

        static let activeRequests = MetricName(
            "http.server.active_requests", .gauge,
            "Requests that are in progress, not counting those served from the cache.")
        static let waitingRequests = MetricName(
            "http.server.waiting_requests", .gauge,
            "Requests that wait because the server is already serving as many as it may.")
        static let connections = MetricName(
            "http.server.open_connections", .gauge, "Connections of clients, by loop.")
        static let accepted = MetricName(
            "http.server.accepted_connections", .counter, "Connections that were accepted.")
        static let refusals = MetricName(
            "http.server.refusals", .counter,
            "Connections that got an error from the server instead of a response to a request.")
        static let bytes = MetricName(
            "http.server.io", .counter, unit: "bytes",
            "Bytes of requests and responses, before encryption.")
        static let unsent = MetricName(
            "http.server.unsent", .gauge, unit: "bytes",
            "Bytes of responses that clients have not read yet.")

        static let poolConnections = MetricName(
            "db.client.connections", .gauge, "Connections to PostgreSQL that are ready.")
        static let poolMaximum = MetricName(
            "db.client.connection.max", .gauge, "Connections to PostgreSQL that are configured.")
        static let pending = MetricName(
            "db.client.connection.pending_requests", .gauge,
            "Queries and transactions that wait for a connection, by lane.")
        static let timeouts = MetricName(
            "db.client.connection.timeouts", .counter,
            "Queries and transactions that waited too long for a connection.")
        static let rejections = MetricName(
            "db.client.connection.rejections", .counter,
            "Queries and transactions that were rejected because too many were waiting.")
        static let connects = MetricName(
            "db.client.connection.connects", .counter, "Connections to PostgreSQL that were made.")
        static let losses = MetricName(
            "db.client.connection.losses", .counter,
            "Connections to PostgreSQL that were lost, and attempts that failed.")

        static let lookUps = MetricName(
            "fave.cache.lookups", .counter, "Cache lookups, by result.")
        static let fills = MetricName(
            "fave.cache.fills", .counter, "Values that were made for the cache.")
        static let cachedFills = MetricName(
            "fave.cache.cached_fills", .counter,
            "Values that were cached; the others had changed while they were made.")
        static let cacheEntries = MetricName(
            "fave.cache.entries", .gauge, "Values in the cache.")
        static let cacheBytes = MetricName(
            "fave.cache.size", .gauge, unit: "bytes", "The approximate memory that the cache uses.")
        static let checks = MetricName(
            "fave.cache.checks", .counter,
            "How often PostgreSQL was asked what has changed.")

        static let workerJobs = MetricName(
            "fave.worker.waiting_jobs", .gauge,
            "Passwords to hash and cards to draw that wait for a thread.")

        static let maintenance = MetricName(
            "fave.maintenance.last_success", .gauge, unit: "timestamp_seconds",
            "When each maintenance task was last done by any process, and the last backup made.")

        static let waitingMail = MetricName(
            "fave.mail.waiting", .gauge, "Mails that wait to be sent, for all servers together.")
        static let oldestMail = MetricName(
            "fave.mail.oldest_wait", .gauge, unit: "seconds",
            "For how long the oldest of them has waited.")
        static let expiry = MetricName(
            "fave.certificate.expiry", .gauge, unit: "timestamp_seconds",
            "When each certificate ends, in seconds since 1970.")

        static let igdbIsLeftAlone = MetricName(
            "fave.igdb.circuit_open", .gauge,
            "1 while IGDB is not asked because it has failed repeatedly, otherwise 0.")
        static let igdbRequests = MetricName(
            "fave.igdb.waiting_requests", .gauge,
            "Requests to IGDB that wait for their turn, since IGDB allows four a second.")

        static let coverRequests = MetricName(
            "fave.cover.requests", .counter,
            "Covers that pages and cards asked for, by where they came from or why they didn't.")
        static let fetchedCovers = MetricName(
            "fave.cover.fetched", .counter, unit: "bytes",
            "Covers that were fetched from IGDB's image host.")
        static let storedCovers = MetricName(
            "fave.cover.stored", .gauge, unit: "bytes",
            "Covers in the folder, as this server last counted them.")

        static let cpu = MetricName(
            "process.cpu", .counter, unit: "seconds", "CPU time of the process, on all cores."
        )
        static let residentMemory = MetricName(
            "process.resident_memory", .gauge, unit: "bytes", "Physical memory of the process.")
        static let openDescriptors = MetricName(
            "process.open_fds", .gauge, "File descriptors that are open.")
        static let maximumDescriptors = MetricName(
            "process.max_fds", .gauge, "File descriptors that may be open.")
        static let startTime = MetricName(
            "process.start_time", .gauge, unit: "seconds",
            "When the process started, in seconds since 1970.")
        static let build = MetricName(
            "fave.build_info", .gauge,
            "The version of the program and the number of the latest migration that it knows.")
    }
}
