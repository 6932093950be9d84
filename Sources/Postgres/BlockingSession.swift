import CLibPQ
import Glibc

/// A connection whose calls block until PostgreSQL responds: for start-up, migrations and bulk
/// loads.
///
/// It must not be used on a loop's thread. Confined to the thread or task that made it.
public final class BlockingSession {
    private let handle: OpaquePointer
    /// What the server said when it ended the connection between two statements.
    private var lastWords: PostgresError?

    /// - Parameter database: The database to connect to, instead of the connection string's.
    /// - Throws: `badConfiguration` or `unavailable`, with libpq's message in `debugDescription`.
    public init(
        connectionString: String, database: String? = nil, applicationName: String = "fave-admin"
    ) throws(PostgresError) {
        let parameters = try ConnectionParameters.forBlocking(
            connectionString, database: database, applicationName: applicationName)
        guard let handle = parameters.withCStrings({ PQconnectdbParams($0, $1, 0) }) else {
            throw PostgresError(.unavailable, detail: "out of memory")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else {
            // All properties are set, so throwing here still runs `deinit`, which closes the
            // handle.
            throw PostgresError(.unavailable, detail: lastMessage)
        }
        // libpq calls it while one of its functions runs that takes the handle, so `self` is there.
        PQsetNoticeReceiver(
            handle,
            { session, notice in
                guard let session, let notice else { return }
                let error = PostgresError(result: notice)
                guard error.endsConnection, error.sqlState != nil else { return }
                Unmanaged<BlockingSession>.fromOpaque(session).takeUnretainedValue().lastWords =
                    error
            }, Unmanaged.passUnretained(self).toOpaque())
        try execute(ConnectionParameters.settle)
    }

    deinit { PQfinish(handle) }

    private var lastMessage: String {
        String(cString: PQerrorMessage(handle)).split(separator: "\n").joined(separator: " ")
    }

    /// Runs any number of statements, without parameters, using the simple query protocol.
    public func execute(_ sql: String) throws(PostgresError) {
        _ = try check(outcome(PQsendQuery(handle, sql)))
    }

    /// Runs one statement with its parameters bound.
    @discardableResult
    public func query(
        _ sql: String, _ parameters: [PostgresParameter] = []
    ) throws(PostgresError) -> Rows {
        let values = parameters.map { $0.text.map { UnsafePointer(strdup($0)) } ?? nil }
        defer { for value in values { free(UnsafeMutableRawPointer(mutating: value)) } }
        let isSent = values.withUnsafeBufferPointer {
            PQsendQueryParams(handle, sql, Int32(values.count), nil, $0.baseAddress, nil, nil, 1)
        }
        return try check(outcome(isSent))
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
    public var isInTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INTRANS }

    /// Loads rows with `COPY … FROM STDIN` in text format.
    ///
    /// - Parameter lines: Any number of rows, as `CopyLine` writes them.
    public func copy(_ table: String, columns: [String], _ lines: String) throws(PostgresError) {
        let sql = "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN"
        _ = try check(outcome(PQsendQuery(handle, sql)))
        var lines = lines
        _ = lines.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                PQputCopyData(handle, $0.baseAddress, Int32($0.count))
            }
        }
        _ = try check(outcome(PQputCopyEnd(handle, nil)))
    }

    /// The last result of what was sent, or the first error. To the server's own words about the end
    /// of the connection, libpq adds a result that only says that it has ended.
    private func outcome(_ isSent: Int32) -> OpaquePointer? {
        guard isSent == 1 else { return nil }
        var last: OpaquePointer?
        while let result = PQgetResult(handle) {
            guard PQresultStatus(last) != PGRES_FATAL_ERROR || last == nil else {
                PQclear(result)
                continue
            }
            PQclear(last)
            last = result
            let status = PQresultStatus(result)
            if status == PGRES_COPY_IN || status == PGRES_COPY_OUT { break }
        }
        return last
    }

    private func check(_ result: OpaquePointer?) throws(PostgresError) -> Rows {
        guard let result else {
            throw lastWords ?? PostgresError(.connectionLost, detail: lastMessage)
        }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_COPY_IN, PGRES_COPY_OUT:
            return Rows(result)
        default:
            defer { PQclear(result) }
            let error = PostgresError(result: result)
            throw error.sqlState == nil ? lastWords ?? error : error
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
