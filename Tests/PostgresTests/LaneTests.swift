import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("Lanes", .blocking)
struct LaneTests {
    private let schema: TestSchema

    init() throws {
        schema = try TestSchema()
        try schema.session().execute(
            "CREATE TABLE t AS SELECT id, 0 AS x FROM generate_series(1, 20) id")
    }

    private static let short = Statement.read("SELECT 1")
    private static let long = Statement("long", .longRead, "SELECT $1::int FROM pg_sleep($2)")
    private static let update = Statement.write("UPDATE t SET x = x + 1 WHERE id = $1")

    @Test(
        "have a connection each from three on, and share fewer",
        arguments: [
            (0, ""), (1, "SLW"), (2, "S WL"), (3, "S L W"), (4, "S L W W"), (5, "S S L W W"),
            (6, "S S L W W W"),
        ])
    func shares(count: Int, expected: String) {
        let letters: [Lane: String] = [.shortReads: "S", .longReads: "L", .writes: "W"]
        let shares = Lane.shares(of: count).map { $0.compactMap { letters[$0] }.joined() }
        #expect(shares.joined(separator: " ") == expected)
    }

    @Test("let short reads pass while locks, clients and long reads keep the other lanes busy")
    func shortReadsPass() async throws {
        let lock = try TableLock("t", in: schema)
        try await withPool(schema.url, connections: 5) { [schema] pool in
            let written = Shared(0)
            let failures = Shared<[String?]>([])
            @Sendable func note(_ body: () async throws -> Void) async {
                if let error = await postgresError(body) {
                    failures.change { $0.append(error.sqlState) }
                }
            }
            try await withThrowingTaskGroup { group in
                for id in 1...8 {
                    group.addTask {
                        await note { _ = try await pool.query(Self.update, [.int(id)]) }
                        written.change { $0 += 1 }
                    }
                    group.addTask {
                        await note {
                            _ = try await pool.withTransaction {
                                try await $0.query(Self.update, [.int(id + 8)])
                            }
                        }
                        written.change { $0 += 1 }
                    }
                    group.addTask {
                        let duration: PostgresParameter = id == 1 ? "3600" : "0"
                        await note { _ = try await pool.query(Self.long, [.int(id), duration]) }
                    }
                }
                group.addTask {
                    let process = try await schema.processRunning("pg_sleep")
                    _ = try await schema.processRunning("UPDATE t")
                    for _ in 0..<50 {
                        #expect(try await pool.query(Self.short)[0][0] == 1)
                    }
                    #expect(written.value == 0, "the short reads have passed nothing")
                    let wasEnded: Bool = try schema.session().query(
                        "SELECT pg_cancel_backend($1)", [.int(process)])[0][0]
                    #expect(wasEnded)
                    try lock.release()
                }
                try await group.waitForAll()
            }
            #expect(failures.value == [SQLState.queryCanceled])
            let sum: Int = try await pool.query(.read("SELECT sum(x)::int FROM t"))[0][0]
            #expect(sum == 16)
        }
    }

    @Test("have as many long reads at once as the pools may have together, in turns")
    func longReadsOfPools() async throws {
        // Which one it is, and how many of its kind run while it does. None ends while the table is
        // locked.
        try schema.session().execute("CREATE SEQUENCE turns")
        let long = Statement(
            "long", .longRead,
            """
            SELECT (SELECT nextval('turns')), count(*)
            FROM pg_stat_activity, (SELECT FROM t LIMIT 1) AS unlocked
            WHERE usename = current_user AND state = 'active' AND query LIKE '%AS unlocked%'
              AND $1::int > 0
            """)
        let lock = try TableLock("t", in: schema)
        let longReads = LongReads(limit: 1)
        let waiting = Recorder<Int>()
        let turns = Recorder<(turn: Int, pool: Int)>()
        try await withThrowingTaskGroup { group in
            for number in 0..<3 {
                group.addTask { [schema] in
                    try await withPool(schema.url, connections: 3, longReads: longReads) { pool in
                        _ = try await pool.query(Self.short)
                        try await withThrowingTaskGroup { group in
                            // Equal ones would be executed as one.
                            for read in 1...10 {
                                group.addTask {
                                    let rows = try await pool.query(long, [.int(read)])
                                    #expect(try rows[0][1] == 1)
                                    turns.record((try rows[0][0], number))
                                }
                            }
                            await pool.loop.turn()
                            waiting.record(number)
                            try await group.waitForAll()
                        }
                    }
                }
            }
            try await eventually("all pools") { waiting.count == 3 }
            try lock.release()
            try await group.waitForAll()
        }
        #expect(turns.elements.map(\.turn).sorted() == Array(1...30))
        // All had waited in line, so each has a turn before any has another one.
        let first = turns.elements.filter { $0.turn <= 3 }
        #expect(Set(first.map(\.pool)).count == 3)
    }

    @Test("pass on the turn of a pool that is closed, or whose connection is lost, while it has it")
    func longReadTurnsOfTheLost() async throws {
        let longReads = LongReads(limit: 1)
        let lock = try TableLock("t", in: schema)
        try await withPool(schema.url, connections: 3, longReads: longReads) { [schema] pool in
            // Until the lock is released.
            let held = Statement("held", .longRead, "SELECT count(*) FROM t")
            let lost = Task(executorPreference: pool.loop) {
                await code { try await pool.query(held) }
            }
            let process = try await schema.processRunning("FROM t")
            let other = Task(executorPreference: pool.loop) {
                try await withPool(schema.url, connections: 3, longReads: longReads) {
                    _ = try await $0.query(Self.short)
                    // It waits for its turn when its pool is closed.
                    let waiting = Task(executorPreference: $0.loop) { [pool = $0] in
                        await code { try await pool.query(Self.long, [1, "0"]) }
                    }
                    await $0.loop.turn()
                    return waiting
                }
            }
            #expect(try await other.value.value == .closed)
            try schema.terminate(process)
            // It is sent again.
            #expect(try await schema.processRunning("FROM t") != process)
            try lock.release()
            #expect(await lost.value == nil)
            _ = try await pool.query(Self.long, [2, "0"])
        }
        try await withPool(schema.url, connections: 3, longReads: longReads) {
            _ = try await $0.query(Self.long, [3, "0"])
        }
    }

    @Test("serve everything by the connections that PostgreSQL allows")
    func fewerConnections() async throws {
        let role = "few_\(UInt32.random(in: 0 ... .max))"
        try schema.session().execute(
            """
            CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1;
            CREATE SCHEMA AUTHORIZATION \(role);
            CREATE TABLE \(role).t AS TABLE t;
            ALTER TABLE \(role).t OWNER TO \(role)
            """)
        let url = schema.url.replacing(schema.name, with: role)
        try await withPool(url, connections: 5) { pool in
            _ = try await pool.query(Self.short)
            _ = try await pool.query(Self.update, [1])
            _ = try await pool.query(Self.long, [1, "0"])
            _ = try await pool.withTransaction { try await $0.query(Self.update, [2]) }
        }
    }

    @Test("give reads whose batch was ended by one that took too long the rest of their time")
    func skippedReads() async throws {
        let clock = TestClock()
        try await withPool(schema.url, connections: 1, clock: clock) {
            $0.acquisitionTimeout = .milliseconds(500)
            // In real time, because PostgreSQL measures it.
            $0.statementTimeout = .seconds(1)
        } _: { pool in
            let sleep = Statement.read("SELECT $1::int FROM pg_sleep($2)")
            _ = try await pool.query(sleep, [0, "0"])
            let outcomes = await withTaskGroup { group in
                for number in 0..<8 {
                    group.addTask { () -> String in
                        do {
                            let rows = try await pool.query(
                                sleep, [.int(number), number == 0 ? "3600" : "0"])
                            let value: Int = try rows[0][0]
                            return "\(value)"
                        } catch {
                            return (error as? PostgresError)?.sqlState ?? "\(error)"
                        }
                    }
                }
                // The others are skipped after they have waited longer than anything may wait for a
                // connection.
                await clock.advance(by: .zero, on: pool.loop)
                await clock.advance(by: .milliseconds(501), on: pool.loop)
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(outcomes == Set((1..<8).map(String.init) + [SQLState.queryCanceled]))
        }
    }

    @Test("let many transactions take turns, each of which waits for its client")
    func transactionsTakeTurns() async throws {
        try await withPool(schema.url, connections: 3) { pool in
            try await withThrowingTaskGroup { group in
                for id in 1...20 {
                    group.addTask {
                        try await pool.withTransaction {
                            try await $0.query(Self.update, [.int(id)])
                            await Task.yield()
                            try await $0.query(Self.update, [.int(id)])
                        }
                    }
                    group.addTask { _ = try await pool.query(Self.update, [.int(id)]) }
                }
                try await group.waitForAll()
            }
            let sum: Int = try await pool.query(.read("SELECT sum(x)::int FROM t"))[0][0]
            #expect(sum == 60)
        }
    }
}
