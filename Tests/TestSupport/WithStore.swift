import Postgres
import Sockets
import Storage
import StorageWrites

/// Runs `body` on a loop with a store, whose pool is closed afterwards.
public func withStore<Result: Sendable>(
    _ database: TestDatabase, connections: Int = 3,
    _ body: @escaping @Sendable (Store) async throws -> Result
) async throws -> Result {
    try await withStore(at: database.url, connections: connections, body)
}

/// - Parameter url: The address of a database.
public func withStore<Result: Sendable>(
    at url: String, connections: Int = 3,
    _ body: @escaping @Sendable (Store) async throws -> Result
) async throws -> Result {
    var configuration = PostgresConfiguration(connectionString: url)
    configuration.connections = connections
    // Many write at once, on a machine that may be busy with other tests.
    configuration.acquisitionTimeout = .seconds(120)
    configuration.statementTimeout = .seconds(120)
    let finished = configuration
    return try await withLoop { loop in
        let pool = try PostgresPool(finished, on: loop, logger: .init(label: "test"))
        return try await onLoop(loop) {
            pool.open()
            defer { pool.close() }
            return try await body(Store(pool))
        }
    }
}
