import HTTPClient
import Logging
import Migrations
import Postgres
import Sockets
import Storage
import Web

/// One event loop, with the connections and the memory that are its own.
struct ServerLoop: Sendable {
    let loop: EventLoop
    let pool: PostgresPool
    let client: HTTPClient
    let store: Store
    let health: Health
    /// `nil` if nothing needs to know what has changed.
    let feed: ChangeFeed?
    /// `nil` if nothing is cached.
    let rows: SharedRows?
    /// `nil` if there are none.
    let replicas: Replicas?

    static func all(
        _ settings: ServerSettings, _ migrations: [Migration], _ readiness: ReadyState,
        _ logger: Logger
    ) throws -> [ServerLoop] {
        let reads = Reads(
            primary: LongReads(limit: settings.loops / 2),
            // The standbys have cores of their own.
            standbys: LongReads(limit: settings.loops * settings.replicas.count / 2))
        return try (0..<settings.loops).map {
            try ServerLoop(
                EventLoop(name: String($0)), settings, migrations, readiness, reads, logger)
        }
    }

    /// How many long reads all loops together may have.
    private struct Reads {
        let primary: LongReads
        let standbys: LongReads
    }

    private init(
        _ loop: EventLoop, _ settings: ServerSettings, _ migrations: [Migration],
        _ readiness: ReadyState, _ reads: Reads, _ logger: Logger
    ) throws {
        let applicationName = Migration.applicationName(migrations)
        self.loop = loop
        pool = try PostgresPool(
            settings.database, on: loop, logger: logger, longReads: reads.primary,
            applicationName: applicationName)
        client = HTTPClient(on: loop)
        store = Store(pool)
        health = Health(on: loop, readiness, schema: migrations.count)
        feed = settings.cachesResponses || !settings.replicas.isEmpty ? ChangeFeed(pool) : nil
        rows =
            if let feed, settings.cachesResponses {
                SharedRows(pool, feed, bytes: settings.web.cache.rowBytes)
            } else {
                nil
            }
        replicas =
            if let feed, !settings.replicas.isEmpty {
                try Replicas(
                    settings.replicas, of: pool, feed, logger: logger, longReads: reads.standbys,
                    applicationName: applicationName)
            } else {
                nil
            }
    }

    /// Starts to connect to PostgreSQL.
    func open() {
        loop.execute {
            pool.open()
            replicas?.open()
        }
    }

    /// Closes everything, and ends the loop.
    func close() async {
        loop.execute {
            replicas?.close()
            pool.close()
        }
        await client.close()
        loop.stop()
    }
}
