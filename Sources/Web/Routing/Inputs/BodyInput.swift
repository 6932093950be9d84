import Endpoints
import HTTP
import HTTPTypes
import JSON

/// A JSON body.
struct BodyInput<Body: RequestBody>: Input {
    /// - Throws: 415 if the body is declared as something else, 400 if it is not JSON, 422 with
    ///   everything that is wrong with its members.
    func read(_ call: Call) throws(Problem) -> Body { try Body(call.json()) }

    var description: InputDescription {
        InputDescription(
            body: .init(schema: Body.schema, isRequired: true), problems: jsonBodyProblems)
    }
}

/// A JSON body that is an object whose only member is an array.
struct ArrayBodyInput<Element: RequestBody>: Input {
    let name: String
    let limit: Int
    let text: String

    /// - Throws: As `BodyInput`.
    func read(_ call: Call) throws(Problem) -> [Element] {
        var reader = JSONObjectReader(try call.json())
        let elements = elements(from: &reader)
        try reader.finish()
        return elements
    }

    var description: InputDescription {
        let members = JSONObjectReader.members { _ = elements(from: &$0) }
        return InputDescription(
            body: .init(schema: .object(nil, nil, members, isClosed: true), isRequired: true),
            problems: jsonBodyProblems)
    }

    private func elements(from reader: inout JSONObjectReader) -> [Element] {
        reader.objects(name, of: Element.self, atMost: limit, text)
    }
}

/// A JSON body that may be omitted.
struct OptionalBodyInput<Body: RequestBody>: Input {
    /// When the body is needed.
    let text: String

    func read(_ call: Call) throws(Problem) -> Body? {
        call.request.body.isEmpty ? nil : try Body(call.json())
    }

    var description: InputDescription {
        InputDescription(
            body: .init(schema: Body.schema, description: text, isRequired: false),
            problems: jsonBodyProblems)
    }
}

private let jsonBodyProblems: [ProblemKind] = [
    .malformedDocument, .contentTooLarge, .unsupportedMediaType, .invalidMembers,
]

extension Input {
    static func json<Body>(_: Body.Type) -> Self where Self == BodyInput<Body> { Self() }

    /// - Parameter text: What the elements are.
    static func array<Element>(
        _ name: String, of _: Element.Type, atMost limit: Int, _ text: String
    ) -> Self where Self == ArrayBodyInput<Element> {
        Self(name: name, limit: limit, text: text)
    }

    static func optionalJSON<Body>(
        _: Body.Type, _ text: String
    ) -> Self where Self == OptionalBodyInput<Body> { Self(text: text) }
}

extension Call {
    fileprivate func json() throws(Problem) -> JSONValue {
        let type = request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        guard let type, type.isSameType(as: .json) else {
            throw Problem(
                .unsupportedMediaType, "The body must be JSON, with Content-Type: application/json."
            )
        }
        do throws(JSONSyntaxError) {
            return try JSONParser.parse(request.body)
        } catch {
            throw Problem(
                .malformedDocument,
                "The body is not valid JSON: at byte \(error.offset), \(error.reason).")
        }
    }
}
