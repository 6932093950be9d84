import HTTP
import HTTPTypes

/// What a route answers when all is well: how it is made of what the handler gives, and what the
/// API's description says of it.
protocol Answer: Sendable {
    associatedtype Output: Sendable

    func response(_ output: Output, to call: Call) async throws -> Response

    /// One for each status; none for what is described nowhere, like pages.
    var descriptions: [AnswerDescription] { get }
}

/// What the API's description says of an answer.
struct AnswerDescription: Sendable {
    struct Content: Sendable {
        let type: String
        let schema: Schema
    }

    let status: HTTPResponse.Status
    let text: String
    /// Those that this answer has and others have not.
    var fields: [HTTPField.Name] = []
    var contents: [Content] = []

    static func json(
        _ text: String, _ schema: Schema, status: HTTPResponse.Status = .ok,
        fields: [HTTPField.Name] = []
    ) -> AnswerDescription {
        AnswerDescription(
            status: status, text: text, fields: fields,
            contents: [Content(type: "application/json", schema: schema)])
    }
}
