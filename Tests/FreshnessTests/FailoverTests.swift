import Freshness
import Logging
import Postgres
import TestSupport
import Testing

@testable import Storage

@Suite("A failover", .blocking, .thorough)
struct FailoverTests {
    /// Runs `body` with a pool that knows two servers, and a feed that has made its first check.
    private func withFeed(
        _ url: String, _ body: @escaping @Sendable (PostgresPool, ChangeFeed) async throws -> Void
    ) async throws {
        var configuration = PostgresConfiguration(connectionString: url)
        configuration.connections = 3
        let finished = configuration
        try await withLoop { loop in
            let pool = try PostgresPool(finished, on: loop, logger: Logger(label: "test"))
            let feed = ChangeFeed(pool)
            try await onLoop(loop) {
                pool.open()
                defer { pool.close() }
                try await eventually("a check") { await feed.check() }
                try await body(pool, feed)
            }
        }
    }

    private static let connections = Query(
        "connections", .read, column("count(*)::integer", Int.self)
    ) {
        """
        SELECT \($0) FROM pg_stat_activity
        WHERE application_name LIKE 'fave-server%' AND datname = current_database()
        """
    }

    @Test("leaves the former primary as soon as a check meets the new one")
    func twoPrimaries() async throws {
        let primary = try TestCluster()
        let database = try TestDatabase(.migrated, in: primary)
        _ = try database.makeUser("rob")
        let standby = try primary.makeStandby()
        let url = TestCluster.url(database.name, of: [standby, primary])
        try await withFeed(url) { pool, feed in
            let session = try database.session()
            try await eventually("three connections") {
                try session.row(Self.connections) == 3
            }
            let store = Store(pool, .sharing(SharedRows(pool, feed, bytes: 1 << 20)))
            func name() async throws -> String? {
                try await store.user(username: "rob", seenBy: nil)?.displayName
            }
            for _ in 0..<2 { #expect(try await name() == "rob") }
            // Both accept writes now, as if the network had parted them.
            try standby.promote()
            try standby.session(database.name).execute("UPDATE users SET display_name = 'New'")
            let process: Int = try await pool.query(
                Statement("backend", .read, "SELECT pg_backend_pid()"))[0][0]
            try session.execute("SELECT pg_terminate_backend(\(process), 10000)")
            try await eventually("that no connection is left") {
                _ = await feed.check()
                return try session.row(Self.connections) == 0
            }
            try await eventually("a check there") { await feed.check() }
            #expect(try await name() == "New")
        }
    }
}
