import Postgres

/// Why a command cannot continue, and what the operator can do about it.
struct OperatorError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Includes the details, which may be shown because only the operator reads them.
    init(_ error: PostgresError) {
        description = "\(error.description) (\(error.debugDescription))\(Self.advice(error))"
    }

    private static func advice(_ error: PostgresError) -> String {
        switch error.sqlState {
        case SQLState.diskFull:
            """
             PostgreSQL's disk is full: make room on its machine, or enlarge the disk (df -h shows how \
            full each is). Never delete files in PostgreSQL's own folder
            """
        default:
            error.code == .server
                ? "" : " Check DATABASE_URL, and whether PostgreSQL runs: its own log says why not."
        }
    }
}
