import HTTP
import HTTPTypes
import JSON

/// The form of a page. Its fields are the members of a body.
struct FormInput<Body: RequestBody>: Input {
    /// The members that are fields, all of which are required; `nil` for all members.
    fileprivate let only: Set<String>?

    /// - Throws: 422 with everything that is wrong with the fields.
    func read(_ call: Call) throws(Problem) -> Body {
        try Body(call.sent?.items ?? FormItems(), only: only)
    }

    var description: InputDescription {
        let members = Body.members(only: only)
        return InputDescription(
            body: .init(
                schema: .object(nil, nil, members, isClosed: true), isRequired: true,
                type: .formURLEncoded, fields: members.compactMap(FormFieldKind.init)))
    }
}

/// A field of a page's form that may be shown again, whatever went wrong. A secret may not.
struct FormFieldKind: Sendable {
    let name: String
    /// What people call it who have written something into it; `nil` if they haven't.
    let label: String?

    static func written(_ name: String, as label: String) -> Self {
        Self(name: name, label: label)
    }

    static func chosen(_ name: String) -> Self { Self(name: name, label: nil) }

    private init(name: String, label: String?) {
        self.name = name
        self.label = label
    }

    /// - Returns: `nil` for a secret.
    fileprivate init?(_ member: Schema.Member) {
        let schema = member.schema
        guard !schema.isSecret else { return nil }
        name = member.name
        let isWritten =
            !schema.isChoice && schema.keywords["type"] == "string"
            && schema.keywords["format"] != "uuid"
        let words = name.replacing(/[A-Z]/) { " " + $0.output.lowercased() }
        label = isWritten ? words.prefix(1).uppercased() + words.dropFirst() : nil
    }
}

/// Where the form's browser goes next, if that is a path of this site.
struct FormReturnInput: Input {
    func read(_ call: Call) -> String? { ReturnPath.parse(call.sent?["return"]) }

    var description: InputDescription { InputDescription() }
}

extension Input {
    /// - Parameter names: The members that are fields of the form, if it doesn't have them all. They
    ///   are required, whatever the body says.
    static func form<Body>(_: Body.Type, only names: String...) -> Self
    where Self == FormInput<Body> { Self(only: names.isEmpty ? nil : Set(names)) }
}

extension Input where Self == FormReturnInput {
    static var formReturnPath: Self { Self() }
}

extension Schema {
    /// Whether one chooses among values.
    var isChoice: Bool { keywords["enum"] != nil || keywords["type"] == "array" }

    /// What the texts of a form's fields mean.
    ///
    /// - Parameter texts: The fields with the member's name. A checkbox can have two: the first one is
    ///   always sent and says "no", and the second one is sent if it is checked.
    /// - Returns: `nil` if there are none.
    func value(ofFields texts: [String]) throws(MemberFault) -> JSONValue? {
        var types = [keywords["type"]]
        if case .array(let several) = keywords["type"] { types = several }
        if types.contains("array") {
            return texts.isEmpty ? nil : .array(texts.map { .string($0) })
        }
        if types.contains("boolean"), !texts.isEmpty {
            guard texts == ["no"] || texts == ["yes"] || texts == ["no", "yes"] else {
                throw MemberFault(detail: "must be yes or no")
            }
            return .bool(texts.last == "yes")
        }
        guard let text = texts.first else { return nil }
        guard texts.count == 1 else { throw MemberFault(detail: "must be there only once") }
        if text.isEmpty, types.contains("null") { return .null }
        guard types.contains("integer") else { return .string(text) }
        guard text.utf8.count <= 18, let number = Int(text) else {
            throw MemberFault(detail: "must be a whole number")
        }
        return .int(number)
    }
}
