import TestSupport
import Testing

@testable import Postgres

@Suite("A commit that fails", .blocking)
struct CommitFailureTests {
    private let schema: TestSchema

    init() throws {
        schema = try TestSchema()
        // A third of all rows is refused, but only by the commit.
        try schema.session().execute(
            """
            CREATE TABLE t (x integer NOT NULL);
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF new.x % 3 = 0 THEN
                    RAISE EXCEPTION 'not this one' USING ERRCODE = 'check_violation';
                END IF;
                RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON t
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse();
            """)
    }

    /// Runs `insert` for many numbers at once.
    ///
    /// - Returns: Those for which it did not fail, and the SQLSTATEs of the others.
    private func acknowledged(
        _ count: Int, _ insert: @escaping @Sendable (Int) async throws -> Void
    ) async -> (numbers: [Int], errors: Set<String>) {
        await withTaskGroup(of: (Int, String?).self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        try await insert(number)
                        return (number, nil)
                    } catch {
                        return (number, (error as? PostgresError)?.sqlState ?? "\(error)")
                    }
                }
            }
            var numbers: [Int] = []
            var errors: Set<String> = []
            for await (number, error) in group {
                if let error { errors.insert(error) } else { numbers.append(number) }
            }
            return (numbers.sorted(), errors)
        }
    }

    private var stored: [Int] {
        get throws {
            var numbers: [Int] = []
            for row in try schema.session().query("SELECT x FROM t ORDER BY x") {
                numbers.append(try row[0])
            }
            return numbers
        }
    }

    private static let insert = Statement.write("INSERT INTO t VALUES ($1::int)")

    @Test(
        "fails its own write, and no other, and none is made twice", arguments: [1, 3],
        ["read committed", "serializable"])
    func writes(connections: Int, isolation: String) async throws {
        try schema.session().execute(
            "ALTER ROLE CURRENT_USER SET default_transaction_isolation = '\(isolation)'"
        )
        try await withPool(schema.url, connections: connections) {
            $0.queueLimit = 10_000
        } _: { pool in
            let (numbers, errors) = await acknowledged(600) { number in
                // Reads between them share connections, and batches.
                if number % 5 == 0 { _ = try await pool.query(.read("SELECT 1")) }
                try await pool.query(Self.insert, [.int(number)])
            }
            #expect(errors == [SQLState.checkViolation])
            #expect(numbers == (0..<600).filter { $0 % 3 != 0 })
            let rows = try stored
            #expect(rows == numbers)
        }
    }

    @Test("fails its transaction, with all that was in it")
    func transactions() async throws {
        try await withPool(schema.url, connections: 3) {
            $0.queueLimit = 10_000
        } _: { pool in
            let (numbers, errors) = await acknowledged(600) { number in
                try await pool.withTransaction { transaction in
                    try await transaction.query(Self.insert, [.int(number)])
                    try await transaction.query(Self.insert, [.int(number + 10_000)])
                }
            }
            #expect(errors == [SQLState.checkViolation])
            let expected = (0..<600).filter { $0 % 3 != 0 && ($0 + 10_000) % 3 != 0 }
            #expect(numbers == expected)
            let rows = try stored
            #expect(rows == expected + expected.map { $0 + 10_000 })
        }
    }

    @Test("is no matter of what the role has set")
    func settings() async throws {
        let session = try schema.session()
        for (name, value) in [
            ("default_transaction_isolation", "'serializable'"), ("jit", "on"),
            ("plan_cache_mode", "force_custom_plan"), ("TimeZone", "'Asia/Tokyo'"),
        ] {
            try session.execute(
                "ALTER ROLE CURRENT_USER SET \(name) = \(value)")
        }
        try await withPool(schema.url, connections: 1) { pool in
            for (name, value) in [
                ("transaction_isolation", "read committed"), ("jit", "off"),
                ("plan_cache_mode", "auto"), ("TimeZone", "UTC"),
                ("standard_conforming_strings", "on"),
            ] {
                let found: String = try await pool.query(.read("SHOW \(name)"))[0][0]
                #expect(found == value, "\(name)")
            }
        }
    }
}
