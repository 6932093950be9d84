import Freshness
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
    /// `nil` if nothing is cached.
    let feed: ChangeFeed?
    /// `nil` if nothing is cached.
    let rows: SharedRows?

    static func all(
        _ settings: ServerSettings, _ migrations: [Migration], _ readiness: ReadyState,
        _ logger: Logger
    ) throws -> [ServerLoop] {
        let longReads = LongReads(limit: settings.loops / 2)
        return try (0..<settings.loops).map {
            try ServerLoop(
                EventLoop(name: String($0)), settings, migrations, readiness, longReads, logger)
        }
    }

    private init(
        _ loop: EventLoop, _ settings: ServerSettings, _ migrations: [Migration],
        _ readiness: ReadyState, _ longReads: LongReads, _ logger: Logger
    ) throws {
        self.loop = loop
        pool = try PostgresPool(
            settings.database, on: loop, logger: logger, longReads: longReads,
            applicationName: Migration.applicationName(migrations))
        client = HTTPClient(on: loop)
        store = Store(pool)
        health = Health(on: loop, readiness, schema: migrations.count)
        feed = settings.cachesResponses ? ChangeFeed(pool) : nil
        rows = feed.map { [pool] in
            SharedRows(pool, $0, bytes: settings.web.cache.rowBytes)
        }
    }

    /// Starts to connect to PostgreSQL.
    func open() {
        loop.execute { pool.open() }
    }

    /// Closes everything, and ends the loop.
    func close() async {
        loop.execute { pool.close() }
        await client.close()
        loop.stop()
    }
}
