import Postgres

/// What an operator must know and do, where a command cannot go on.
struct OperatorError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The operator is the only reader: the details help.
    init(_ error: PostgresError) {
        description = "\(error.description) (\(error.debugDescription)) Check DATABASE_URL."
    }
}
