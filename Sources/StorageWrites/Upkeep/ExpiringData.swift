import FaveGames
package import Postgres
package import Storage

extension Store {
    /// Deletes expired rows, a bounded number at a time.
    ///
    /// - Returns: Whether there may be more.
    package func deleteExpired(_ data: ExpiringData) async throws(PostgresError) -> Bool {
        try await database.query(data.deletion).affectedCount == data.batch
    }
}
