import FaveGames
import Foundation
import Logging
import Postgres
import TestSupport
import Testing

@_spi(Writing) @testable import Storage

@Suite("Replicas", .blocking, .thorough)
struct ReplicaTests {
    /// A primary with one user, and a standby that follows it.
    private struct Pair: Sendable {
        let primary: TestCluster
        let standby: TestCluster
        let database: TestDatabase

        init() throws {
            primary = try TestCluster()
            database = try TestDatabase(.migrated, in: primary)
            // The cluster's own setting would leave commits to be flushed, and sent, some time later.
            try primary.session().execute(
                "ALTER DATABASE \(database.name) SET synchronous_commit = on")
            _ = try database.makeUser("rob")
            standby = try primary.makeStandby()
            try standby.catchUp(with: primary)
        }

        /// Acknowledged when this returns.
        func rename(to name: String, by session: BlockingSession) throws {
            _ = try session.query("UPDATE users SET display_name = $1", [.text(name)])
        }
    }

    /// What reads as the site does: at a replica if one can tell, or else at the primary.
    private struct Reader: Sendable {
        let store: Store
        let replicas: Replicas

        /// Rob's name, and whether a replica may have told it.
        func name() async throws -> String? {
            let isPrepared = await replicas.prepare()
            let store = store.reading(.forEveryone(nil, isPrepared ? replicas.reads() : nil))
            return try await store.user(username: "rob", seenBy: nil)?.displayName
        }

        var served: Int { replicas.statistics.reduce(0) { $0 + $1.statistics.served } }

        var states: [String] { replicas.statistics.map(\.state) }
    }

    /// Runs `body` with replicas at these addresses.
    ///
    /// - Parameter patience: How long a replica is waited for: longer than any takes that is merely
    ///   slow, unless the test is about that.
    private func withReader(
        _ pair: Pair, at urls: [String], patience: Duration = .seconds(60),
        _ body: @escaping @Sendable (Reader) async throws -> Void
    ) async throws {
        let configurations = urls.map { url in
            var configuration = PostgresConfiguration(connectionString: url)
            configuration.connections = 2
            configuration.statementTimeout = patience
            configuration.responseGrace = patience
            configuration.acquisitionTimeout = patience
            configuration.connectTimeout = patience
            return configuration
        }
        try await withStore(pair.database) { store in
            let pool = store.database.pool
            let replicas = try Replicas(
                configurations, of: pool, ChangeFeed(pool), logger: Logger(label: "test"))
            replicas.open()
            defer { replicas.close() }
            try await body(Reader(store: store, replicas: replicas))
        }
    }

    private func withReader(
        _ pair: Pair, patience: Duration = .seconds(60),
        _ body: @escaping @Sendable (Reader) async throws -> Void
    ) async throws {
        let url = pair.standby.url(pair.database.name)
        try await withReader(pair, at: [url], patience: patience) { reader in
            try await eventually("a replica that serves") { reader.states == ["serving"] }
            try await body(reader)
        }
    }

    @Test("serve reads, and never with what is older than an acknowledged write")
    func exact() async throws {
        let pair = try Pair()
        try await withReader(pair) { reader in
            let session = try pair.database.session()
            for round in 0..<20 {
                let isPaused = !round.isMultiple(of: 2)
                if isPaused { try pair.standby.pauseReplay() }
                for number in 0..<100 {
                    let name = "Rob \(round).\(number)"
                    try pair.rename(to: name, by: session)
                    for _ in 0..<2 {
                        let found = try await reader.name()
                        if found != name {
                            Issue.record("\(name) was written, \(found ?? "") read")
                        }
                    }
                    // Sometimes the standby has the time to catch up.
                    guard !isPaused, number % 10 == 9 else { continue }
                    try pair.standby.catchUp(with: pair.primary)
                    try await eventually("a read there") { [served = reader.served] in
                        let found = try await reader.name()
                        #expect(found == name)
                        return reader.served > served
                    }
                }
                if isPaused { try pair.standby.resumeReplay() }
            }
        }
    }

    @Test("that don't replay are not read, and are once they do")
    func paused() async throws {
        let pair = try Pair()
        try await withReader(pair) { reader in
            try pair.standby.pauseReplay()
            try pair.rename(to: "New", by: pair.database.session())
            let shown: String = try pair.standby.session(pair.database.name).query(
                "SELECT display_name FROM users")[0][0]
            #expect(shown != "New", "so a read there would be stale")
            let served = reader.served
            #expect(try await reader.name() == "New")
            #expect(reader.served == served)
            try await eventually("that it is taken out") {
                let name = try await reader.name()
                #expect(name == "New")
                return reader.states == ["lagging"]
            }
            try pair.standby.resumeReplay()
            try await eventually("that it is back") { reader.states == ["serving"] }
            try await eventually("a read there") {
                let name = try await reader.name()
                #expect(name == "New")
                return reader.served > served
            }
        }
    }

    @Test("keep being read while nothing is written that anyone sees")
    func unrelatedWrites() async throws {
        let pair = try Pair()
        try await withReader(pair) { reader in
            try await eventually("a read there") {
                _ = try await reader.name()
                return reader.served > 0
            }
            try pair.standby.pauseReplay()
            try pair.database.session().execute("CREATE TABLE unrelated AS SELECT 1 AS number")
            try await eventually("another read there") { [served = reader.served] in
                let name = try await reader.name()
                #expect(name == "rob")
                return reader.served > served
            }
        }
    }

    @Test("that hang or die cost little, and come back by themselves", arguments: [true, false])
    func away(hangs: Bool) async throws {
        let pair = try Pair()
        // In real time: nothing but the time that passes tells that a replica hangs.
        try await withReader(pair, patience: .milliseconds(500)) { reader in
            func send(_ action: @escaping @Sendable () throws -> Void) async throws {
                _ = try await onThreads(1) { _ in try action() }
            }
            for round in 0..<2 {
                try await send { try hangs ? pair.standby.freeze() : pair.standby.stop() }
                let name = "Round \(round)"
                try pair.rename(to: name, by: pair.database.session())
                // It says nothing until it is back, so no read that ends has waited for it.
                try await eventually("that it is taken out") {
                    let found = try await reader.name()
                    #expect(found == name)
                    return reader.states != ["serving"]
                }
                let served = reader.served
                for _ in 0..<100 { #expect(try await reader.name() == name) }
                #expect(reader.served == served)
                try await send { try hangs ? pair.standby.resume() : pair.standby.start() }
                try await eventually("that it is back") { reader.states == ["serving"] }
                try await eventually("a read there") {
                    _ = try await reader.name()
                    return reader.served > served
                }
            }
        }
    }

    @Test("that are no standbys are refused, also when they become something else")
    func liars() async throws {
        let pair = try Pair()
        let name = pair.database.name
        try await withReader(pair, at: [pair.database.url, pair.standby.url(name)]) { reader in
            try await eventually("one that serves") { reader.states == ["primary", "serving"] }
            _ = try await reader.name()
            // It is promoted, but the primary goes on: the operator has made a mistake.
            try pair.standby.promote()
            try pair.rename(to: "New", by: pair.database.session())
            for _ in 0..<50 { #expect(try await reader.name() == "New") }
            try await eventually("that both are out") { reader.states == ["primary", "primary"] }
        }
    }

    @Test("that have followed another timeline are refused, however long their log is")
    func diverged() async throws {
        let pair = try Pair()
        let name = pair.database.name
        // The one that is promoted hasn't seen what the other one has.
        let other = try pair.primary.makeStandby()
        try pair.standby.stop()
        let session = try pair.database.session()
        for number in 0..<2000 { try pair.rename(to: "Lost \(number)", by: session) }
        try other.catchUp(with: pair.primary)
        try pair.primary.stop()
        try pair.standby.start()
        try pair.standby.promote()
        let shown: String = try other.session(name).query("SELECT display_name FROM users")[0][0]
        #expect(shown == "Lost 1999")
        let end: String = try pair.standby.session().query(
            "SELECT pg_current_wal_insert_lsn()::text")[0][0]
        let isLonger: Bool = try other.session().query(
            "SELECT pg_last_wal_replay_lsn() > $1::text::pg_lsn", [.text(end)])[0][0]
        #expect(isLonger, "so its position alone would let it pass")
        var configuration = PostgresConfiguration(connectionString: pair.standby.url(name))
        configuration.connections = 2
        let primary = configuration
        configuration.connectionString = other.url(name)
        let replica = configuration
        try await withLoop { loop in
            let pool = try PostgresPool(primary, on: loop, logger: Logger(label: "test"))
            let replicas = try Replicas(
                [replica], of: pool, ChangeFeed(pool), logger: Logger(label: "test"))
            try await onLoop(loop) {
                pool.open()
                replicas.open()
                defer {
                    replicas.close()
                    pool.close()
                }
                let reader = Reader(store: Store(pool), replicas: replicas)
                try await eventually("that it is refused") { reader.states == ["unrelated"] }
                #expect(try await reader.name() == "rob")
                #expect(reader.served == 0)
            }
        }
    }

    @Test("are asked no statement whose dependencies are not declared, and none after it")
    func undeclared() async throws {
        let pair = try Pair()
        try await withReader(pair) { reader in
            try await eventually("reads there") {
                guard await reader.replicas.prepare(), let reads = reader.replicas.reads() else {
                    return false
                }
                let store = reader.store.reading(.forEveryone(nil, reads))
                let served = reader.served
                _ = try await store.schemaVersion()
                _ = try await store.user(username: "rob", seenBy: nil)
                #expect(reader.served == served)
                return true
            }
        }
    }
}
