/// Why PostgreSQL did not complete a query, or could not be reached.
///
/// `description` is safe to show to anyone. `debugDescription` is for the log: it holds the
/// server's own message, which can quote data.
public struct PostgresError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible
{
    public enum Code: Hashable, Sendable {
        /// The connection settings cannot be read.
        case badConfiguration
        /// There is no connection, and the last attempt to make one failed.
        case unavailable
        /// The queue of waiting queries is full.
        case queueFull
        /// No connection was free in time.
        case acquisitionTimeout
        /// The connection was lost while a read was being retried, or inside a transaction, which
        /// PostgreSQL then rolls back.
        case connectionLost
        /// The connection broke after a write was sent, so the write may or may not have taken
        /// effect.
        case outcomeUnknown
        /// The task was cancelled while the query waited for a connection.
        case cancelled
        /// The pool was closed.
        case closed
        /// PostgreSQL rejected the statement; `sqlState` says why.
        case server
        /// A column of the result doesn't have the type or the value that the code expects.
        case unexpectedResult
    }

    public let code: Code
    /// For `.server`: the five-character SQLSTATE code; appendix A of PostgreSQL's manual.
    public let sqlState: String?
    /// The constraint that was violated, if any.
    public let constraint: String?
    /// The detail of the server's message, if any.
    public let messageDetail: String?
    /// Whether the error's severity is FATAL or PANIC, or it didn't come from the server at all.
    private let isFatal: Bool
    /// Whether the statement belongs to a transaction, and was prepared for tables or functions that
    /// may have changed since. The connection prepares it again, so the transaction may succeed if it
    /// is run again from its beginning.
    private(set) var isOutdated = false
    private let detail: String

    public init(
        _ code: Code, sqlState: String? = nil, constraint: String? = nil, detail: String = ""
    ) {
        self.init(
            code, sqlState: sqlState, constraint: constraint, messageDetail: nil,
            isFatal: false, detail: detail)
    }

    init(
        _ code: Code, sqlState: String?, constraint: String?, messageDetail: String?,
        isFatal: Bool, detail: String
    ) {
        self.code = code
        self.sqlState = sqlState
        self.constraint = constraint
        self.messageDetail = messageDetail
        self.isFatal = isFatal
        self.detail = detail
    }

    /// The same error, of a statement that the connection prepares again.
    var outdated: PostgresError {
        var copy = self
        copy.isOutdated = true
        return copy
    }

    private var consequence: SQLState.Consequence? {
        code == .server ? sqlState.map(SQLState.consequence) : nil
    }

    var response: SQLState.Response? { consequence?.response }

    /// Whether the connection ends with this error.
    var endsConnection: Bool { isFatal || consequence?.fate == .ends }

    /// Whether another session may not have the fault.
    var asksForReplacement: Bool { consequence?.fate == .isReplaced }

    /// Whether nothing was changed, and trying again in a moment may succeed.
    public var isTransient: Bool {
        switch code {
        case .unavailable, .queueFull, .acquisitionTimeout, .connectionLost, .cancelled:
            true
        case .server:
            endsConnection || isOutdated
                || [.runAgain, .tryLater, .makeRoom].contains(response)
        case .badConfiguration, .outcomeUnknown, .closed, .unexpectedResult: false
        }
    }

    /// Whether the same transaction may succeed if it is run again from its beginning, because another
    /// one was in the way.
    public var isRetryableConflict: Bool { response == .runAgain }

    /// Whether a write was refused, and not executed, because the server allows no writes: it is a
    /// standby, or set to be read-only.
    var isReadOnly: Bool { sqlState == SQLState.readOnlyTransaction }

    /// Whether PostgreSQL lacks resources for the statement, for example because its disk is full.
    public var lacksResources: Bool { response == .makeRoom }

    public var description: String {
        switch code {
        case .badConfiguration: "The database's address is not valid."
        case .unavailable: "The database cannot be reached."
        case .queueFull, .acquisitionTimeout: "The database is busy."
        case .connectionLost: "The connection to the database was lost."
        case .outcomeUnknown:
            "The connection to the database was lost; whether the change was made is unknown."
        case .cancelled: "The request was cancelled."
        case .closed: "The database connection is closed."
        case .server where lacksResources: "The database has no room for this at the moment."
        case .server where isTransient:
            "The database can't do this at the moment (\(sqlState ?? "unknown"))."
        case .server: "The database refused the statement (\(sqlState ?? "unknown"))."
        case .unexpectedResult: "The database gave an unexpected result."
        }
    }

    public var debugDescription: String {
        let constraint = constraint.map { " constraint \($0)" } ?? ""
        let cause = "\(code)\(sqlState.map { " \($0)" } ?? "")\(constraint)"
        return detail.isEmpty ? cause : "\(cause): \(detail)"
    }
}
