import Postgres

/// Why a command cannot continue, and what the operator can do about it.
struct OperatorError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Includes the details, which may be shown because only the operator reads them.
    init(_ error: PostgresError) {
        let advice = error.code == .server ? "" : " Check DATABASE_URL."
        description = "\(error.description) (\(error.debugDescription))\(advice)"
    }
}
