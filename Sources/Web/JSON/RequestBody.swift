import JSON

/// A JSON object that clients send: its members are declared where they are read.
protocol RequestBody: Sendable {
    /// Reads and describes all members, and then says what they are together.
    ///
    /// - Returns: `nil` if something is wrong, which the reader has noted.
    init?(from reader: inout JSONObjectReader)

    /// Under which the document's components have its schema; `nil` to write it in place.
    static var schemaName: String? { get }
    static var schemaDescription: String? { get }
    /// Whether members that it does not have are ignored, and not refused.
    static var ignoresUnknownMembers: Bool { get }
}

extension RequestBody {
    static var schemaName: String? { nil }
    static var schemaDescription: String? { nil }
    static var ignoresUnknownMembers: Bool { false }

    static var schema: Schema {
        .object(
            schemaName, schemaDescription,
            JSONObjectReader.members { _ = Self(from: &$0) },
            isClosed: !ignoresUnknownMembers)
    }

    /// - Throws: 422 with everything that is wrong.
    init(_ value: JSONValue) throws(Problem) {
        var reader = JSONObjectReader(value)
        let body = Self(from: &reader)
        try reader.finish(ignoringUnknown: Self.ignoresUnknownMembers)
        guard let body else { throw .invalidMembers(reader.errors) }
        self = body
    }
}
