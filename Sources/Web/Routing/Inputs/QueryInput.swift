import Endpoints
import FaveGames
import Foundation
import HTTP
import JSON

/// A parameter of a request's query.
struct QueryInput<Value: Sendable>: Input {
    let name: String
    let text: String
    let schema: Schema
    var isRequired = false
    var problems: [ProblemKind] = []
    /// What a request costs more that has the parameter.
    var surcharge = Cost.nothing
    /// Reads the parameter, which is `nil` if the query does not have it.
    let parse: @Sendable (String?) throws(Problem) -> Value

    func read(_ call: Call) throws(Problem) -> Value { try parse(call.query[name]) }

    var description: InputDescription {
        InputDescription(
            parameters: [
                .init(
                    name: name, place: .query, description: text, schema: schema,
                    isRequired: isRequired, surcharge: surcharge)
            ], problems: problems)
    }
}

// MARK: - Numbers

extension Input where Self == QueryInput<Int?> {
    static func integer(
        _ name: String, in range: ClosedRange<Int>, _ text: String, example: Int
    ) -> Self {
        Self(name: name, text: text, schema: .integer(range, example: example)) {
            text throws(Problem) in try Query.integer(text, name, in: range)
        }
    }
}

extension Input where Self == QueryInput<Int> {
    /// - Parameter value: The value if the query does not have the parameter.
    static func integer(
        _ name: String, in range: ClosedRange<Int>, default value: Int, _ text: String,
        example: Int
    ) -> Self {
        var schema = Schema.integer(range, example: example)
        schema.keywords["default"] = .int(value)
        return Self(name: name, text: text, schema: schema) { text throws(Problem) in
            try Query.integer(text, name, in: range) ?? value
        }
    }

    static var limit: Self { limit(1...100, default: 20) }

    static func limit(_ range: ClosedRange<Int>, default value: Int) -> Self {
        integer("limit", in: range, default: value, "The maximum number of results.", example: 10)
    }
}

extension Input where Self == QueryInput<[Int]?> {
    /// Ids separated by commas.
    ///
    /// - Parameter mayHaveSpaces: Whether there may be spaces around each id.
    static func ids(
        _ name: String = "ids", mayHaveSpaces: Bool = false, example: String = "6,48"
    ) -> Self {
        let limit = Query.maximumIDs
        return Self(
            name: name,
            text: """
                1 to \(limit) ids, separated by commas. Unknown ones are left out.
                """,
            schema: .text(
                0...(limit * 11 - 1),
                pattern: "^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,\(limit - 1)}$", example: example)
        ) { text throws(Problem) in try Query.ids(text, name, mayHaveSpaces: mayHaveSpaces) }
    }
}

// MARK: - Texts

extension Input where Self == QueryInput<String?> {
    /// A text that only pages read, unchanged.
    static func text(_ name: String) -> Self {
        Self(name: name, text: "", schema: .text(example: "")) { $0 }
    }

    /// The path to return to after signing in, if it is a path of this site.
    static var returnPath: Self {
        Self(name: "return", text: "", schema: .text(example: "/")) { ReturnPath.parse($0) }
    }
}

extension Input where Self == QueryInput<SearchText?> {
    /// - Parameter text: Replaces the usual description.
    static func search(
        _ name: String = "search", _ text: String? = nil, example: String = "portal"
    ) -> Self {
        let limit = SearchText.limit
        return Self(
            name: name,
            text: text ?? """
                What to search for: 1 to \(limit) characters, with white space collapsed. A search \
                of only white space is ignored.
                """,
            schema: .text(0...limit, example: example), surcharge: .search
        ) { text throws(Problem) in try Query.search(text, name) }
    }
}

extension Input where Self == QueryInput<SearchText> {
    static var requiredSearch: Self {
        Self(
            name: "search", text: "Part of a name: 1 to \(SearchText.limit) characters.",
            schema: .text(0...SearchText.limit, example: "rob"), isRequired: true,
            surcharge: .search
        ) { text throws(Problem) in
            guard let search = try Query.search(text, "search") else {
                throw .badRequest("Give \"search\".")
            }
            return search
        }
    }
}

/// Parsing that several query parameters share.
enum Query {
    static let maximumIDs = 100

    /// - Throws: 400 if the text is not a number, or is out of range.
    static func integer(
        _ text: String?, _ name: String, in range: ClosedRange<Int>
    ) throws(Problem) -> Int? {
        guard let text else { return nil }
        guard text.utf8.count <= 10, let number = Int(text), range.contains(number) else {
            throw .badRequest(
                "\"\(name)\" must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// - Throws: 400 if one of them is not a number, or there are too many.
    static func ids(
        _ text: String?, _ name: String, mayHaveSpaces: Bool
    ) throws(Problem) -> [Int]? {
        guard let text else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let spaces = mayHaveSpaces ? CharacterSet(charactersIn: " ") : CharacterSet()
        let ids = parts.compactMap { GameID.parse($0.trimmingCharacters(in: spaces)) }
        guard ids.count == parts.count, ids.count <= maximumIDs else {
            throw .badRequest(
                "\"\(name)\" must be 1 to \(maximumIDs) numbers separated by commas.")
        }
        return ids
    }

    /// - Returns: `nil` if the text is empty or only white space.
    /// - Throws: 400 if it is too long.
    static func search(_ text: String?, _ name: String) throws(Problem) -> SearchText? {
        guard let text = filled(text) else { return nil }
        guard let search = SearchText(text) else {
            throw .badRequest("\"\(name)\" must have 1 to \(SearchText.limit) characters.")
        }
        return search
    }

    /// The text, unless it is only white space: forms send empty fields for filters that are not
    /// set.
    static func filled(_ text: String?) -> String? {
        text.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
    }
}

// MARK: - Cursors

/// Where the requested page of a long list begins.
struct CursorInput<Cursor: CursorCoding & Sendable>: Input {
    /// - Throws: 400 if the server did not make the cursor.
    func read(_ call: Call) async throws -> Cursor? {
        guard let text = call.query["cursor"] else { return nil }
        guard let cursor: Cursor = await call.cursors.open(text) else {
            throw Problem(
                .invalidCursor,
                "\"cursor\" was not made by this server. Start again without it.")
        }
        return cursor
    }

    var description: InputDescription {
        InputDescription(
            parameters: [
                .init(
                    name: "cursor", place: .query,
                    description: "“nextCursor” of the previous page. Omit it for the first page.",
                    schema: .text(1...2048, example: Example.cursor))
            ], problems: [.invalidCursor])
    }
}

extension Input {
    static func cursor<Cursor: CursorCoding & Sendable>(
        _: Cursor.Type
    ) -> Self where Self == CursorInput<Cursor> { Self() }
}
