/// Reads Apicalypse by recursive descent, and more strictly than IGDB: no statement stands twice, no
/// string holds a control character, and only a quote and a backslash are escaped. What a client
/// got wrong shall show.
public struct ApicalypseParser {
    /// The most queries in one request to `multiquery`.
    public static let maximumQueries = 10

    private let bytes: [UInt8]
    private var index = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// One query: the body of a request to `games`.
    public static func parse(_ text: String) throws(QueryError) -> Query {
        var parser = ApicalypseParser(text)
        let query = try parser.query()
        guard parser.next == nil else { throw .syntax }
        return query
    }

    /// `query games "name" { … };` and so on: the body of a request to `multiquery`.
    public static func parseMultiquery(_ text: String) throws(QueryError) -> [NamedQuery] {
        var parser = ApicalypseParser(text)
        var queries: [NamedQuery] = []
        parser.skipWhiteSpace()
        while parser.next != nil {
            guard parser.word() == "query" else { throw .syntax }
            let endpoint = parser.word()
            let name = try parser.string()
            guard !endpoint.isEmpty, !name.isEmpty, !queries.contains(where: { $0.name == name })
            else { throw .syntax }
            try parser.require("{")
            let query = try parser.query()
            try parser.require("}")
            try parser.require(";")
            queries.append(NamedQuery(endpoint: endpoint, name: name, query: query))
            parser.skipWhiteSpace()
        }
        guard !queries.isEmpty else { throw .syntax }
        return queries
    }

    // MARK: Statements

    /// Statements, until something that cannot begin one.
    private mutating func query() throws(QueryError) -> Query {
        var query = Query()
        var seen: Set<String> = []
        skipWhiteSpace()
        while next?.isWordByte == true {
            let statement = word()
            guard seen.insert(statement).inserted else { throw .syntax }
            switch statement {
            case "fields", "f": query.fields = try fieldList()
            case "search": query.search = try string()
            case "where", "w": query.condition = try condition()
            case "sort", "s": query.sort = try sort()
            case "limit", "l": query.limit = try limit()
            case "offset", "o": query.offset = try natural()
            default: throw .syntax
            }
            try require(";")
            skipWhiteSpace()
        }
        guard query.search == nil || query.sort == nil else {
            throw QueryError(
                "Not Acceptable", status: 406,
                cause: "Search is sorting on relevancy and therefore sort is not applicable "
                    + "on search")
        }
        return query
    }

    private mutating func fieldList() throws(QueryError) -> [String] {
        var names: [String] = []
        repeat { names.append(try field()) } while take(",")
        return names
    }

    private mutating func sort() throws(QueryError) -> Query.Sort {
        let field = try field()
        switch word() {
        case "asc", "": return Query.Sort(field: field, isDescending: false)
        case "desc": return Query.Sort(field: field, isDescending: true)
        default: throw .syntax
        }
    }

    private mutating func limit() throws(QueryError) -> Int {
        let limit = try natural()
        guard limit <= Query.maximumLimit else {
            throw QueryError(
                "Request limit to high", status: 403,
                cause: "You typed in \(limit) as limit but your maximum is \(Query.maximumLimit)")
        }
        return limit
    }

    // MARK: Conditions

    /// `a & b | c`: as in most languages, `&` binds closer.
    private mutating func condition() throws(QueryError) -> Query.Condition {
        var parts = [try conjunction()]
        while take("|") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(QueryError) -> Query.Condition {
        var parts = [try primary()]
        while take("&") { parts.append(try primary()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func primary() throws(QueryError) -> Query.Condition {
        if take("(") {
            let inner = try condition()
            try require(")")
            return inner
        }
        let field = try field()
        let comparison = try comparison()
        return .comparison(field: field, comparison, try value())
    }

    private mutating func comparison() throws(QueryError) -> Query.Comparison {
        skipWhiteSpace()
        for sign in ["!=", "!~", "<=", ">=", "=", "<", ">", "~"] where take(sign) {
            if let comparison = Query.Comparison(rawValue: sign) { return comparison }
        }
        throw .syntax
    }

    private mutating func value() throws(QueryError) -> Query.Value {
        skipWhiteSpace()
        guard let next else { throw .syntax }
        switch next {
        case UInt8(ascii: "*"), UInt8(ascii: "\""):
            let anyStart = take("*")
            let text = try string()
            return .text(text, anyStart: anyStart, anyEnd: take("*"))
        case UInt8(ascii: "("):
            index += 1
            var numbers: [Int] = []
            repeat { numbers.append(try integer()) } while take(",")
            try require(")")
            return .list(numbers)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try integer())
        default:
            switch word() {
            case "null": return .null
            case "true": return .bool(true)
            case "false": return .bool(false)
            default: throw .syntax
            }
        }
    }

    // MARK: Words

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipWhiteSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
        }
    }

    /// Takes a sign, behind white space, if it is next.
    private mutating func take(_ sign: String) -> Bool {
        skipWhiteSpace()
        guard bytes[index...].starts(with: sign.utf8) else { return false }
        index += sign.utf8.count
        return true
    }

    private mutating func require(_ sign: String) throws(QueryError) {
        guard take(sign) else { throw .syntax }
    }

    /// Small letters, digits and underscores; empty if something else is next.
    private mutating func word() -> String {
        skipWhiteSpace()
        let start = index
        while next?.isWordByte == true { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// `*`, or words with dots between them, of which the last may be `*`.
    private mutating func field() throws(QueryError) -> String {
        if take("*") { return "*" }
        var name = word()
        while !name.isEmpty, next == UInt8(ascii: ".") {
            index += 1
            let part = next == UInt8(ascii: "*") ? "*" : word()
            guard !part.isEmpty else { throw .syntax }
            name += ".\(part)"
            if part == "*" {
                index += 1
                break
            }
        }
        guard !name.isEmpty else { throw .syntax }
        return name
    }

    private mutating func natural() throws(QueryError) -> Int {
        let number = try integer()
        guard number >= 0 else { throw .syntax }
        return number
    }

    private mutating func integer() throws(QueryError) -> Int {
        skipWhiteSpace()
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard let number = Int(String(decoding: bytes[start..<index], as: UTF8.self)) else {
            throw .syntax
        }
        return number
    }

    private mutating func string() throws(QueryError) -> String {
        skipWhiteSpace()
        guard next == UInt8(ascii: "\"") else {
            let rest = String(decoding: bytes[index...], as: UTF8.self)
            let word = rest.prefix { !" ;\n".contains($0) }
            throw QueryError(
                "Syntax Error",
                cause: "Expecting a STRING as input, surround your input with quotes starting at "
                    + "'\(word)'")
        }
        index += 1
        var text: [UInt8] = []
        while var byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case 0..<0x20, 0x7F: throw .syntax
            case UInt8(ascii: "\\"):
                guard let escaped = next,
                    escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { throw .syntax }
                index += 1
                byte = escaped
            default: break
            }
            text.append(byte)
        }
        throw .syntax
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
