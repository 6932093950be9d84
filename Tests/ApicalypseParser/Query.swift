/// A query in Apicalypse, read: the part of the language that the stand-in for IGDB speaks.
public struct Query: Equatable, Sendable {
    /// As written, with dots: `cover.image_id`, `platforms.*`.
    public var fields: [String] = []
    public var search: String?
    public var condition: Condition?
    public var sort: Sort?
    public var limit = 10
    public var offset = 0

    public static let maximumLimit = 500

    public struct Sort: Equatable, Sendable {
        public let field: String
        public let isDescending: Bool
    }

    /// What stands behind `where`.
    public indirect enum Condition: Equatable, Sendable {
        case comparison(field: String, Comparison, Value)
        case all([Condition])
        case any([Condition])
    }

    public enum Comparison: String, Sendable {
        case equal = "="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        /// As `equal`, whatever the case.
        case like = "~"
        case notLike = "!~"
    }

    public enum Value: Equatable, Sendable {
        case null
        case bool(Bool)
        case number(Int)
        /// `anyStart` for a star before it, `anyEnd` for one behind it.
        case text(String, anyStart: Bool, anyEnd: Bool)
        /// One of these.
        case list([Int])
    }
}

/// One of the queries of a request to `multiquery`.
public struct NamedQuery: Equatable, Sendable {
    public let endpoint: String
    public let name: String
    public let query: Query
}

/// Why a query is refused, in IGDB's words.
public struct QueryError: Error, Equatable, Sendable {
    public let title: String
    public let status: Int
    public let cause: String?

    public init(_ title: String, status: Int = 400, cause: String? = nil) {
        self.title = title
        self.status = status
        self.cause = cause
    }

    static let syntax = QueryError("Syntax Error")
}
