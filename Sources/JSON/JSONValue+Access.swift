// What a reader looks for in a document of someone else's, where anything may be missing.
extension JSONValue {
    public var text: String? { if case .string(let text) = self { text } else { nil } }
    public var integer: Int? { if case .int(let number) = self { number } else { nil } }

    /// Of an array; none of anything else.
    public var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// Of an object; none of anything else.
    public var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    public subscript(name: String) -> JSONValue? { members[name] }
}
