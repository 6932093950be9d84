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
func withPool<Result: Sendable>(
    _ url: String, connections: Int = 2, longReads: LongReads = LongReads(limit: 1),
    configure: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (PostgresPool) async throws -> Result
) async throws -> Result {
    var configuration = PostgresConfiguration(connectionString: url)
    configuration.connections = connections
    // This machine may be busy with other tests: only those about a bound make it short.
    configuration.acquisitionTimeout = .seconds(30)
    configuration.statementTimeout = .seconds(30)
    configure(&configuration)
    let finished = configuration
    return try await withLoop { loop in
        let pool = try PostgresPool(
            finished, on: loop, logger: .silent, longReads: longReads)
        return try await onLoop(loop) {
            pool.open()
            defer { pool.close() }
            return try await body(pool)
        }
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

extension TestDatabase {
    /// Waits until a connection is running a statement that contains `text`, and gives its process.
    func processRunning(_ text: String) async throws -> Int {
        var process: Int?
        try await eventually {
            process =
                try session().query(
                    """
                    SELECT pid FROM pg_stat_activity
                    WHERE datname = $1 AND state = 'active' AND pid <> pg_backend_pid()
                      AND query LIKE '%' || $2 || '%'
                    """, [.text(name), .text(text)]
                ).first.map { row throws(PostgresError) in try row[0] }
            return process != nil
        }
        return process ?? 0
    }

    /// Ends a connection, and waits up to ten seconds until it has ended.
    func terminate(_ process: Int) throws {
        let hasEnded: Bool = try session().query(
            "SELECT pg_terminate_backend($1, 10000)", [.int(process)])[0][0]
        guard hasEnded else { throw TestFailure("process \(process) did not end") }
    }
}
