extension JSONValue {
    /// The value as indented text for people to read: a line for each member or element, members
    /// sorted by name, and two spaces for each level.
    public func indented(_ level: Int = 0) -> String {
        let (outer, inner) = (
            String(repeating: "  ", count: level), String(repeating: "  ", count: level + 1)
        )
        func lines(_ lines: [String], _ open: String, _ close: String) -> String {
            guard !lines.isEmpty else { return open + close }
            return open + "\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n" + outer
                + close
        }
        return switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): Self.quoted(text)
        case .array(let elements):
            lines(elements.map { $0.indented(level + 1) }, "[", "]")
        case .object(let members):
            lines(
                members.sorted { $0.key < $1.key }.map {
                    "\(Self.quoted($0.key)): \($0.value.indented(level + 1))"
                }, "{", "}")
        }
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONWriter.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
