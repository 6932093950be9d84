import ArgumentParser
import Postgres

/// Why a command cannot continue, and what the operator can do about it.
struct OperatorError: Error, CustomStringConvertible {
    /// What scripts tell apart.
    enum Kind: String, Encodable {
        case failed
        /// Nothing is wrong: what the command was given an id or a name of isn't there.
        case notFound = "not-found"
        /// The arguments are wrong.
        case usage

        /// The exit status; ArgumentParser chooses that of wrong arguments (sysexits(3)).
        var exitCode: ExitCode {
            switch self {
            case .failed: .failure
            case .notFound: ExitCode(4)
            case .usage: .validationFailure
            }
        }
    }

    let description: String
    let kind: Kind

    init(_ description: String, _ kind: Kind = .failed) {
        self.description = description
        self.kind = kind
    }

    /// Includes the details, which may be shown because only the operator reads them.
    init(_ error: PostgresError) {
        kind = .failed
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
