/// Two inputs of which the first takes precedence: if a request has it, the second is not even read, so
/// that nothing can be wrong with it.
struct AlternativeInputs<First, Preferred: Input, Other: Input>: Input
where Preferred.Value == First? {
    enum Value: Sendable where First: Sendable, Other.Value: Sendable {
        case preferred(First)
        case other(Other.Value)
    }

    fileprivate let preferred: Preferred
    fileprivate let other: Other

    func read(_ call: Call) async throws -> Value {
        if let value = try await preferred.read(call) { return .preferred(value) }
        return .other(try await other.read(call))
    }

    var description: InputDescription { InputDescription([preferred, other]) }
}

/// Several inputs that are read together.
struct InputGroup<each Part: Input>: Input {
    private let part: (repeat each Part)

    init(_ part: repeat each Part) { self.part = (repeat each part) }

    func read(_ call: Call) async throws -> (repeat (each Part).Value) {
        (repeat try await (each part).read(call))
    }

    var description: InputDescription {
        var parts: [any Input] = []
        for part in repeat each part { parts.append(part) }
        return InputDescription(parts)
    }
}

extension Input {
    static func first<First, Preferred, Other>(
        _ preferred: Preferred, else other: Other
    ) -> Self where Self == AlternativeInputs<First, Preferred, Other> {
        Self(preferred: preferred, other: other)
    }
}
