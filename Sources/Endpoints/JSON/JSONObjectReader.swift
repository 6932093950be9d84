import HTTP
package import JSON
package import Languages

/// Reads the members of a JSON object and notes everything that is wrong with them, each fault with
/// its JSON pointer (RFC 6901), so that a client learns about all faults at once.
///
/// The code that reads members also describes them: the schema of a body is recorded while an empty
/// object is read. For that to work, a body must read all its members before it decides anything
/// based on one of them.
///
/// It reads the fields of a page's form in the same way. The schema of a member says what a field's
/// text means.
package struct JSONObjectReader {
    private let members: [String: JSONValue]
    private var form: FormItems?
    /// The members to read. All of them are required. `nil` reads all declared members.
    private var only: Set<String>?
    private let pointer: String
    /// The members that have been read or ignored: few, so they are quicker to compare than to hash.
    private var known: [String] = []
    package private(set) var errors: [MemberError] = []
    /// The members that have been read, if the reader records them.
    private var description: [Schema.Member]?

    package init(_ value: JSONValue, pointer: String = "") {
        self.pointer = pointer
        if case .object(let members) = value {
            self.members = members
        } else {
            members = [:]
            errors.append(
                MemberError(
                    pointer: pointer, .wrongType,
                    detail: .english("This must be an object, not \(value.kind).")))
        }
    }

    /// - Parameter only: The members that the form contains. All of them are required. `nil` means
    ///   all declared members.
    init(_ form: FormItems, only: Set<String>? = nil) {
        self.init([:])
        self.form = form
        self.only = only
    }

    /// The members that a function reads.
    ///
    /// - Parameter only: As for a form.
    package static func members(
        only: Set<String>? = nil, _ read: (inout JSONObjectReader) -> Void
    ) -> [Schema.Member] {
        var reader = JSONObjectReader([:])
        reader.only = only
        reader.description = []
        read(&reader)
        return reader.description ?? []
    }

    package static let maximumErrors = 50
    private func isChosen(_ schema: @autoclosure () -> Schema) -> Bool {
        form != nil && schema().isChoice
    }

    // MARK: Members

    package mutating func required<Value>(
        _ name: String, _ type: BodyMember<Value>, _ description: String? = nil
    ) -> Value? {
        describe(name, type.schema, description, isRequired: true)
        guard let value = required(name, type.schema) else { return nil }
        return read(value, type, name)
    }

    /// - Returns: `nil` if the member is missing or not valid.
    package mutating func optional<Value>(
        _ name: String, _ type: BodyMember<Value>, _ description: String? = nil
    ) -> Value? {
        if only?.contains(name) == true { return required(name, type, description) }
        describe(name, type.schema, description)
        guard let value = lookUp(name, type.schema) else { return nil }
        if case .null = value {
            note(name, .wrongType, .english("This must not be null; leave it out instead."))
            return nil
        }
        return read(value, type, name)
    }

    /// Reads a member that can be removed with `null`.
    ///
    /// - Returns: `nil` if the member is missing or not valid, `.some(nil)` if it is `null`.
    package mutating func nullable<Value>(
        _ name: String, _ type: BodyMember<Value>, _ description: String? = nil
    ) -> Value?? {
        describe(name, type.schema.nullable, description)
        guard let value = lookUp(name, type.schema.nullable) else { return nil }
        if case .null = value { return .some(nil) }
        return read(value, type, name).map { .some($0) }
    }

    /// Ignores members that the server sets, so that clients can send back what they have read. The
    /// schema doesn't have them: they would be members of every client's type.
    package mutating func ignore(_ names: String...) { known += names }

    /// Reads a required array of objects.
    ///
    /// - Parameter limit: A few, since each is compared with the others.
    package mutating func objects<Value: RequestBody>(
        _ name: String, of type: Value.Type, atMost limit: Int, _ description: String
    ) -> [Value] {
        describe(
            name, .array(of: Value.schema, atMost: limit), description, isRequired: true)
        guard let value = required(name, .array(of: Value.schema)) else { return [] }
        guard case .array(let elements) = value else {
            note(name, .wrongType, .english("This must be an array, not \(value.kind)."))
            return []
        }
        guard elements.count <= limit else {
            note(
                name, .tooMany,
                .english("This must have at most \(limit) elements; this has \(elements.count)."))
            return []
        }
        var values: [(index: Int, value: Value)] = []
        for (index, element) in elements.enumerated() {
            var reader = JSONObjectReader(element, pointer: "\(pointer)/\(name)/\(index)")
            let value = Value(from: &reader)
            reader.refuseUnknown()
            errors += reader.errors.prefix(Self.maximumErrors - errors.count)
            if let value { values.append((index, value)) }
        }
        for (index, value) in values
        where values.contains(where: { $0.index != index && $0.value.isSame(as: value) }) {
            note(name, at: index, .duplicate, .english("This must be there only once."))
        }
        return values.map(\.value)
    }

    private mutating func read<Value>(
        _ value: JSONValue, _ type: BodyMember<Value>, _ name: String
    ) -> Value? {
        do throws(MemberFault) {
            return try type.read(value)
        } catch {
            if isChosen(type.schema) {
                noteNoChoice(name)
            } else {
                note(name, at: error.index, error.kind, error.detail)
            }
            return nil
        }
    }

    private mutating func required(
        _ name: String, _ schema: @autoclosure () -> Schema
    ) -> JSONValue? {
        let count = errors.count
        if let value = lookUp(name, schema()) { return value }
        // Nothing is missing from a field that is wrong, or from what is no object.
        guard errors.count == count, errors.first?.pointer != pointer else { return nil }
        if isChosen(schema()) {
            noteNoChoice(name)
        } else {
            note(name, .missing, .english("This is missing."))
        }
        return nil
    }

    private mutating func lookUp(
        _ name: String, _ schema: @autoclosure () -> Schema
    ) -> JSONValue? {
        guard let form else { return members[name] }
        guard only?.contains(name) != false else { return nil }
        do throws(MemberFault) {
            return try schema().value(ofFields: form.values(name))
        } catch {
            note(name, error.kind, error.detail)
            return nil
        }
    }

    private mutating func describe(
        _ name: String, _ schema: @autoclosure () -> Schema, _ text: String?,
        isRequired: Bool = false
    ) {
        known.append(name)
        guard only?.contains(name) != false else { return }
        description?.append(
            Schema.Member(
                name: name, schema: schema(), description: text, isRequired: isRequired))
    }

    // MARK: Faults

    /// - Parameter index: The index of the wrong element, if the value is an array.
    package mutating func note(
        _ name: String, at index: Int? = nil, _ kind: FaultKind, _ detail: Words
    ) {
        // No one reads more errors, and the response must not be larger than the request.
        guard errors.count < Self.maximumErrors else { return }
        let pointer = "\(pointer)/\(Self.escape(name))" + (index.map { "/\($0)" } ?? "")
        // A member that is there, and wrong, is not missing.
        guard kind != .missing || !errors.contains(where: { $0.pointer == pointer }) else { return }
        errors.append(MemberError(pointer: pointer, kind, detail: detail))
    }

    /// People don't type what they choose.
    private mutating func noteNoChoice(_ name: String) {
        note(name, .notChosen, .english("Choose one."))
    }

    /// Notes an error for every member that has not been read.
    package mutating func refuseUnknown() {
        for name in members.keys.filter({ !known.contains($0) }).sorted() {
            note(name, .unknownMember, .english("This is not known here."))
        }
    }

    /// - Throws: 422 with all noted errors, if there are any.
    package mutating func finish(ignoringUnknown: Bool = false) throws(Problem) {
        if !ignoringUnknown { refuseUnknown() }
        guard errors.isEmpty else { throw .invalidMembers(errors) }
    }

    private static func escape(_ name: String) -> String {
        String(name.prefix(64)).replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
