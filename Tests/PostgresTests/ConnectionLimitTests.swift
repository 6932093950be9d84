import Logging
import TestSupport
import Testing

@testable import Postgres

@Suite("A role that may have fewer connections than the pools of a process want", .blocking)
struct ConnectionLimitTests {
    @Test("leaves no pool without any, at the start and when some have broken", arguments: [4, 3])
    func limit(of allowed: Int) async throws {
        let database = try TestDatabase(.empty)
        let role = "few_\(allowed)_\(UInt.random(in: 0..<1 << 32))"
        let session = try database.session()
        // Superusers have no limit.
        try session.execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT \(allowed)")
        defer { try? session.execute("DROP ROLE \(role)") }
        var configuration = PostgresConfiguration(
            connectionString: database.url.replacing("user=fave", with: "user=\(role)"))
        configuration.connections = 5
        configuration.acquisitionTimeout = .seconds(3600)
        let finished = configuration
        try await withLoop { first in
            try await withLoop { second in
                let pools = try [first, second].map {
                    try PostgresPool(finished, on: $0, logger: .silent)
                }
                for pool in pools { try await onLoop(pool.loop) { pool.open() } }
                for round in 0..<3 {
                    for pool in pools {
                        for _ in 0..<20 {
                            let one: Int = try await onLoop(pool.loop) {
                                try await pool.query(.read("SELECT 1"))[0][0]
                            }
                            #expect(one == 1)
                        }
                    }
                    try await eventually("fair shares \(round)") {
                        var counts: [Int] = []
                        for pool in pools {
                            counts.append(
                                try await onLoop(pool.loop) {
                                    pool.statistics.idle + pool.statistics.used
                                })
                        }
                        return counts.allSatisfy { $0 >= 1 } && counts.reduce(0, +) <= allowed
                            && abs(counts[0] - counts[1]) <= 1
                    }
                    try session.query(
                        """
                        SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                        WHERE usename = $1
                        """, [.text(role)])
                    for pool in pools {
                        // A read is sent again only once, and the next connection may be gone, too.
                        try await eventually("its return") {
                            try await onLoop(pool.loop) {
                                await code { _ = try await pool.query(.read("SELECT 1")) } == nil
                            }
                        }
                    }
                }
                for pool in pools { try await onLoop(pool.loop) { pool.close() } }
            }
        }
        try await eventually("the end of the connections") {
            try session.query(
                "SELECT FROM pg_stat_activity WHERE usename = $1", [.text(role)]
            ).isEmpty
        }
    }
}
