import Foundation
import Logging
import Sockets
import Synchronization
import TestSupport

@testable import Postgres

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension Statement {
    /// A statement that is prepared under a name made of its text.
    static func read(_ sql: String) -> Statement { Statement(name(sql), .read, sql) }
    static func write(_ sql: String) -> Statement { Statement(name(sql), .write, sql) }

    private static func name(_ sql: String) -> String {
        "t" + String(UInt(bitPattern: sql.hashValue), radix: 36)
    }
}

/// Runs `body` on a loop with an open pool, which is closed afterwards.
///
/// - Parameter clock: What the pool's time limits go by; `nil` for the system's clock. PostgreSQL ends a
///   statement by its own.
func withPool<Result: Sendable>(
    _ url: String, connections: Int = 2, longReads: LongReads = LongReads(limit: 1),
    clock: TestClock? = nil,
    configure: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (PostgresPool) async throws -> Result
) async throws -> Result {
    var configuration = PostgresConfiguration(connectionString: url)
    configuration.connections = connections
    // This machine may be busy with other tests: only those about a bound make it short.
    configuration.acquisitionTimeout = .seconds(3600)
    configuration.statementTimeout = .seconds(3600)
    configuration.connectTimeout = .seconds(3600)
    configure(&configuration)
    let finished = configuration
    return try await withLoop(clock) { loop in
        let pool = try PostgresPool(
            finished, on: loop, logger: .silent, longReads: longReads)
        return try await onLoop(loop) {
            pool.open()
            defer { pool.close() }
            return try await body(pool)
        }
    }
}

extension PostgresPool {
    /// Waits until the pool knows that PostgreSQL can't be reached.
    func goesOut() async throws {
        try await eventually("the outage") { outage != nil }
    }
}

/// A value that tasks share.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value { mutex.withLock { $0 } }

    func change(_ body: (inout sending Value) -> Void) { mutex.withLock { body(&$0) } }
}

/// The code of the `PostgresError` that `body` throws.
func code(_ body: () async throws -> Void) async -> PostgresError.Code? {
    await postgresError(body)?.code
}

/// What `body` throws, which must be a `PostgresError` or nothing.
func postgresError(_ body: () async throws -> Void) async -> PostgresError? {
    do {
        try await body()
        return nil
    } catch let error as PostgresError {
        return error
    } catch {
        return PostgresError(.unexpectedResult, detail: "another error: \(error)")
    }
}

/// A schema of a test's own, in a database that the tests of this folder share, and a superuser of the
/// same name, whose tables are there. Making a database takes much longer.
struct TestSchema: Sendable {
    static let database = Result { try TestDatabase(.empty) }
    private static let count = Atomic(0)

    /// That of the role, too, and never part of the database's.
    let name: String
    /// As libpq takes it.
    let url: String

    init() throws {
        let database = try Self.database.get()
        name = "schema_\(Self.count.add(1, ordering: .relaxed).newValue)"
        url =
            database.url.replacing("user=fave", with: "user=\(name)")
            + " options=-csearch_path=\(name)"
        try database.session().execute(
            "CREATE ROLE \(name) SUPERUSER LOGIN; CREATE SCHEMA AUTHORIZATION \(name)")
    }

    func session() throws -> BlockingSession {
        try BlockingSession(connectionString: url, applicationName: "test")
    }

    /// Waits until a connection is running a statement that contains `text`, and gives its process.
    func processRunning(_ text: String) async throws -> Int {
        var process: Int?
        try await eventually {
            process =
                try session().query(
                    """
                    SELECT pid FROM pg_stat_activity
                    WHERE usename = current_user AND state = 'active' AND pid <> pg_backend_pid()
                      AND query LIKE '%' || $1 || '%'
                    """, [.text(text)]
                ).first.map { row throws(PostgresError) in try row[0] }
            return process != nil
        }
        return process ?? 0
    }

    /// Ends a connection, and waits up to a minute until it has ended.
    func terminate(_ process: Int) throws {
        let hasEnded: Bool = try session().query(
            "SELECT pg_terminate_backend($1, 60000)", [.int(process)])[0][0]
        guard hasEnded else { throw TestFailure("process \(process) did not end") }
    }
}

/// Keeps everyone who reads or writes a table waiting, until it is released.
struct TableLock: Sendable {
    private let session: OnLoop<BlockingSession>

    init(_ table: String, in schema: TestSchema) throws {
        session = OnLoop(try schema.session())
        try session.value.execute("BEGIN; LOCK TABLE \(table)")
    }

    /// One thread at a time may call this.
    func release() throws { try session.value.execute("COMMIT") }
}
