import Encodings

/// Reads JSON (RFC 8259) strictly: UTF-8 only, no duplicate member names, nothing after the value.
///
/// Foundation's decoder, asked for a tree of arbitrary values, tries one type after another. A few
/// kilobytes of nested brackets would occupy it, and the loop, for seconds. This parser takes time
/// in proportion to the length, and rejects nesting deeper than our documents ever need.
public struct JSONParser {
    /// How deep objects and arrays may be nested.
    public static let maximumDepth = 16

    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: `JSONSyntaxError`, which says where the text is wrong and why.
    public static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw JSONSyntaxError(
                offset: error.byteOffsets.lowerBound, reason: "the text is not UTF-8")
        }
        var parser = JSONParser(bytes)
        parser.skipWhiteSpace()
        let value = try parser.value(depth: 0)
        parser.skipWhiteSpace()
        guard parser.index == bytes.count else { throw parser.error("unexpected trailing text") }
        return value
    }

    private func error(_ reason: String) -> JSONSyntaxError {
        JSONSyntaxError(offset: index, reason: reason)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipWhiteSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
        }
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        guard let next else { throw error("unexpected end") }
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error("expected a value")
        }
    }

    private mutating func literal(
        _ text: String, _ value: JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        guard bytes[index...].starts(with: text.utf8) else {
            throw error("expected a value")
        }
        index += text.utf8.count
        return value
    }

    // MARK: Structures

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> [String: JSONValue] {
        try enter(depth)
        var members: [String: JSONValue] = [:]
        guard !take(UInt8(ascii: "}")) else { return members }
        repeat {
            skipWhiteSpace()
            guard next == UInt8(ascii: "\"") else {
                throw error("expected a member's name")
            }
            let name = try string()
            guard members[name] == nil else { throw error("duplicate member name") }
            guard take(UInt8(ascii: ":")) else { throw error("expected a colon") }
            skipWhiteSpace()
            members[name] = try value(depth: depth + 1)
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw error("expected a comma or }") }
        return members
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        try enter(depth)
        var elements: [JSONValue] = []
        guard !take(UInt8(ascii: "]")) else { return elements }
        repeat {
            skipWhiteSpace()
            elements.append(try value(depth: depth + 1))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw error("expected a comma or ]") }
        return elements
    }

    private mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
        guard depth < Self.maximumDepth else {
            throw error("nested more than \(Self.maximumDepth) levels deep")
        }
        index += 1
    }

    /// Skips white space, then consumes `byte` if it comes next, and returns whether it did.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipWhiteSpace()
        guard next == byte else { return false }
        index += 1
        return true
    }

    // MARK: Scalars

    private mutating func string() throws(JSONSyntaxError) -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                index += 1
                try appendEscaped(to: &text)
            case 0..<0x20:
                throw error("a control character in a string must be escaped")
            default:
                text.append(byte)
                index += 1
            }
        }
        throw error("a string does not end")
    }

    private mutating func appendEscaped(to text: inout [UInt8]) throws(JSONSyntaxError) {
        guard let byte = next else { throw error("a string does not end") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: try unicodeEscape().utf8)
        default: throw error("unknown escape sequence")
        }
    }

    /// The four digits of a `\u` escape, or two such escapes that form a surrogate pair.
    private mutating func unicodeEscape() throws(JSONSyntaxError) -> String {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return String(scalar) }
        guard first < 0xDC00, next == UInt8(ascii: "\\"), bytes[(index + 1)...].first == 0x75
        else { throw error("half a surrogate pair") }
        index += 2
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half a surrogate pair") }
        return String(scalar)
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        let digits = bytes[index...].prefix(4).compactMap(Hexadecimal.value)
        guard digits.count == 4 else { throw error("expected four hexadecimal digits") }
        index += 4
        return digits.reduce(0) { $0 << 4 | UInt32($1) }
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = index
        _ = takeRaw(UInt8(ascii: "-"))
        let integerStart = index
        guard takeDigits() else { throw error("a digit is expected here") }
        guard bytes[integerStart] != UInt8(ascii: "0") || index == integerStart + 1 else {
            throw error("a number must not begin with 0")
        }
        var isInteger = true
        if takeRaw(UInt8(ascii: ".")) {
            isInteger = false
            guard takeDigits() else { throw error("a digit is expected here") }
        }
        if takeRaw(UInt8(ascii: "e")) || takeRaw(UInt8(ascii: "E")) {
            isInteger = false
            if !takeRaw(UInt8(ascii: "+")) { _ = takeRaw(UInt8(ascii: "-")) }
            guard takeDigits() else { throw error("a digit is expected here") }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger, let value = Int(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else {
            throw error("the number is too large")
        }
        return .double(value)
    }

    private mutating func takeRaw(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func takeDigits() -> Bool {
        let start = index
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        return index > start
    }
}

/// Where and why a text is not JSON.
public struct JSONSyntaxError: Error, Equatable {
    /// In bytes from the beginning.
    public let offset: Int
    /// Completes the sentence "The body is not valid JSON: at byte …, ".
    public let reason: String
}
