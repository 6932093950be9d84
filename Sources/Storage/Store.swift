import FaveGames
import Postgres

/// The application's stored data. The SQL is in this module's `Store+….swift`, one file for each
/// aggregate.
///
/// A store belongs to the loop of its pool. Its members throw `PostgresError`, and `ListError` if a
/// rule of lists is broken. They return `nil` for what doesn't exist.
public struct Store: Sendable {
    let database: Database

    public init(_ pool: PostgresPool, _ reading: Reading = .anew) {
        database = Database(pool: pool, reading: reading)
    }

    /// The same data, but read in another way.
    public func reading(_ reading: Reading) -> Store { Store(database.pool, reading) }

    /// Notes that something other than the store's reads was used, which can change unnoticed. So a
    /// response that is made from it can't be cached.
    public func usesMore() { database.reading.giveUp() }
}

/// How a store reads. What it writes, and reads in transactions, goes to the primary in any case.
public enum Reading: Sendable {
    /// From the primary.
    case anew
    /// For one person. Rows that are in memory and still current are used instead.
    case sharing(SharedRows)
    /// For everyone. The recorder notes what every read depends on, for a response that may be cached.
    /// Reads may come from a replica that is as recent as the response demands.
    case forEveryone(DependencyRecorder?, ReplicaReads?)

    fileprivate func giveUp() {
        if case .forEveryone(let recorder, _) = self { recorder?.giveUp() }
    }
}

/// The database as a store uses it.
struct Database: StatementRunner, Sendable {
    let pool: PostgresPool
    let reading: Reading

    @discardableResult
    func query(
        _ statement: Statement, _ parameters: [PostgresParameter] = [],
        after write: BoundStatement? = nil
    ) async throws(PostgresError) -> Rows {
        switch reading {
        case .sharing(let rows) where write == nil:
            return try await rows.query(statement, parameters)
        case .anew, .sharing:
            return try await pool.query(statement, parameters, after: write)
        case .forEveryone(let recorder, let replica):
            if write != nil { replica?.end() }
            let rows =
                if let rows = await replica?.query(statement, parameters) {
                    rows
                } else {
                    try await pool.query(statement, parameters, after: write)
                }
            recorder?.record(statement, parameters, rows)
            return rows
        }
    }

    func withTransaction<Result>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        reading.giveUp()
        if case .forEveryone(_, let replica) = reading { replica?.end() }
        return try await pool.withTransaction(body)
    }
}
