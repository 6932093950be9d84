// Access to parts of a document from elsewhere, where anything may be missing.
extension JSONValue {
    public var text: String? { if case .string(let text) = self { text } else { nil } }
    public var integer: Int? { if case .int(let number) = self { number } else { nil } }

    /// The elements of an array; empty for any other value.
    public var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The members of an object; empty for any other value.
    public var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    public subscript(name: String) -> JSONValue? { members[name] }
}
