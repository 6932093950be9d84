/// Writes queries in IGDB's language, Apicalypse. Users' text is escaped, so that it cannot end its
/// string or the statement.
struct Apicalypse: Sendable {
    /// The statements, without the semicolon that ends each of them.
    private var statements: [String] = []

    /// The most rows that IGDB returns for one query.
    static let maximumLimit = 500

    func fields(_ names: [String]) -> Apicalypse {
        adding("fields \(names.joined(separator: ","))")
    }

    /// Searches for a text. It cannot be combined with `sort`.
    func search(_ text: String) -> Apicalypse { adding("search \(Self.quote(text))") }

    /// Filters for rows whose field equals a text, ignoring case.
    func whereEqual(_ field: String, _ text: String) -> Apicalypse {
        adding("where \(field) ~ \(Self.quote(text))")
    }

    /// Filters for rows whose field contains a text, ignoring case.
    func whereContains(_ field: String, _ text: String) -> Apicalypse {
        adding("where \(field) ~ *\(Self.quote(text))*")
    }

    func whereID(in ids: [Int]) -> Apicalypse {
        adding("where id = (\(ids.map(String.init).joined(separator: ",")))")
    }

    func sort(descending field: String) -> Apicalypse { adding("sort \(field) desc") }

    func limit(_ count: Int) -> Apicalypse { adding("limit \(min(count, Self.maximumLimit))") }

    private func adding(_ statement: String) -> Apicalypse {
        var query = self
        query.statements.append(statement)
        return query
    }

    /// The query, for the body of a request.
    var text: String { statements.map { "\($0);" }.joined(separator: " ") }

    /// Combines several queries for one request to `multiquery`. Each has a name, which its response
    /// repeats.
    static func multiquery(_ queries: [(endpoint: String, name: String, query: Apicalypse)])
        -> String
    {
        queries.map { "query \($0.endpoint) \(quote($0.name)) { \($0.query.text) };" }
            .joined(separator: "\n")
    }

    /// A string in double quotes. Backslashes and quotes are escaped. Invisible characters become
    /// spaces, because no title has them.
    static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted.unicodeScalars.append(contentsOf: ["\\", scalar])
            case _ where isUnseen(scalar): quoted.unicodeScalars.append(" ")
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
