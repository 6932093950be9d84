import TestSupport
import Testing

@testable import Postgres

@Suite("A write that precedes a query", .blocking)
struct PrecedingWriteTests {
    private let schema: TestSchema

    init() throws {
        schema = try TestSchema()
        try schema.session().execute("CREATE TABLE t (x integer PRIMARY KEY)")
    }

    private static let insert = Statement.write("INSERT INTO t VALUES ($1::int)")
    private static let count = Statement.read("SELECT count(*) FROM t")

    @Test("is seen by the query, and committed with it")
    func isSeen() async throws {
        try await withPool(schema.url) { pool in
            for number in 1...3 {
                let count: Int = try await pool.query(
                    Self.count, after: BoundStatement(Self.insert, [.int(number)]))[0][0]
                #expect(count == number)
            }
        }
        #expect(try schema.session().query("SELECT count(*) FROM t")[0][0] == 3)
    }

    @Test("fails the query if it fails, and is undone if the query fails")
    func failures() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            let one = BoundStatement(Self.insert, [.int(1)])
            let two = BoundStatement(Self.insert, [.int(2)])
            try await pool.query(Self.count, after: one)
            async let neighbour = pool.query(.read("SELECT 5"))
            let duplicate = await postgresError { try await pool.query(Self.count, after: one) }
            #expect(duplicate?.constraint == "t_pkey")
            let division = await postgresError {
                try await pool.query(.read("SELECT 1 / $1::int"), [.int(0)], after: two)
            }
            #expect(division?.sqlState == "22012")
            let count: Int = try await pool.query(Self.count)[0][0]
            #expect(count == 1)
            #expect(try await neighbour[0][0] == 5)
        }
    }

    @Test("belongs to a transaction if the query does")
    func transactions() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            struct Undo: Error {}
            await #expect(throws: Undo.self) {
                try await pool.withTransaction { transaction in
                    for number in 1...2 {
                        let count: Int = try await transaction.query(
                            Self.count, after: BoundStatement(Self.insert, [.int(number)]))[0][0]
                        #expect(count == number)
                    }
                    throw Undo()
                }
            }
            let count: Int = try await pool.query(Self.count)[0][0]
            #expect(count == 0)
        }
    }

    @Test("is prepared again after the connection has forgotten it")
    func forgotten() async throws {
        try await withPool(schema.url, connections: 1) { pool in
            for number in 1...3 {
                try await pool.query(
                    Self.count, after: BoundStatement(Self.insert, [.int(number)]))
                try await pool.query(.write("DISCARD ALL"))
            }
            let count: Int = try await pool.query(Self.count)[0][0]
            #expect(count == 3)
        }
    }

    @Test("and commits asynchronously completes when it is on disk, many at once")
    func asynchronous() async throws {
        let write = Statement(
            "write", .asynchronousWrite,
            "INSERT INTO t SELECT $1::int FROM set_config('synchronous_commit', 'off', true)")
        let place = Statement.read(
            "SELECT pg_current_wal_insert_lsn()::text, current_setting('synchronous_commit')")
        // The clusters of tests commit asynchronously, because nothing in them has to last.
        try schema.session().execute(
            "ALTER ROLE CURRENT_USER SET synchronous_commit = on")
        try await withPool(schema.url, connections: 3) { pool in
            try await withThrowingTaskGroup { group in
                for task in 0..<10 {
                    group.addTask {
                        for number in 0..<20 {
                            let rows = try await pool.query(
                                place, after: BoundStatement(write, [.int(task * 20 + number)]))
                            #expect(try rows[0][1] == "off")
                            let isOnDisk: Bool = try await pool.query(
                                .read("SELECT pg_current_wal_flush_lsn() >= $1::text::pg_lsn"),
                                [.text(rows[0][0])])[0][0]
                            #expect(isOnDisk)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count: Int = try await pool.query(Self.count)[0][0]
            #expect(count == 200)
            #expect(
                try await pool.query(.write("SELECT current_setting('synchronous_commit')"))[0][0]
                    == "on")
        }
    }
}
