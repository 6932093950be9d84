package import JSON

/// The API's description of a header field in responses.
package struct ResponseField: Sendable {
    package let description: String
    package let schema: Schema
    /// Whether the field is in every response that is described with it.
    package let isRequired: Bool

    package init(_ description: String, _ schema: Schema, isRequired: Bool = false) {
        self.description = description
        self.schema = schema
        self.isRequired = isRequired
    }

    package var value: JSONValue {
        var members: [String: JSONValue] = [
            "description": .string(description), "schema": .object(schema.keywords),
            "example": schema.example,
        ]
        if isRequired { members["required"] = true }
        return .object(members)
    }
}
