import Endpoints
import HTTP
import HTTPTypes

/// What a route answers on success: how the response is made from the handler's output, and how the
/// API's description describes it.
protocol Answer: Sendable {
    associatedtype Output: Sendable

    func response(_ output: Output, to call: Call) async throws -> Response

    /// One for each status; none for an answer that is not described, such as a page.
    var descriptions: [AnswerDescription] { get }
}

/// The API's description of an answer.
struct AnswerDescription: Sendable {
    struct Content: Sendable {
        let type: String
        let schema: Schema
    }

    let status: HTTPResponse.Status
    let text: String
    /// The header fields that not every answer has.
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
