package import Foundation
import Languages

extension Input {
    /// A parameter of a route's path. 404 if it can't be read, since there is nothing at such an
    /// address.
    ///
    /// - Parameters:
    ///   - name: The parameter's name in the pattern.
    ///   - noun: What the error says there is none of; the name if `nil`.
    package static func path(
        _ name: String, noun: String? = nil, _ text: String, _ schema: Schema,
        _ parse: @escaping @Sendable (String) -> Value?
    ) -> Self {
        let description = InputDescription(
            parameters: [
                .init(
                    name: name, place: .path, description: text, schema: schema, isRequired: true)
            ], problems: [.notFound])
        return Self(description) { context in
            guard let value = context.parameters[name].flatMap(parse) else {
                throw Problem.notFound(.english("There is no such \(noun ?? name)."))
            }
            return value
        }
    }

    /// An id in the path.
    package static func id(
        _ name: String, noun: String? = nil, _ text: String, example: String
    ) -> Self where Value == UUID {
        .path(name, noun: noun, text, .text(format: "uuid", example: example)) {
            UUID(uuidString: $0)
        }
    }
}
