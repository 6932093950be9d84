import TestSupport
import Testing

@testable import Postgres

@Suite("A write that fails because of another transaction", .blocking)
struct ConflictTests {
    private let schema: TestSchema

    init() throws {
        schema = try TestSchema()
        // A sequence does not go back when a statement is rolled back, so it counts the attempts.
        try schema.session().execute(
            """
            CREATE TABLE t (attempt bigint);
            CREATE SEQUENCE attempts;
            CREATE FUNCTION lose(times bigint, state text, violated text DEFAULT NULL) RETURNS bigint
                LANGUAGE plpgsql AS $$
            DECLARE
                attempt bigint := nextval('attempts');
            BEGIN
                INSERT INTO t VALUES (attempt);
                IF attempt > times THEN
                    RETURN attempt;
                ELSIF violated IS NULL THEN
                    RAISE EXCEPTION 'lost' USING ERRCODE = state;
                END IF;
                RAISE EXCEPTION 'lost' USING ERRCODE = state, CONSTRAINT = violated;
            END $$
            """)
    }

    /// How often it was executed, and how often that took effect.
    private func outcome() throws -> [Int] {
        let row = try schema.session().query(
            "SELECT last_value, (SELECT count(*) FROM t) FROM attempts")[0]
        return [try row[0], try row[1]]
    }

    private static func lose(
        _ times: Int, _ state: String, _ violated: String? = nil
    ) -> Statement {
        let constraint = violated.map { ", '\($0)'" } ?? ""
        return .write("SELECT lose(\(times), '\(state)'\(constraint))")
    }

    private static let conflicts = [SQLState.deadlockDetected, SQLState.serializationFailure]

    @Test("is repeated, and takes effect once", arguments: conflicts)
    func repeated(state: String) async throws {
        try await withPool(schema.url) { pool in
            let attempt: Int = try await pool.query(Self.lose(2, state))[0][0]
            #expect(attempt == 3)
        }
        #expect(try outcome() == [3, 1])
    }

    @Test("is repeated with the statement after it, whichever of the two fails")
    func preceding() async throws {
        try await withPool(schema.url) { pool in
            let write = BoundStatement(Self.lose(1, SQLState.deadlockDetected), [])
            let count: Int = try await pool.query(
                .read("SELECT count(*) FROM t"), after: write)[0][0]
            #expect(count == 1)
            let insert = BoundStatement(.write("INSERT INTO t VALUES (0)"), [])
            try await pool.query(Self.lose(3, SQLState.deadlockDetected), after: insert)
        }
        #expect(try outcome() == [4, 3])
    }

    @Test("is repeated if it is flushed by a later commit")
    func asynchronous() async throws {
        try await withPool(schema.url) { pool in
            let statement = Statement(
                "lose_asynchronously", .asynchronousWrite,
                """
                SELECT lose(1, '\(SQLState.deadlockDetected)')
                FROM set_config('synchronous_commit', 'off', true)
                """)
            let attempt: Int = try await pool.query(statement)[0][0]
            #expect(attempt == 2)
        }
        #expect(try outcome() == [2, 1])
    }

    @Test("is given up after it lost three times", arguments: conflicts)
    func bounded(state: String) async throws {
        try await withPool(schema.url) { pool in
            let error = await postgresError { try await pool.query(Self.lose(9, state)) }
            #expect(error?.sqlState == state)
        }
        #expect(try outcome() == [3, 0])
    }

    @Test(
        "is not repeated if it would be the same again",
        arguments: [
            (SQLState.serializationFailure, "lists_version"), (SQLState.uniqueViolation, nil),
            (SQLState.queryCanceled, nil),
        ] as [(String, String?)])
    func own(state: String, violated: String?) async throws {
        try await withPool(schema.url) { pool in
            let error = await postgresError { try await pool.query(Self.lose(9, state, violated)) }
            #expect(error?.sqlState == state && error?.constraint == violated)
        }
        #expect(try outcome() == [1, 0])
    }

    @Test("is repeated with its transaction, of which all is rolled back")
    func inTransaction() async throws {
        try await withPool(schema.url) { pool in
            let bodies = Shared(0)
            let attempt: Int = try await pool.withTransaction { transaction in
                bodies.change { $0 += 1 }
                try await transaction.query(.write("INSERT INTO t VALUES (0)"))
                return try await transaction.query(Self.lose(2, SQLState.deadlockDetected))[0][0]
            }
            #expect(attempt == 3 && bodies.value == 3)
        }
        #expect(try outcome() == [3, 2])
    }
}
