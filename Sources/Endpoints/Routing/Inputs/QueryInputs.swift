import HTTP
import JSON
import Languages

extension Input {
    /// A parameter of a request's query.
    ///
    /// - Parameters:
    ///   - surcharge: The extra cost of a request with the parameter.
    ///   - parse: Reads the parameter, which is `nil` if the query does not contain it.
    package static func query(
        _ name: String, _ text: String, _ schema: Schema, isRequired: Bool = false,
        problems: [ProblemKind] = [], surcharge: Cost = .nothing,
        _ parse: @escaping @Sendable (String?) throws(Problem) -> Value
    ) -> Self {
        let description = InputDescription(
            parameters: [
                .init(
                    name: name, place: .query, description: text, schema: schema,
                    isRequired: isRequired, surcharge: surcharge)
            ], problems: problems)
        return Self(description) { try parse($0.query[name]) }
    }
}

extension Input where Value == Int? {
    package static func integer(
        _ name: String, in range: ClosedRange<Int>, _ text: String, example: Int
    ) -> Self {
        .query(name, text, .integer(range, example: example)) { text throws(Problem) in
            try Query.integer(text, name, in: range)
        }
    }
}

extension Input where Value == Int {
    /// - Parameter value: The value if the query does not have the parameter.
    package static func integer(
        _ name: String, in range: ClosedRange<Int>, default value: Int, _ text: String,
        example: Int
    ) -> Self {
        var schema = Schema.integer(range, example: example)
        schema.keywords["default"] = .int(value)
        return .query(name, text, schema) { text throws(Problem) in
            try Query.integer(text, name, in: range) ?? value
        }
    }

    package static var limit: Self { limit(1...100, default: 20) }

    package static func limit(_ range: ClosedRange<Int>, default value: Int) -> Self {
        integer("limit", in: range, default: value, "The maximum number of results.", example: 10)
    }
}

extension Input where Value == String? {
    /// A text that only pages read, unchanged.
    package static func text(_ name: String) -> Self { .query(name, "", .text(example: "")) { $0 } }
}

/// Parsing that several query parameters share.
package enum Query {
    /// - Throws: 400 if the text is not a number, or is out of range.
    package static func integer(
        _ text: String?, _ name: String, in range: ClosedRange<Int>
    ) throws(Problem) -> Int? {
        guard let text else { return nil }
        guard text.utf8.count <= 10, let number = Int(text), range.contains(number) else {
            throw .invalidParameter(
                name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The text, unless it is only white space: forms send empty fields for filters that are not
    /// set.
    package static func filled(_ text: String?) -> String? {
        text.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
    }
}

extension Input {
    /// Where the requested page of a long list begins. 400 if the server did not make the cursor.
    package static func cursor<Cursor: CursorCoding & Sendable>(
        _: Cursor.Type
    ) -> Self where Value == Cursor? {
        let description = InputDescription(
            parameters: [
                .init(
                    name: "cursor", place: .query,
                    description: "“nextCursor” of the previous page. Omit it for the first page.",
                    schema: .text(1...2048, example: Example.cursor))
            ], problems: [.invalidCursor])
        return Self(description) { context in
            guard let text = context.query["cursor"] else { return nil }
            guard let cursor: Cursor = await context.services.cursorSeal.open(text) else {
                var problem = Problem(
                    .invalidCursor,
                    .english("\"cursor\" was not made by this server. Start again without it."))
                problem.parameter = "cursor"
                throw problem
            }
            return cursor
        }
    }
}
