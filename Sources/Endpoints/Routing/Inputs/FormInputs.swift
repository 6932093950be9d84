import HTTP
import HTTPTypes
import JSON

extension Input where Value: RequestBody {
    /// The form of a page. Its fields are the members of a body. 422 with everything that is wrong
    /// with the fields.
    ///
    /// - Parameter names: The members that are fields of the form, if it doesn't have them all. They
    ///   are required, whatever the body says.
    package static func form(_: Value.Type, only names: String...) -> Self {
        let only = names.isEmpty ? nil : Set(names)
        let members = Value.members(only: only)
        let description = InputDescription(
            body: .init(
                schema: .object(nil, nil, members, isClosed: true), isRequired: true,
                type: .formURLEncoded, fields: members.compactMap(FormFieldKind.init)))
        return Self(description) { try Value($0.sent?.items ?? FormItems(), only: only) }
    }
}

/// A field of a page's form that may be shown again, whatever went wrong. A secret may not.
package struct FormFieldKind: Sendable {
    package let name: String
    /// Whether people write something into it.
    package let isWritten: Bool

    package static func written(_ name: String) -> Self { Self(name: name, isWritten: true) }

    package static func chosen(_ name: String) -> Self { Self(name: name, isWritten: false) }

    private init(name: String, isWritten: Bool) {
        self.name = name
        self.isWritten = isWritten
    }

    /// - Returns: `nil` for a secret.
    fileprivate init?(_ member: Schema.Member) {
        let schema = member.schema
        guard !schema.isSecret else { return nil }
        name = member.name
        isWritten =
            !schema.isChoice && schema.keywords["type"] == "string"
            && schema.keywords["format"] != "uuid"
    }
}
