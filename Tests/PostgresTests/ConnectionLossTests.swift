import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("A lost connection", .blocking)
struct ConnectionLossTests {
    private let schema: TestSchema

    init() throws { schema = try TestSchema() }

    @Test("does not show in reads, which are sent again")
    func reads() async throws {
        try schema.session().execute("CREATE TABLE held AS SELECT 0 AS x")
        let held = Statement.read("SELECT x FROM held")
        let other = Statement.read("SELECT $1::int")
        try await withPool(schema.url, connections: 1) { [schema] pool in
            _ = try await (pool.query(held), pool.query(other, [1]))
            let lock = try TableLock("held", in: schema)
            // One that runs until the lock is released, with others behind it in the same batch.
            let values = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { try await pool.query(held)[0][0] }
                for number in 1..<10 {
                    group.addTask { try await pool.query(other, [.int(number)])[0][0] }
                }
                group.addTask {
                    let process = try await schema.processRunning("FROM held")
                    try schema.terminate(process)
                    #expect(try await schema.processRunning("FROM held") != process)
                    try lock.release()
                    return -1
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(values.sorted() == Array(-1..<10))
            #expect(try await pool.query(.read("SELECT 2"))[0][0] == 2)
        }
    }

    @Test("during a write leaves its outcome unknown, and the pool goes on")
    func writes() async throws {
        try schema.session().execute("CREATE TABLE t (x integer)")
        try await withPool(schema.url, connections: 1) { [schema] pool in
            async let write = postgresError {
                _ = try await pool.query(.write("INSERT INTO t SELECT 1 FROM pg_sleep(3600)"))
            }
            try schema.terminate(await schema.processRunning("INSERT INTO t"))
            let error = await write
            #expect(error?.code == .outcomeUnknown)
            #expect(error?.isTransient == false)
            let count: Int = try await pool.queryOnceBack(.read("SELECT count(*) FROM t"))[0][0]
            #expect(count == 0)
        }
    }

    @Test("follows from a write that a primary refuses, once in each interval")
    func readOnlyPrimary() async throws {
        try schema.session().execute(
            "ALTER ROLE CURRENT_USER SET default_transaction_read_only = on")
        try await withPool(schema.url, connections: 1) {
            $0.replacementInterval = .seconds(3600)
        } _: { pool in
            let process = Statement.read("SELECT pg_backend_pid()")
            let first: Int = try await pool.query(process)[0][0]
            var second: Int?
            for _ in 0..<3 {
                let error = await postgresError {
                    _ = try await pool.query(.write("CREATE TABLE t (x integer)"))
                }
                #expect(error?.sqlState == SQLState.readOnlyTransaction)
                #expect(error?.isTransient == true)
                let next: Int = try await pool.query(process)[0][0]
                #expect(next != first && next == second ?? next)
                second = next
            }
            #expect(pool.statistics.losses == 1)
        }
    }

    @Test("makes writes possible again once the database is no longer read-only")
    func formerlyReadOnly() async throws {
        let session = try schema.session()
        try session.execute("CREATE TABLE t (x integer)")
        try session.execute("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on")
        try await withPool(schema.url, connections: 3) {
            $0.replacementInterval = .zero
        } _: { [schema] pool in
            let write = Statement.write("INSERT INTO t VALUES (1)")
            let refused = await postgresError { _ = try await pool.query(write) }
            #expect(refused?.sqlState == SQLState.readOnlyTransaction)
            // Opened while it was read-only, like the one that replaces it now.
            _ = try await pool.query(.read("SELECT 1"))
            let session = try schema.session()
            try session.execute("SET default_transaction_read_only = off")
            try session.execute("ALTER ROLE CURRENT_USER RESET default_transaction_read_only")
            // Each refusal replaces the connections that are idle then, so a busy one may refuse, too.
            try await eventually("ten writes, one after the other") {
                for _ in 0..<10 {
                    guard await code({ _ = try await pool.query(write) }) == nil else {
                        return false
                    }
                }
                return true
            }
            try await pool.withTransaction { _ = try await $0.query(write) }
        }
    }

    @Test("inside a transaction fails it, and says so where COMMIT was not sent")
    func transactions() async throws {
        try schema.session().execute("CREATE TABLE t (x integer)")
        try await withPool(schema.url, connections: 1) { [schema] pool in
            let error = await postgresError {
                try await pool.withTransaction { transaction in
                    try await transaction.query(.write("INSERT INTO t VALUES (1)"))
                    let process: Int =
                        try await transaction.query(.read("SELECT pg_backend_pid()"))[0][0]
                    try schema.terminate(process)
                    try await transaction.query(.write("INSERT INTO t VALUES (2)"))
                }
            }
            #expect(error?.code == .connectionLost)
            let count: Int = try await pool.queryOnceBack(.read("SELECT count(*) FROM t"))[0][0]
            #expect(count == 0)
        }
    }

    @Test("to a response that never comes is given up after the statement's time")
    func silentServer() async throws {
        let clock = TestClock()
        try await withPool(schema.url, connections: 1, clock: clock) {
            $0.statementTimeout = .seconds(3600)
            $0.responseGrace = .seconds(10)
        } _: { pool in
            let process: Int = try await pool.query(.read("SELECT pg_backend_pid()"))[0][0]
            // A stopped process stands for a server that says nothing any more.
            #expect(kill(pid_t(process), SIGSTOP) == 0)
            defer { kill(pid_t(process), SIGCONT) }
            let errors = Recorder<PostgresError?>()
            let write = Task(executorPreference: pool.loop) {
                errors.record(
                    await postgresError {
                        _ = try await pool.query(.write("CREATE TABLE never (x integer)"))
                    })
            }
            await clock.advance(by: .zero, on: pool.loop)
            await clock.advance(by: .seconds(3609), on: pool.loop)
            #expect(errors.count == 0)
            await clock.advance(by: .seconds(1), on: pool.loop)
            try await value(of: write)
            #expect(errors.elements.map { $0?.code } == [.outcomeUnknown])
            // The next connection, which is tried after a pause, is another process.
            await clock.advance(by: .seconds(1), on: pool.loop)
            let three: Int = try await pool.query(.read("SELECT 3"))[0][0]
            #expect(three == 3)
        }
    }

    @Test("because PostgreSQL restarts gives errors that say so, and service soon after")
    func restart() async throws {
        let cluster = try TestCluster()
        defer { withExtendedLifetime(cluster) {} }
        try await withPool(cluster.url("postgres"), connections: 4) { pool in
            _ = try await pool.query(.read("SELECT 1"))
            let isOver = Shared(false)
            let codes = Shared<[PostgresError.Code: Int]>([:])
            let successes = Shared(0)
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    group.addTask {
                        while !isOver.value {
                            if let error = await postgresError({
                                let rows = try await pool.query(
                                    .read("SELECT $1::int"), [.int(number)])
                                #expect(try rows[0][0] == number)
                            }) {
                                codes.change { $0[error.code, default: 0] += 1 }
                                try await Task.sleep(for: .milliseconds(10))
                            } else {
                                successes.change { $0 += 1 }
                            }
                        }
                    }
                }
                group.addTask {
                    defer { isOver.change { $0 = true } }
                    try await eventually { successes.value > 500 }
                    for _ in 0..<2 {
                        _ = try await onThreads(1) { _ in try cluster.stop() }
                        // While it is away a response comes at once, instead of after an hour.
                        try await pool.goesOut()
                        #expect(
                            await code { _ = try await pool.query(.read("SELECT 1")) }
                                == .unavailable)
                        _ = try await onThreads(1) { _ in try cluster.start() }
                        try await eventually("its return") {
                            await code { _ = try await pool.query(.read("SELECT 1")) } == nil
                        }
                    }
                }
                try await group.waitForAll()
            }
            let others = codes.value.filter {
                $0.key != .unavailable && $0.key != .connectionLost
            }
            #expect(others.isEmpty)
        }
    }
}

extension PostgresPool {
    /// Asks until it is not refused: the only connection is gone for a moment.
    fileprivate func queryOnceBack(_ statement: Statement) async throws -> Rows {
        var rows: Rows?
        try await eventually {
            do {
                rows = try await query(statement)
            } catch let error as PostgresError where error.code == .unavailable {}
            return rows != nil
        }
        guard let rows else { throw PostgresError(.unavailable) }
        return rows
    }
}

@Suite("A server out of reach", .blocking)
struct UnreachableServerTests {
    @Test(
        "fails queries and transactions fast, and says what is the matter",
        arguments: [
            "host=/nonexistent user=fave dbname=x", "host=127.0.0.1 port=1 user=fave dbname=x",
            "host=no-such-host.invalid user=fave dbname=x",
        ])
    func unreachable(url: String) async throws {
        let clock = TestClock()
        try await withPool(url, connections: 2, clock: clock) { pool in
            // It waits, since nothing is known yet.
            async let first = postgresError { _ = try await pool.query(.read("SELECT 1")) }
            // Past the time that a name server has.
            await clock.advance(by: .seconds(2), on: pool.loop)
            try await pool.goesOut()
            await clock.advance(by: .seconds(3600), on: pool.loop)
            let error = await first
            #expect(error?.code == .unavailable)
            #expect(error?.isTransient == true)
            #expect(error.map { "\($0)".contains("no-such-host") } == false, "for anyone to see")
            let code = await code {
                try await pool.withTransaction { _ = try await $0.query(.read("SELECT 1")) }
            }
            #expect(code == .unavailable)
        }
    }

    @Test("that was known to be away refuses at once")
    func atOnce() async throws {
        // The clock stands still, so whatever waited would do so for ever.
        let clock = TestClock()
        try await withPool("host=/nonexistent dbname=x", connections: 1, clock: clock) { pool in
            try await pool.goesOut()
            for _ in 0..<100 {
                #expect(
                    await code { _ = try await pool.query(.read("SELECT 1")) } == .unavailable)
            }
        }
    }

    @Test("is an error of a blocking session, too")
    func blocking() {
        let error = #expect(throws: PostgresError.self) {
            try BlockingSession(connectionString: "host=/nonexistent dbname=x")
        }
        #expect(error?.code == .unavailable)
    }

    @Test(
        "whose address cannot be read is refused when the pool is made",
        arguments: [
            "host='unterminated", "no_such_keyword=1", "postgresql://[::1/x",
            // libpq would quote these parts of a password.
            "postgresql://fave:50%hunter2@localhost/fave", "host=localhost password=my hunter2",
            // libpq would take these for a host, a port or a name.
            "postgresql://fave:my@hunter2@localhost/fave",
            "postgresql://fave:hunter2/x@localhost/fave",
            "postgresql://fave:1/hunter2@localhost/fave",
        ])
    func badConfiguration(url: String) async throws {
        try await withLoop { loop in
            let error = #expect(throws: PostgresError.self) {
                try PostgresPool(
                    PostgresConfiguration(connectionString: url), on: loop, logger: .silent)
            }
            #expect(error?.code == .badConfiguration)
        }
        let error = #expect(throws: PostgresError.self) {
            try BlockingSession(connectionString: url)
        }
        #expect(error?.code == .badConfiguration)
        #expect(!String(reflecting: error).contains("hunter2"))
        #expect(!String(reflecting: error).contains("%hu"))
    }
}
