package import JSON
package import Languages

/// The type of a member of a request's body: how the API's description describes it, and how it is
/// read.
package struct BodyMember<Value: Sendable>: Sendable {
    package let schema: Schema
    package let read: @Sendable (JSONValue) throws(MemberFault) -> Value

    package init(
        _ schema: Schema, _ read: @escaping @Sendable (JSONValue) throws(MemberFault) -> Value
    ) {
        self.schema = schema
        self.read = read
    }
}

/// Why the value of a member is rejected.
package struct MemberFault: Error {
    /// The index of the wrong element, if the value is an array.
    package let index: Int?
    package let kind: FaultKind
    /// A sentence.
    package let detail: Words

    package init(_ kind: FaultKind, at index: Int? = nil, detail: Words) {
        self.index = index
        self.kind = kind
        self.detail = detail
    }
}

extension BodyMember where Value == Int {
    package static func integer(_ range: ClosedRange<Int>, example: Int) -> Self {
        integer(.integer(range, example: example), in: range)
    }

    package static func integer(_ schema: Schema, in range: ClosedRange<Int>) -> Self {
        Self(schema) { value throws(MemberFault) in try check(value, in: range) }
    }

    /// A number that may also be written as a string.
    package static func integerOrText(_ schema: Schema, in range: ClosedRange<Int>) -> Self {
        Self(schema) { value throws(MemberFault) in
            if case .string(let text) = value, let number = Int(text), String(number) == text {
                return try check(.int(number), in: range)
            }
            return try check(value, in: range)
        }
    }

    private static func check(
        _ value: JSONValue, in range: ClosedRange<Int>
    ) throws(MemberFault) -> Int {
        let number: Int
        switch value {
        case .int(let whole): number = whole
        case .double(let double):
            // 5.0 is an integer, too: JSON Schema's validation vocabulary, section 6.1.1.
            guard let whole = Int(exactly: double) else {
                throw MemberFault(.wrongType, detail: .english("This must be a whole number."))
            }
            number = whole
        default:
            throw MemberFault(
                .wrongType, detail: .english("This must be a whole number, not \(value.kind)."))
        }
        guard range.contains(number) else {
            throw MemberFault(
                .outOfRange,
                detail: .english("This must be from \(range.lowerBound) to \(range.upperBound)."))
        }
        return number
    }
}

extension BodyMember where Value == Bool {
    package static func boolean(example: Bool) -> Self {
        Self(.boolean(example: example)) { value throws(MemberFault) in
            guard case .bool(let isTrue) = value else {
                throw MemberFault(
                    .wrongType, detail: .english("This must be true or false, not \(value.kind)."))
            }
            return isTrue
        }
    }
}

extension BodyMember where Value == String {
    package static func text(_ schema: Schema) -> Self {
        Self(schema) { value throws(MemberFault) in
            guard case .string(let text) = value else {
                throw MemberFault(
                    .wrongType, detail: .english("This must be a string, not \(value.kind)."))
            }
            return text
        }
    }
}

extension BodyMember where Value == [String] {
    package static func texts(_ schema: Schema, atMost limit: Int) -> Self {
        Self(schema) { value throws(MemberFault) in
            guard case .array(let elements) = value else {
                throw MemberFault(
                    .wrongType,
                    detail: .english("This must be an array of strings, not \(value.kind)."))
            }
            guard elements.count <= limit else {
                throw MemberFault(
                    .tooMany,
                    detail: .english(
                        "This must have at most \(limit) elements; this has \(elements.count)."))
            }
            var texts: [String] = []
            for (index, element) in elements.enumerated() {
                guard case .string(let text) = element else {
                    throw MemberFault(
                        .wrongType, at: index,
                        detail: .english("This must be a string, not \(element.kind)."))
                }
                texts.append(text)
            }
            return texts
        }
    }
}

extension BodyMember {
    /// A string of a certain form.
    ///
    /// - Parameters:
    ///   - rule: The detail for a string that does not have the form.
    ///   - kind: The kind of that fault; `nil` if the schema tells which bound isn't met.
    package static func parsed(
        _ schema: Schema, _ rule: Words, _ kind: FaultKind? = nil,
        _ parse: @escaping @Sendable (String) -> Value?
    ) -> Self {
        .checked(.text(schema)) { text throws(MemberFault) in
            guard let value = parse(text) else {
                throw MemberFault(kind ?? FaultKind(of: text, schema), detail: rule)
            }
            return value
        }
    }

    /// Converts the value of another member type, or rejects it.
    package static func checked<Base>(
        _ base: BodyMember<Base>,
        _ check: @escaping @Sendable (Base) throws(MemberFault) -> Value
    ) -> Self {
        Self(base.schema) { value throws(MemberFault) in try check(base.read(value)) }
    }
}

extension BodyMember where Value: RawRepresentable<String> & CaseIterable & Equatable {
    /// One of an enumeration's cases.
    package static var choice: Self { choice(of: Array(Value.allCases)) }

    package static func choice(of values: [Value]) -> Self {
        let names = values.map(\.rawValue)
        return .parsed(
            .values(names), .english("This must be one of \(names.joined(separator: ", "))."),
            .unknownValue
        ) { name in values.first { $0.rawValue == name } }
    }
}
