package import HTTP
package import HTTPTypes

/// What a route responds with on success: how the response is made from the handler's output, and how
/// the API's description describes it.
package struct ResponseKind<Services: Application, Output: Sendable>: Sendable {
    /// One for each status; none for a response that is not described, such as a page.
    package let descriptions: [ResponseDescription]
    package let respond: @Sendable (Output, RequestContext<Services>) async throws -> Response

    package init(
        _ descriptions: [ResponseDescription] = [],
        respond: @escaping @Sendable (Output, RequestContext<Services>) async throws -> Response
    ) {
        self.descriptions = descriptions
        self.respond = respond
    }
}

/// The API's description of a response.
package struct ResponseDescription: Sendable {
    package struct Content: Sendable {
        package let type: String
        package let schema: Schema

        package init(type: String, schema: Schema) {
            self.type = type
            self.schema = schema
        }
    }

    package let status: HTTPResponse.Status
    package let text: String
    /// The header fields that not every response has.
    package let fields: [HTTPField.Name]
    package let contents: [Content]

    package init(
        status: HTTPResponse.Status, text: String, fields: [HTTPField.Name] = [],
        contents: [Content] = []
    ) {
        self.status = status
        self.text = text
        self.fields = fields
        self.contents = contents
    }

    package static func json(
        _ text: String, _ schema: Schema, status: HTTPResponse.Status = .ok,
        fields: [HTTPField.Name] = []
    ) -> ResponseDescription {
        ResponseDescription(
            status: status, text: text, fields: fields,
            contents: [Content(type: "application/json", schema: schema)])
    }
}

extension ResponseKind where Output == Response {
    /// A response that the handler makes itself, and that the API's description leaves out.
    package static var response: Self { Self { response, _ in response } }

    package static func response(_ descriptions: ResponseDescription...) -> Self {
        Self(descriptions) { response, _ in response }
    }
}
