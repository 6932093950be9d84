import FaveGames
import Postgres

/// Everything that is kept, by the SQL of this module's `Store+….swift`, one file for each aggregate.
///
/// A store belongs to the loop of its pool. Members throw `PostgresError`, and `ListError` where a
/// rule of lists is broken. What is not there is `nil`.
public struct Store: Sendable {
    let database: PostgresPool

    public init(_ database: PostgresPool) {
        self.database = database
    }
}
