import JSON

/// Reads the members of a JSON object and notes all that is wrong with them, each with its JSON
/// pointer (RFC 6901), so that a client learns everything at once.
struct JSONObjectReader {
    private let members: [String: JSONValue]
    private let pointer: String
    private var known: Set<String> = []
    private(set) var errors: [MemberError] = []

    init(_ value: JSONValue, pointer: String = "") {
        self.pointer = pointer
        if case .object(let members) = value {
            self.members = members
        } else {
            members = [:]
            errors.append(
                MemberError(pointer: pointer, detail: "must be an object, not \(value.kind)"))
        }
    }

    private static let maximumErrors = 50

    mutating func int(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = required(name) else { return nil }
        return checkedInt(name, value, in: range)
    }

    mutating func optionalInt(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = optional(name) else { return nil }
        return checkedInt(name, value, in: range)
    }

    /// Reads a number that `null` takes away.
    ///
    /// - Returns: `nil` if it is left out, a number that is `nil` for `null`.
    mutating func nullableInt(_ name: String, in range: ClosedRange<Int>) -> Int?? {
        known.insert(name)
        if case .null? = members[name] { return .some(nil) }
        return optionalInt(name, in: range).map { .some($0) }
    }

    /// Reads a number that may also be written as a text.
    mutating func intOrText(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = required(name) else { return nil }
        if case .string(let text) = value, let number = Int(text), String(number) == text {
            return checkedInt(name, .int(number), in: range)
        }
        return checkedInt(name, value, in: range)
    }

    private mutating func checkedInt(
        _ name: String, _ value: JSONValue, in range: ClosedRange<Int>
    ) -> Int? {
        guard case .int(let number) = value else {
            note(name, "must be a whole number, not \(value.kind)")
            return nil
        }
        guard range.contains(number) else {
            note(name, "must be from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func optionalString(_ name: String) -> String? {
        guard let value = optional(name) else { return nil }
        guard case .string(let text) = value else {
            note(name, "must be a string, not \(value.kind)")
            return nil
        }
        return text
    }

    mutating func optionalStrings(_ name: String, atMost limit: Int) -> [String]? {
        guard let value = optional(name) else { return nil }
        guard case .array(let elements) = value else {
            note(name, "must be an array of strings, not \(value.kind)")
            return nil
        }
        guard elements.count <= limit else {
            note(name, "must have at most \(limit) elements; this has \(elements.count)")
            return nil
        }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else {
                note(name, at: index, "must be a string, not \(element.kind)")
                return nil
            }
            texts.append(text)
        }
        return texts
    }

    mutating func string(_ name: String) -> String? {
        guard let value = required(name) else { return nil }
        guard case .string(let text) = value else {
            note(name, "must be a string, not \(value.kind)")
            return nil
        }
        return text
    }

    /// Reads a string that must be of a form.
    ///
    /// - Parameter rule: What is noted of one that is not.
    mutating func optional<Value>(
        _ name: String, _ rule: String, _ parse: (String) -> Value?
    ) -> Value? {
        guard let text = optionalString(name) else { return nil }
        let value = parse(text)
        if value == nil { note(name, rule) }
        return value
    }

    mutating func required<Value>(
        _ name: String, _ rule: String, _ parse: (String) -> Value?
    ) -> Value? {
        guard let text = string(name) else { return nil }
        let value = parse(text)
        if value == nil { note(name, rule) }
        return value
    }

    /// Reads a required array of objects.
    ///
    /// - Parameter read: Reads one; what it notes is kept.
    mutating func objects<Value>(
        _ name: String, atMost limit: Int, _ read: (inout JSONObjectReader) -> Value?
    ) -> [Value] {
        guard let value = required(name) else { return [] }
        guard case .array(let elements) = value else {
            note(name, "must be an array, not \(value.kind)")
            return []
        }
        guard elements.count <= limit else {
            note(name, "must have at most \(limit) elements; this has \(elements.count)")
            return []
        }
        var values: [Value] = []
        for (index, element) in elements.enumerated() {
            var reader = JSONObjectReader(element, pointer: "\(pointer)/\(name)/\(index)")
            let value = read(&reader)
            reader.refuseUnknown()
            errors += reader.errors.prefix(Self.maximumErrors - errors.count)
            if let value { values.append(value) }
        }
        return values
    }

    /// - Parameter index: Of the element of an array that it is about.
    mutating func note(_ name: String, at index: Int? = nil, _ detail: String) {
        // Nobody reads more, and the answer must not be larger than the question.
        guard errors.count < Self.maximumErrors else { return }
        let element = index.map { "/\($0)" } ?? ""
        errors.append(
            MemberError(pointer: "\(pointer)/\(Self.escape(name))\(element)", detail: detail))
    }

    /// Notes every member that nobody has asked for.
    mutating func refuseUnknown() {
        for name in members.keys.sorted() where !known.contains(name) {
            note(name, "is not known here")
        }
    }

    /// - Throws: A 422 with everything noted, if there is anything.
    mutating func finish(ignoringUnknown: Bool = false) throws(Problem) {
        if !ignoringUnknown { refuseUnknown() }
        guard errors.isEmpty else { throw .invalidMembers(errors) }
    }

    private mutating func required(_ name: String) -> JSONValue? {
        known.insert(name)
        guard let value = members[name] else {
            if errors.isEmpty || errors[0].pointer != pointer { note(name, "is missing") }
            return nil
        }
        return value
    }

    private mutating func optional(_ name: String) -> JSONValue? {
        known.insert(name)
        if case .null? = members[name] {
            note(name, "must not be null; leave it out instead")
            return nil
        }
        return members[name]
    }

    private static func escape(_ name: String) -> String {
        String(name.prefix(64)).replacing("~", with: "~0").replacing("/", with: "~1")
    }
}

/// What is wrong with one member of a JSON document.
struct MemberError: Hashable, Sendable {
    let pointer: String
    /// A predicate: "must be …".
    let detail: String
}
