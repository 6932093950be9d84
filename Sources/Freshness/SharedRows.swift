public import Postgres

/// Cached rows of statements with their parameters, for responses that can't be cached as a whole
/// because they are for one person. Confined to the loop of its pool.
public final class SharedRows: Sendable {
    private struct Key: Hashable, Sendable {
        let statement: Statement
        let parameters: [PostgresParameter]

        var size: Int { parameters.reduce(64) { $0 + $1.size } }
    }

    private let pool: PostgresPool
    private let cache: CheckedCache<Key, Rows>

    /// - Parameter bytes: The approximate amount of memory that the rows may take.
    public init(_ pool: PostgresPool, _ feed: ChangeFeed, bytes: Int) {
        self.pool = pool
        cache = CheckedCache(feed, bytes: bytes)
    }

    /// The current rows of a statement.
    package func query(
        _ statement: Statement, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) -> Rows {
        guard statement.isRepeatable else {
            return try await pool.query(statement, parameters)
        }
        let key = Key(statement: statement, parameters: parameters)
        let outcome = try await cache.value(for: key) {
            recorder throws(PostgresError) -> CheckedCache<Key, Rows>.Made<Rows> in
            await recorder?.willRead(statement)
            let rows = try await pool.query(statement, parameters)
            recorder?.record(statement, parameters, rows)
            return .init(rows, caching: rows, cost: rows.size + key.size)
        }
        return switch outcome {
        case .hit(let rows, _), .made(let rows, _): rows
        }
    }

    public var statistics: CacheStatistics { cache.statistics }
}
