import HTTP
import HTTPTypes

extension Input where Value: RequestBody {
    /// The form of a page. Its fields are the members of a body. 422 with everything that is wrong
    /// with the fields.
    package static func form(_: Value.Type) -> Self {
        let description = InputDescription(
            body: .init(schema: Value.schema, isRequired: true, type: .formURLEncoded))
        return Self(description) { try Value($0.sent?.items ?? FormItems()) }
    }
}
