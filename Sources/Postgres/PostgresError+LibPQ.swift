import CLibPQ

extension PostgresError {
    /// - Parameter message: libpq's, which may have several lines.
    init(_ code: Code, _ message: String) {
        self.init(code, detail: message.split(separator: "\n").joined(separator: " "))
    }

    /// Why the last of the servers refused a connection.
    ///
    /// - Parameter message: libpq's, with all details: `FATAL:  53300: too many connections`, in the
    ///   server's language, and a line that says where in PostgreSQL's source.
    init(refusal message: String) {
        var sqlState: String?
        let lines = message.split(separator: "\n").compactMap { line -> String? in
            guard !line.hasPrefix("LOCATION:  ") else { return nil }
            guard let (found, rest) = Self.splitState(of: line) else { return String(line) }
            sqlState = found
            return rest
        }
        self.init(.unavailable, sqlState: sqlState, detail: lines.joined(separator: " "))
    }

    /// - Returns: The SQLSTATE of a line, and the line without it; `nil` if it has none.
    private static func splitState(of line: Substring) -> (state: String, rest: String)? {
        let parts = line.split(separator: ":  ", maxSplits: 1)
        guard parts.count == 2, let end = parts[1].firstIndex(of: ":") else { return nil }
        let state = parts[1][..<end]
        guard state.utf8.count == 5,
            state.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) })
        else { return nil }
        return (String(state), "\(parts[0]): \(parts[1][end...].dropFirst(2))")
    }

    /// - Parameter result: A `PGresult`, which is only read.
    init(result: OpaquePointer) {
        func field(_ code: Character) -> String? {
            unsafe PQresultErrorField(result, Int32(code.asciiValue ?? 0))
                .map { unsafe String(cString: $0) }
        }
        let message = unsafe PQresultErrorMessage(result).map { unsafe String(cString: $0) } ?? ""
        let state = field("C")
        // The severity in English, regardless of the server's language; available since PostgreSQL
        // 9.6.
        let severity = field("V")
        let code: Code =
            switch state.map(SQLState.consequence)?.response {
            case nil: .connectionLost
            case .findOut: .outcomeUnknown
            default: .server
            }
        self.init(
            code, sqlState: state, constraint: field("n"), messageDetail: field("D"),
            isFatal: state == nil || severity == "FATAL" || severity == "PANIC",
            detail: message.split(separator: "\n").joined(separator: " "))
    }
}
