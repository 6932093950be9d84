import FaveGames
import Postgres

/// The application's stored data. The SQL is in this module's `Store+….swift`, one file for each
/// aggregate.
///
/// A store belongs to the loop of its pool. Its members throw `PostgresError`, and `ListError` if a
/// rule of lists is broken. They return `nil` for what doesn't exist.
public struct Store: Sendable {
    private(set) var database: Database

    public init(_ pool: PostgresPool) {
        database = Database(pool: pool)
    }

    /// The same store, but notes what everything that it reads depends on.
    public func recording(with recorder: DependencyRecorder) -> Store {
        var store = self
        store.database.recorder = recorder
        return store
    }

    /// The same store, but rows that are in memory and still current are not read again.
    public func sharing(_ rows: SharedRows) -> Store {
        var store = self
        store.database.shared = rows
        return store
    }

    /// The same store, but what it reads may come from a replica that is as recent as the answer
    /// demands. Only for answers that are for everyone.
    public func reading(from replica: ReplicaReads) -> Store {
        var store = self
        store.database.replica = replica
        return store
    }

    /// Notes that something other than the store's reads was used, of whose changes nobody is told.
    /// So what is made from it can't be kept.
    public func usesMore() { database.recorder?.giveUp() }
}

/// The database as a store uses it.
struct Database: StatementRunner, Sendable {
    let pool: PostgresPool
    var recorder: DependencyRecorder?
    var shared: SharedRows?
    var replica: ReplicaReads?

    @discardableResult
    func query(
        _ statement: Statement, _ parameters: [PostgresParameter] = [],
        after write: BoundStatement? = nil
    ) async throws(PostgresError) -> Rows {
        if write != nil { replica?.end() }
        let rows =
            if write == nil, let shared {
                try await shared.query(statement, parameters)
            } else if write == nil, let rows = await replica?.query(statement, parameters) {
                rows
            } else {
                try await pool.query(statement, parameters, after: write)
            }
        recorder?.record(statement, parameters, rows)
        return rows
    }

    func withTransaction<Result>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        recorder?.giveUp()
        replica?.end()
        return try await pool.withTransaction(body)
    }
}
