import CLibPQ

/// A connection whose calls block until PostgreSQL responds: for start-up, migrations and bulk
/// loads.
///
/// It must not be used on a loop's thread. Confined to the thread or task that made it.
public final class BlockingSession {
    private let handle: ConnectionHandle

    /// - Parameter database: The database to connect to, instead of the connection string's.
    /// - Throws: `badConfiguration` or `unavailable`, with libpq's message in `debugDescription`.
    public init(
        connectionString: String, database: String? = nil, applicationName: String = "fave-admin"
    ) throws(PostgresError) {
        let parameters = try ConnectionParameters.forBlocking(
            connectionString, database: database, applicationName: applicationName)
        guard let handle = ConnectionHandle(connectingWith: parameters.values) else {
            throw PostgresError(.unavailable, detail: "out of memory")
        }
        self.handle = handle
        guard handle.isIntact else { throw PostgresError(.unavailable, handle.errorMessage) }
        try execute(ConnectionParameters.settle)
    }

    /// Runs any number of statements, without parameters, using the simple query protocol.
    public func execute(_ sql: String) throws(PostgresError) {
        try check(outcome(handle.sendSimple(sql)))
    }

    /// Runs one statement with its parameters bound.
    @discardableResult
    public func query(
        _ sql: String, _ parameters: [PostgresParameter] = []
    ) throws(PostgresError) -> Rows {
        try check(outcome(handle.send(sql, parameters)))
    }

    /// Runs `body` in a transaction; rolls back if it throws.
    public func withTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Whether a transaction is open and has not failed.
    public var isInTransaction: Bool { handle.transactionStatus == PQTRANS_INTRANS }

    /// Loads rows with `COPY … FROM STDIN` in text format.
    ///
    /// - Parameter lines: Any number of rows, as `CopyLine` writes them.
    public func copy(_ table: String, columns: [String], _ lines: String) throws(PostgresError) {
        let sql = "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN"
        try check(outcome(handle.sendSimple(sql)))
        try check(outcome(handle.sendCopy(lines)))
    }

    /// The last result of what was sent, or the first error. To the server's own words about the end
    /// of the connection, libpq adds a result that only says that it has ended.
    private func outcome(_ isSent: Bool) -> Rows? {
        guard isSent else { return nil }
        var last: Rows?
        while let result = handle.nextResult() {
            guard last?.status != PGRES_FATAL_ERROR else { continue }
            last = result
            if result.status == PGRES_COPY_IN || result.status == PGRES_COPY_OUT { break }
        }
        return last
    }

    @discardableResult
    private func check(_ result: Rows?) throws(PostgresError) -> Rows {
        guard let result else {
            throw handle.lastWords ?? PostgresError(.connectionLost, handle.errorMessage)
        }
        switch result.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_COPY_IN, PGRES_COPY_OUT:
            return result
        default:
            let error = result.error
            throw error.sqlState == nil ? handle.lastWords ?? error : error
        }
    }
}

/// Makes lines in the text format of COPY; see the manual's page on COPY.
public enum CopyLine {
    /// Appends one row to `lines`; `nil` is NULL.
    public static func append(_ values: [String?], to lines: inout String) {
        for (index, value) in values.enumerated() {
            if index > 0 { lines.unicodeScalars.append("\t") }
            guard let value else {
                lines += "\\N"
                continue
            }
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\\": lines += "\\\\"
                case "\t": lines += "\\t"
                case "\n": lines += "\\n"
                case "\r": lines += "\\r"
                case "\0": break
                default: lines.unicodeScalars.append(scalar)
                }
            }
        }
        lines.unicodeScalars.append("\n")
    }
}
