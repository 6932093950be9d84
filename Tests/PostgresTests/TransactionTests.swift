import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("A transaction", .blocking)
struct TransactionTests {
    private struct Refusal: Error, Equatable {}

    private let schema: TestSchema

    init() throws {
        schema = try TestSchema()
        try schema.session().execute(
            "CREATE TABLE t (id integer PRIMARY KEY, x integer); INSERT INTO t VALUES (1, 0), (2, 0)"
        )
    }

    private static let sum = Statement.read("SELECT sum(x)::int FROM t")
    private static let add = Statement.write("UPDATE t SET x = x + 1 WHERE id = $1")

    @Test("keeps what it did when its body returns, and gives what the body gives")
    func commits() async throws {
        try await withPool(schema.url) { pool in
            let result = try await pool.withTransaction { transaction in
                try await transaction.query(Self.add, [1])
                try await transaction.query(Self.add, [2])
                return try await transaction.query(Self.sum)[0][0] as Int
            }
            #expect(result == 2)
            #expect(try await pool.query(Self.sum)[0][0] == 2)
        }
    }

    @Test("keeps nothing when its body throws, and passes the error on", arguments: [1, 3])
    func rollsBack(connections: Int) async throws {
        try await withPool(schema.url, connections: connections) { pool in
            await #expect(throws: Refusal()) {
                try await pool.withTransaction { transaction in
                    try await transaction.query(Self.add, [1])
                    throw Refusal()
                }
            }
            let sum: Int = try await pool.query(Self.sum)[0][0]
            #expect(sum == 0)
        }
    }

    @Test("keeps nothing when a statement of it fails")
    func failingStatement() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            let error = await postgresError {
                try await pool.withTransaction { transaction in
                    try await transaction.query(Self.add, [1])
                    try await transaction.query(.write("INSERT INTO t VALUES (1, 1)"))
                }
            }
            #expect(error?.sqlState == SQLState.uniqueViolation)
            #expect(error?.constraint == "t_pkey")
            let sum: Int = try await pool.query(Self.sum)[0][0]
            #expect(sum == 0)
        }
    }

    @Test("whose body swallows an error says that it was not committed")
    func swallowedError() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            let error = await postgresError {
                try await pool.withTransaction { transaction in
                    try await transaction.query(Self.add, [1])
                    _ = try? await transaction.query(.read("SELECT 1 / 0"))
                    let next = await postgresError { _ = try await transaction.query(Self.sum) }
                    #expect(next?.sqlState == "25P02")
                }
            }
            #expect(error != nil)
            let sum: Int = try await pool.query(Self.sum)[0][0]
            #expect(sum == 0)
        }
    }

    @Test("is not seen by other queries before it commits, nor are they part of it")
    func isolation() async throws {
        try await withPool(schema.url, connections: 2) { pool in
            try await pool.withTransaction { transaction in
                try await transaction.query(Self.add, [1])
                for _ in 0..<20 { #expect(try await pool.query(Self.sum)[0][0] == 0) }
                let mine: Int = try await transaction.query(.read("SELECT pg_backend_pid()"))[0][0]
                let other: Int = try await pool.query(.read("SELECT pg_backend_pid()"))[0][0]
                #expect(mine != other)
            }
            #expect(try await pool.query(Self.sum)[0][0] == 1)
        }
    }

    @Test("shares a pool of one connection with queries and others", arguments: [1, 2])
    func sharesConnection(connections: Int) async throws {
        try await withPool(schema.url, connections: connections) { pool in
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        if number % 3 == 0 {
                            try await pool.withTransaction { transaction in
                                try await transaction.query(Self.add, [1])
                                try await transaction.query(Self.add, [2])
                            }
                        } else {
                            let sum: Int = try await pool.query(Self.sum)[0][0]
                            #expect(sum.isMultiple(of: 2), "half a transaction was seen")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await pool.query(Self.sum)[0][0] == 40)
        }
    }

    /// Two tasks that both have come to a point, the first time they pass it.
    private final class Meeting: Sendable {
        private let arrivals = Shared(0)
        private let ends = Shared(0)
        var attempts: Int { arrivals.value }

        func arrive() async throws {
            arrivals.change { $0 += 1 }
            try await eventually { attempts >= 2 }
        }

        /// Lets only two attempts begin before one of the tasks has ended. Otherwise the one that lost
        /// could come back before the other has been woken, and lose again.
        func begin() async throws {
            if attempts >= 2 { try await eventually { ends.value > 0 } }
        }

        func end() { ends.change { $0 += 1 } }
    }

    @Test("that loses a deadlock is run again")
    func deadlock() async throws {
        // PostgreSQL looks for one only after this time, usually a second.
        try schema.session().execute(
            "ALTER ROLE CURRENT_USER SET deadlock_timeout = '50ms'")
        try await withPool(schema.url, connections: 4) { pool in
            let meeting = Meeting()
            @Sendable func update(_ first: Int, _ second: Int) async throws {
                try await pool.withTransaction { transaction in
                    try await meeting.begin()
                    try await transaction.query(Self.add, [.int(first)])
                    try await meeting.arrive()
                    try await transaction.query(Self.add, [.int(second)])
                }
                meeting.end()
            }
            async let one: Void = update(1, 2)
            async let other: Void = update(2, 1)
            try await one
            try await other
            #expect(meeting.attempts == 3)
            #expect(try await pool.query(Self.sum)[0][0] == 4)
        }
    }

    @Test("that cannot be serialized with another is run again")
    func serializationFailure() async throws {
        try await withPool(schema.url, connections: 4) { pool in
            let meeting = Meeting()
            let serializable = Statement.write("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
            // Each writes what the other has read.
            @Sendable func copySum(to id: Int) async throws {
                try await pool.withTransaction { transaction in
                    try await transaction.query(serializable)
                    let sum: Int = try await transaction.query(Self.sum)[0][0]
                    try await meeting.arrive()
                    try await transaction.query(
                        .write("UPDATE t SET x = $1::int + 1 WHERE id = $2"), [.int(sum), .int(id)])
                }
            }
            async let one: Void = copySum(to: 1)
            async let other: Void = copySum(to: 2)
            try await one
            try await other
            #expect(meeting.attempts >= 3)
            // One after the other: 1, and then 2.
            #expect(try await pool.query(Self.sum)[0][0] == 3)
        }
    }

    @Test("is given up after it lost three times")
    func retriesAreBounded() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            let attempts = Shared(0)
            let error = await postgresError {
                _ = try await pool.withTransaction { _ in
                    attempts.change { $0 += 1 }
                    throw PostgresError(.server, sqlState: SQLState.deadlockDetected)
                }
            }
            #expect(error?.sqlState == SQLState.deadlockDetected)
            #expect(attempts.value == 3)
            let one: Int = try await pool.query(.read("SELECT 1"))[0][0]
            #expect(one == 1)
        }
    }

    @Test("leaves the session as it found it, whatever happened")
    func leavesNothingOpen() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            for number in 0..<12 {
                _ = await postgresError {
                    try await pool.withTransaction { transaction in
                        try await transaction.query(Self.add, [1])
                        if number % 3 == 0 { throw PostgresError(.queueFull) }
                        if number % 3 == 1 {
                            try await transaction.query(.read("SELECT 1 / \(number - number)"))
                        }
                    }
                }
                let open: Bool = try await pool.query(
                    .read("SELECT pg_current_xact_id_if_assigned() IS NOT NULL"))[0][0]
                #expect(!open)
            }
            #expect(try await pool.query(Self.sum)[0][0] == 4)
        }
    }
}
