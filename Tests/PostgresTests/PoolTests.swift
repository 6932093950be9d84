import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("A pool", .blocking)
struct PoolTests {
    private let schema: TestSchema

    init() throws { schema = try TestSchema() }

    @Test("gives each of five hundred queries at once its own result", arguments: [1, 4])
    func ownResults(connections: Int) async throws {
        try await withPool(schema.url, connections: connections) { pool in
            try await withThrowingTaskGroup { group in
                for number in 0..<500 {
                    group.addTask {
                        // Several shapes, so that preparing happens in the middle of things, too.
                        let rows = try await pool.query(
                            .read("SELECT $1::int, $2::text, \(number % 7)"),
                            [.int(number), .text("q\(number)")])
                        #expect(try rows[0][0] == number)
                        #expect(try rows[0][1] == "q\(number)")
                        #expect(try rows[0][2] == number % 7)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("calls a read's function once with its rows or its error, and never at once")
    func readWithoutTask() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            let outcomes = Recorder<String>()
            func read(_ sql: String) {
                let count = outcomes.count
                pool.read(.read(sql), []) { outcome in
                    switch outcome {
                    case .success(let rows): outcomes.record((try? rows[0][0]) ?? "?")
                    case .failure(let error): outcomes.record(error.sqlState ?? "\(error.code)")
                    }
                }
                #expect(outcomes.count == count)
            }
            read("SELECT 'one'")
            read("SELECT 1 / 0")
            read("SELECT 'three'")
            try await eventually { outcomes.count == 3 }
            #expect(Set(outcomes.elements) == ["one", "22012", "three"])
            pool.close()
            read("SELECT 'four'")
            try await eventually { outcomes.count == 4 }
            #expect(outcomes.elements.last == "closed")
        }
    }

    @Test("keeps a query's error from its thirty neighbours in the batch", arguments: [1, 3])
    func errorsStayApart(connections: Int) async throws {
        try await withPool(schema.url, connections: connections) {
            $0.batchSize = 31
        } _: { pool in
            // Connects, and prepares.
            let statement = Statement.read("SELECT 100 / $1::int")
            _ = try await pool.query(statement, [1])
            for failing in [0, 15, 30] {
                let outcomes = await withTaskGroup { group in
                    for number in 0...30 {
                        group.addTask { () -> (Int, Int?, String?) in
                            do {
                                let divisor = number == failing ? 0 : number + 1
                                let rows = try await pool.query(statement, [.int(divisor)])
                                return (number, try rows[0][0], nil)
                            } catch {
                                return (number, nil, (error as? PostgresError)?.sqlState)
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                for (number, value, state) in outcomes {
                    #expect(value == (number == failing ? nil : 100 / (number + 1)))
                    #expect(state == (number == failing ? "22012" : nil))
                }
            }
        }
    }

    @Test("keeps errors apart when every third query fails, in every way")
    func manyErrors() async throws {
        try await withPool(schema.url, connections: 2) { pool in
            await withTaskGroup { group in
                for number in 0..<300 {
                    group.addTask {
                        let sql =
                            switch number % 6 {
                            case 0: "SELECT $1::int / 0"
                            case 3: "SELECT * FROM nowhere WHERE id = $1::int"
                            default: "SELECT $1::int + 1"
                            }
                        let error = await postgresError {
                            let rows = try await pool.query(.read(sql), [.int(number)])
                            #expect(try rows[0][0] == number + 1)
                        }
                        #expect(error?.sqlState == [0: "22012", 3: "42P01"][number % 6])
                    }
                }
            }
        }
    }

    @Test("prepares a statement again whose preparation failed")
    func preparesAgain() async throws {
        let session = try schema.session()
        try await withPool(schema.url, connections: 1) { pool in
            let statement = Statement.read("SELECT x FROM late")
            let error = await postgresError { _ = try await pool.query(statement) }
            #expect(error?.sqlState == "42P01")
            let other = await postgresError { _ = try await pool.query(statement) }
            #expect(other?.sqlState == "42P01")
        }
        try await withPool(schema.url, connections: 1) { [schema] pool in
            let statement = Statement.read("SELECT x FROM late")
            _ = await postgresError { _ = try await pool.query(statement) }
            try schema.session().execute("CREATE TABLE late AS SELECT 7 AS x")
            #expect(try await pool.query(statement)[0][0] == 7)
        }
        try session.execute("DROP TABLE late")
    }

    @Test("prepares again what DISCARD ALL took away, for reads and writes")
    func discarded() async throws {
        try schema.session().execute("CREATE TABLE t (x integer)")
        try await withPool(schema.url, connections: 1) { pool in
            let read = Statement.read("SELECT count(*) FROM t")
            let write = Statement.write("INSERT INTO t VALUES (1)")
            for expected in 1...3 {
                _ = try await pool.query(write)
                #expect(try await pool.query(read)[0][0] == expected)
                _ = try await pool.query(.write("DEALLOCATE ALL"))
            }
        }
    }

    @Test("ends a statement that takes too long, and goes on")
    func statementTimeout() async throws {
        // The pool's clock stands still: this is the time that PostgreSQL measures.
        try await withPool(schema.url, connections: 1, clock: TestClock()) {
            $0.statementTimeout = .milliseconds(500)
        } _: { pool in
            let error = await postgresError {
                _ = try await pool.query(.read("SELECT pg_sleep(3600)"))
            }
            #expect(error?.sqlState == SQLState.queryCanceled)
            #expect(error?.isTransient == true)
            let five: Int = try await pool.query(.read("SELECT 5"))[0][0]
            #expect(five == 5)
        }
    }

    /// Waits while the table is locked.
    private static let held = Statement.read("SELECT x FROM held WHERE $1::int IS NOT NULL")

    private func lock() throws -> TableLock {
        try schema.session().execute("CREATE TABLE held AS SELECT 'read' AS x")
        return try TableLock("held", in: schema)
    }

    @Test("refuses more than may wait")
    func queueBound() async throws {
        let lock = try lock()
        try await withPool(schema.url, connections: 1) {
            $0.batchSize = 1
            $0.queueLimit = 5
        } _: { pool in
            _ = try await pool.query(.read("SELECT 1"))
            let codes = Recorder<PostgresError.Code?>()
            try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask {
                        codes.record(
                            await code { _ = try await pool.query(Self.held, [.int(number)]) })
                    }
                }
                // Five may wait; by then one may be on its way.
                try await eventually("refusals") { codes.count >= 6 }
                try lock.release()
                try await group.waitForAll()
            }
            #expect((5...6).contains(codes.elements.count { $0 == nil }))
            #expect((6...7).contains(codes.elements.count { $0 == .queueFull }))
            #expect(codes.count == 12)
            #expect(try await pool.query(.read("SELECT 1"))[0][0] == 1)
        }
    }

    @Test("lets queries and transactions wait only so long")
    func acquisitionTimeout() async throws {
        let clock = TestClock()
        let lock = try lock()
        try await withPool(schema.url, connections: 1, clock: clock) { [schema] pool in
            async let slow = pool.query(Self.held, [1])
            _ = try await schema.processRunning("FROM held")
            let codes = Recorder<PostgresError.Code?>()
            async let query: Void = codes.record(
                await code { _ = try await pool.query(.read("SELECT 1")) })
            async let transaction: Void = codes.record(
                await code {
                    try await pool.withTransaction { _ = try await $0.query(.read("SELECT 1")) }
                })
            await clock.advance(by: .zero, on: pool.loop)
            await clock.advance(by: .seconds(3599), on: pool.loop)
            #expect(codes.count == 0)
            await clock.advance(by: .seconds(1), on: pool.loop)
            _ = await (query, transaction)
            #expect(codes.elements == [.acquisitionTimeout, .acquisitionTimeout])
            try lock.release()
            #expect(try await slow[0][0] == "read")
            #expect(try await pool.query(.read("SELECT 1"))[0][0] == 1)
        }
    }

    @Test("that is closed refuses what comes and fails what waits")
    func closed() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            async let waiting = code { _ = try await pool.query(.read("SELECT 1")) }
            async let transaction = code {
                try await pool.withTransaction { _ = try await $0.query(.read("SELECT 1")) }
            }
            await pool.loop.turn()
            pool.close()
            let codes = [await waiting, await transaction]
            #expect(codes.allSatisfy { $0 == .closed || $0 == .connectionLost || $0 == nil })
            #expect(await code { _ = try await pool.query(.read("SELECT 1")) } == .closed)
            #expect(
                await code {
                    try await pool.withTransaction { _ = try await $0.query(.read("SELECT 1")) }
                } == .closed)
        }
    }
}
