/// A value decoded from CBOR (RFC 8949), as far as WebAuthn uses it.
enum CBORValue: Equatable, Sendable {
    case int(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([CBORKey: CBORValue])
    case bool(Bool)
    case null

    var int: Int? { if case .int(let number) = self { number } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var map: [CBORKey: CBORValue]? { if case .map(let map) = self { map } else { nil } }
}

/// A key of a map. COSE uses integers, and WebAuthn uses texts.
enum CBORKey: Hashable, Sendable {
    case int(Int)
    case text(String)
}

extension CBORKey: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int) { self = .int(value) }
}

extension CBORKey: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .text(value) }
}
