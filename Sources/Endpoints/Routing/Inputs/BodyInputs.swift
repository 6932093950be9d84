import HTTP
import HTTPTypes
import JSON
import Languages

extension Input where Value: RequestBody {
    /// A JSON body. 415 if the body is declared as something else, 400 if it is not JSON, 422 with
    /// everything that is wrong with its members.
    package static func json(_: Value.Type) -> Self {
        let description = InputDescription(
            body: .init(schema: Value.schema, isRequired: true), problems: jsonBodyProblems)
        return Self(description) { try Value($0.json()) }
    }
}

extension Input {
    /// A JSON body that may be omitted.
    ///
    /// - Parameter text: When the body is needed.
    package static func optionalJSON<Body: RequestBody>(
        _: Body.Type, _ text: String
    ) -> Self where Value == Body? {
        let description = InputDescription(
            body: .init(schema: Body.schema, description: text, isRequired: false),
            problems: jsonBodyProblems)
        return Self(description) { $0.request.body.isEmpty ? nil : try Body($0.json()) }
    }

    /// A JSON body that is an object whose only member is an array.
    ///
    /// - Parameters:
    ///   - ignored: Members of what clients read, which they may send back.
    ///   - text: What the elements are.
    package static func array<Element: RequestBody>(
        _ name: String, of _: Element.Type, atMost limit: Int, ignoring ignored: [String] = [],
        _ text: String
    ) -> Self where Value == [Element] {
        @Sendable func elements(from reader: inout JSONObjectReader) -> [Element] {
            ignored.forEach { reader.ignore($0) }
            return reader.objects(name, of: Element.self, atMost: limit, text)
        }
        let members = JSONObjectReader.members { _ = elements(from: &$0) }
        let description = InputDescription(
            body: .init(schema: .object(nil, nil, members, isClosed: true), isRequired: true),
            problems: jsonBodyProblems)
        return Self(description) { context in
            var reader = JSONObjectReader(try context.json())
            let values = elements(from: &reader)
            try reader.finish()
            return values
        }
    }
}

private let jsonBodyProblems: [ProblemKind] = [
    .malformedDocument, .contentTooLarge, .unsupportedMediaType, .invalidMembers,
]

extension RequestContext {
    fileprivate func json() throws(Problem) -> JSONValue {
        let type = request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        guard let type, type.isSameType(as: .json) else {
            var problem = Problem(
                .unsupportedMediaType,
                .english("The body must be JSON, with Content-Type: application/json.")
            )
            // RFC 5789 section 2.2.
            if request.method == .patch { problem.headerFields[.acceptPatch] = "application/json" }
            throw problem
        }
        do throws(JSONSyntaxError) {
            return try JSONParser.parse(request.body)
        } catch {
            throw Problem(
                .malformedDocument,
                .english("The body is not valid JSON: at byte \(error.offset), \(error.reason)."))
        }
    }
}
