import Postgres

/// The rows of statements that were run before with the same parameters, for answers that can't be
/// kept as a whole because they are for one person. Confined to the loop of its pool.
public final class SharedRows: Sendable {
    private struct Key: Hashable, Sendable {
        let statement: Statement
        let parameters: [PostgresParameter]

        var size: Int { parameters.reduce(64) { $0 + $1.size } }
    }

    private let pool: PostgresPool
    private let cache: CheckedCache<Key, Rows>

    /// - Parameter bytes: How much memory the rows may take, roughly.
    public init(_ pool: PostgresPool, _ feed: ChangeFeed, bytes: Int) {
        self.pool = pool
        cache = CheckedCache(feed, bytes: bytes)
    }

    /// The rows of a statement, as they are now.
    func query(
        _ statement: Statement, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) -> Rows {
        guard statement.isRepeatable else {
            return try await pool.query(statement, parameters)
        }
        let key = Key(statement: statement, parameters: parameters)
        if let rows = await cache.current(key) { return rows }
        guard await cache.feed.catchUp() else { return try await pool.query(statement, parameters) }
        for _ in 0..<2 {
            if let fill = cache.begin(key) { return try await read(fill) }
            guard await cache.wait(for: key) else { break }
            // What was read may be older than this request.
            if let rows = await cache.current(key) { return rows }
        }
        return try await pool.query(statement, parameters)
    }

    public var statistics: CacheStatistics { cache.statistics }

    private func read(_ fill: CheckedCache<Key, Rows>.Fill) async throws(PostgresError) -> Rows {
        let key = fill.key
        do {
            let rows = try await pool.query(key.statement, key.parameters)
            fill.recorder.record(key.statement, key.parameters, rows)
            cache.end(fill, rows, cost: rows.size + key.size)
            return rows
        } catch {
            cache.end(fill, nil, cost: 0)
            throw error
        }
    }
}
