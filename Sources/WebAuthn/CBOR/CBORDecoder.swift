/// Decodes CBOR strictly: the CTAP2 canonical CBOR encoding form, which WebAuthn section 2 demands
/// of authenticators and browsers.
///
/// The order of a map's keys is not checked, because some browsers do not sort them. Tags, floating
/// point and integers beyond 64 bits with a sign are rejected: nothing that WebAuthn defines uses
/// them. The decoder allocates memory in proportion to the bytes that are there, regardless of the
/// length they declare.
struct CBORDecoder {
    /// How deep arrays and maps may be nested, as CTAP2 limits it.
    static let maximumDepth = 4

    private var reader: ByteReader

    private init(_ reader: ByteReader) { self.reader = reader }

    /// Decodes bytes that are one value and nothing else.
    static func decode(_ bytes: [UInt8]) throws(CBORError) -> CBORValue {
        var reader = ByteReader(bytes)
        let value = try decode(from: &reader)
        guard reader.remaining == 0 else { throw .trailingBytes }
        return value
    }

    /// Decodes the value that comes next, and leaves the reader at the byte that follows it.
    static func decode(from reader: inout ByteReader) throws(CBORError) -> CBORValue {
        var decoder = CBORDecoder(reader)
        let value = try decoder.value(depth: 0)
        reader = decoder.reader
        return value
    }

    /// The major types, RFC 8949 section 3.1.
    private enum MajorType: UInt8 {
        case unsigned, negative, bytes, text, array, map, tag, simple
    }

    /// Recursion is bounded: each call is one level deeper than its caller.
    private mutating func value(depth: Int) throws(CBORError) -> CBORValue {
        guard let initial = reader.byte() else { throw .truncated }
        let information = initial & 31
        // A major type has three bits, and there are eight of them.
        guard let type = MajorType(rawValue: initial >> 5) else { throw .unsupportedValue }
        switch type {
        case .unsigned: return .int(try integer(information))
        case .negative: return .int(-1 - (try integer(information)))
        case .bytes: return .bytes(try string(information))
        case .text: return .text(try text(information))
        case .array: return .array(try array(information, depth: depth + 1))
        case .map: return .map(try map(information, depth: depth + 1))
        case .tag: throw .unsupportedValue
        case .simple: return try simple(information)
        }
    }

    // MARK: Arguments

    /// The argument that follows an initial byte, RFC 8949 section 3, in its shortest form.
    private mutating func argument(_ information: UInt8) throws(CBORError) -> UInt64 {
        switch information {
        case 0..<24: return UInt64(information)
        case 24: return try argument(UInt8.self, atLeast: 24)
        case 25: return try argument(UInt16.self, atLeast: 1 << 8)
        case 26: return try argument(UInt32.self, atLeast: 1 << 16)
        case 27: return try argument(UInt64.self, atLeast: 1 << 32)
        case 31: throw .indefiniteLength
        default: throw .unsupportedValue
        }
    }

    /// - Parameter minimum: Anything less has a shorter form.
    private mutating func argument<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type, atLeast minimum: UInt64
    ) throws(CBORError) -> UInt64 {
        guard let value = reader.integer(type).map({ UInt64($0) }) else { throw .truncated }
        guard value >= minimum else { throw .notShortest }
        return value
    }

    private mutating func integer(_ information: UInt8) throws(CBORError) -> Int {
        guard let value = Int(exactly: try argument(information)) else { throw .integerTooLarge }
        return value
    }

    /// A declared number of bytes, elements or members. It is never greater than the number of bytes
    /// that remain, as each takes at least one.
    private mutating func count(_ information: UInt8) throws(CBORError) -> Int {
        guard let count = Int(exactly: try argument(information)), count <= reader.remaining else {
            throw .truncated
        }
        return count
    }

    // MARK: Values

    private mutating func string(_ information: UInt8) throws(CBORError) -> [UInt8] {
        guard let bytes = reader.take(try count(information)) else { throw .truncated }
        return bytes
    }

    private mutating func text(_ information: UInt8) throws(CBORError) -> String {
        guard let text = String(validating: try string(information), as: UTF8.self) else {
            throw .notUTF8
        }
        return text
    }

    private mutating func array(
        _ information: UInt8, depth: Int
    ) throws(CBORError) -> [CBORValue] {
        guard depth <= Self.maximumDepth else { throw .nestedTooDeep }
        var elements: [CBORValue] = []
        for _ in 0..<(try count(information)) {
            elements.append(try value(depth: depth))
        }
        return elements
    }

    private mutating func map(
        _ information: UInt8, depth: Int
    ) throws(CBORError) -> [CBORKey: CBORValue] {
        guard depth <= Self.maximumDepth else { throw .nestedTooDeep }
        var members: [CBORKey: CBORValue] = [:]
        for _ in 0..<(try count(information)) {
            let key: CBORKey
            switch try value(depth: depth) {
            case .int(let number): key = .int(number)
            case .text(let text): key = .text(text)
            default: throw .unsupportedKey
            }
            guard members[key] == nil else { throw .duplicateKey }
            members[key] = try value(depth: depth)
        }
        return members
    }

    private func simple(_ information: UInt8) throws(CBORError) -> CBORValue {
        switch information {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22: .null
        default: throw .unsupportedValue
        }
    }
}
