import FaveGames
public import Freshness
public import Postgres

/// The application's stored data. The SQL is in this module's `Store+….swift`, one file for each
/// aggregate.
///
/// A store belongs to the loop of its pool. Its methods throw `PostgresError`, and `ListError` if a
/// list breaks a rule. They return `nil` if the wanted data doesn't exist.
public struct Store: Sendable {
    package let database: Database

    /// - Parameter viewer: The sender of the request that the store is for; `nil` if it is for none.
    public init(_ pool: PostgresPool, _ reading: Reading = .anew, for viewer: Viewer? = nil) {
        database = Database(pool: pool, reading: reading, viewer: viewer)
    }

    /// The same data, but read in another way.
    ///
    /// - Parameter viewer: The sender of the request; `nil` if that stays as it is.
    public func reading(_ reading: Reading, for viewer: Viewer? = nil) -> Store {
        Store(database.pool, reading, for: viewer ?? database.viewer)
    }

    /// Notes that the response also uses data that can change unnoticed. So the response can't be
    /// cached.
    public func usesMore() { database.reading.giveUp() }
}

/// How a store reads.
public enum Reading: Sendable {
    /// From PostgreSQL.
    case anew
    /// For one person. Rows that are in memory and still current are reused.
    case sharing(SharedRows)
    /// For everyone. The recorder notes the dependencies of every read, for a response that may be
    /// cached.
    case forEveryone(DependencyRecorder)
    /// For a request whose writes are part of one transaction. Once that has begun, so are its reads.
    case together(RequestTransaction)

    fileprivate func giveUp() {
        if case .forEveryone(let recorder) = self { recorder.giveUp() }
    }
}

/// The database as a store uses it.
package struct Database: StatementRunner, Sendable {
    package let pool: PostgresPool
    package let reading: Reading
    package var viewer: Viewer?

    @discardableResult
    package func query(
        _ statement: Statement, _ parameters: [PostgresParameter] = [],
        after write: BoundStatement? = nil
    ) async throws(PostgresError) -> Rows {
        guard let blocks = viewer?.blocks, !statement.effect.isWrite, statement.unfiltered == nil
        else {
            return try await run(statement, parameters, after: write)
        }
        return try await run(
            statement.without(blocks, parameter: parameters.count + 1),
            parameters + [.uuid(blocks.userID)], after: write)
    }

    private func run(
        _ statement: Statement, _ parameters: [PostgresParameter], after write: BoundStatement?
    ) async throws(PostgresError) -> Rows {
        switch reading {
        case .sharing(let rows) where write == nil:
            return try await rows.query(statement, parameters)
        case .together(let transaction)
        where transaction.isOpen || write != nil || statement.effect.isWrite:
            return try await transaction.query(statement, parameters, after: write)
        case .anew, .sharing, .together:
            return try await pool.query(statement, parameters, after: write)
        case .forEveryone(let recorder):
            await recorder.willRead(statement)
            let rows = try await pool.query(statement, parameters, after: write)
            recorder.record(statement, parameters, rows)
            return rows
        }
    }

    package func withTransaction<Result>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        reading.giveUp()
        if case .together(let transaction) = reading { return try await transaction.part(body) }
        return try await pool.withTransaction(body)
    }

    /// The database for what is to be written whether or not the request succeeds. It is part of the
    /// request's transaction only if that has begun: a request must never wait for a second connection.
    package var whateverTheOutcome: Database {
        if case .together(let transaction) = reading, transaction.isOpen { return self }
        return Database(pool: pool, reading: .anew)
    }

    /// Whether each write is a transaction of its own.
    package var commitsEachWrite: Bool {
        if case .together = reading { false } else { true }
    }
}
