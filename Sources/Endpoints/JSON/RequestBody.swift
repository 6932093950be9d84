import HTTP
package import JSON

/// A JSON object that clients send. Its members are declared where they are read.
package protocol RequestBody: Sendable {
    /// Reads and describes all members, and only then makes a value of them.
    ///
    /// - Returns: `nil` if something is wrong, which the reader has noted.
    init?(from reader: inout JSONObjectReader)

    /// The schema's name among the document's components; `nil` to write the schema in place.
    static var schemaName: String? { get }
    static var schemaDescription: String? { get }
    /// Whether this and another element of an array are the same thing, so that both can't be in it.
    func isSame(as other: Self) -> Bool
    /// Whether unknown members are ignored instead of rejected.
    static var ignoresUnknownMembers: Bool { get }
}

extension RequestBody {
    package static var schemaName: String? { nil }
    package static var schemaDescription: String? { nil }
    package func isSame(as other: Self) -> Bool { false }
    package static var ignoresUnknownMembers: Bool { false }

    package static var schema: Schema {
        .object(schemaName, schemaDescription, members(), isClosed: !ignoresUnknownMembers)
    }

    /// - Parameter only: The members of a form. All of them are required. `nil` means all members.
    package static func members(only: Set<String>? = nil) -> [Schema.Member] {
        JSONObjectReader.members(only: only) { _ = Self(from: &$0) }
    }

    /// - Throws: 422 with everything that is wrong.
    package init(_ value: JSONValue) throws(Problem) {
        try self.init(JSONObjectReader(value), ignoringUnknown: Self.ignoresUnknownMembers)
    }

    /// Unknown fields are ignored: browsers need some that the server doesn't, and a page may have been
    /// opened before an update.
    ///
    /// - Parameter only: The members that the form contains. All of them are required. `nil` means all
    ///   members.
    /// - Throws: 422 with everything that is wrong.
    init(_ form: FormItems, only: Set<String>? = nil) throws(Problem) {
        try self.init(JSONObjectReader(form, only: only), ignoringUnknown: true)
    }

    private init(_ reader: JSONObjectReader, ignoringUnknown: Bool) throws(Problem) {
        var reader = reader
        let body = Self(from: &reader)
        try reader.finish(ignoringUnknown: ignoringUnknown)
        guard let body else { throw .invalidMembers(reader.errors) }
        self = body
    }
}
