import Postgres

/// What an operator must know and do, where a command cannot go on.
struct OperatorError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The operator is the only reader: the details help.
    init(_ error: PostgresError) {
        let advice = error.code == .server ? "" : " Check DATABASE_URL."
        description = "\(error.description) (\(error.debugDescription))\(advice)"
    }
}
