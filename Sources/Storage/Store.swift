import FaveGames
import Postgres

/// The application's stored data. The SQL is in this module's `Store+….swift`, one file for each
/// aggregate.
///
/// A store belongs to the loop of its pool. Its members throw `PostgresError`, and `ListError` if a
/// rule of lists is broken. They return `nil` for what doesn't exist.
public struct Store: Sendable {
    let database: PostgresPool

    public init(_ database: PostgresPool) {
        self.database = database
    }
}
