import Endpoints
import HTTP
import HTTPTypes
import JSON

/// The form of a page. Its fields are the members of a body.
struct FormInput<Body: RequestBody>: Input {
    /// - Throws: 422 with everything that is wrong with the fields.
    func read(_ call: Call) throws(Problem) -> Body { try Body(call.sent?.items ?? FormItems()) }

    var description: InputDescription {
        InputDescription(
            body: .init(schema: Body.schema, isRequired: true, type: .formURLEncoded))
    }
}

/// Where the form's browser goes next, if that is a path of this site.
struct FormReturnInput: Input {
    func read(_ call: Call) -> String? { ReturnPath.parse(call.sent?["return"]) }

    var description: InputDescription { InputDescription() }
}

extension Input {
    static func form<Body>(_: Body.Type) -> Self where Self == FormInput<Body> { Self() }
}

extension Input where Self == FormReturnInput {
    static var formReturnPath: Self { Self() }
}
