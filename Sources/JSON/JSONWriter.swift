import Encodings

/// Writes JSON (RFC 8259) directly as bytes.
///
/// Foundation's encoder takes longer for a ranking than PostgreSQL and the socket together.
public struct JSONWriter {
    public private(set) var bytes: [UInt8] = []
    /// Whether the next member or element needs a comma before it.
    private var needsComma = false

    public init(reserving capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: Structure

    public mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        try enclosed(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
    }

    public mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
        try enclosed(UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    public mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) throws -> Void
    ) rethrows {
        try array { json in
            for element in elements { try write(&json, element) }
        }
    }

    private mutating func enclosed(
        _ open: UInt8, _ close: UInt8, _ content: (inout JSONWriter) throws -> Void
    ) rethrows {
        separate()
        bytes.append(open)
        needsComma = false
        try content(&self)
        bytes.append(close)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Members

    public mutating func name(_ name: StaticString) {
        let length = name.utf8CodeUnitCount
        // Appending once checks the array's capacity once.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length + 4) { text in
            text[0] = UInt8(ascii: ",")
            text[1] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(text)[2...])
                .copyMemory(from: UnsafeRawBufferPointer(start: name.utf8Start, count: length))
            text[length + 2] = UInt8(ascii: "\"")
            text[length + 3] = UInt8(ascii: ":")
            bytes.append(
                contentsOf: UnsafeBufferPointer(rebasing: text[(needsComma ? 0 : 1)...]))
        }
        needsComma = false
    }

    /// A name that is not known in advance.
    public mutating func name(computed name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func member(_ name: StaticString, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    public mutating func member(_ name: StaticString, _ value: Int?) {
        self.name(name)
        if let value { int(value) } else { null() }
    }

    // MARK: Values

    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    public mutating func int(_ value: Int) {
        separate()
        bytes.append(decimal: value)
    }

    public mutating func string(_ value: String) {
        separate()
        Self.append(value, to: &bytes)
    }

    /// Appends a text in quotes, escaping what RFC 8259 section 7 requires.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            var start = 0
            while let index = firstToEscape(in: text, from: start) {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                appendEscaped(text[index], to: &bytes)
                start = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Looks at eight bytes at a time.
    private static func firstToEscape(
        in text: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        let bytes = UnsafeRawBufferPointer(text)
        var index = start
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The bytes of a word that may have such a byte are checked one by one.
            let found =
                word.bytes(below: 0x20) | word.bytes(equalTo: UInt8(ascii: "\""))
                | word.bytes(equalTo: UInt8(ascii: "\\"))
            if found != 0 {
                for index in index..<(index &+ 8) where mustEscape(bytes[index]) { return index }
            }
            index &+= 8
        }
        while index < bytes.count {
            if mustEscape(bytes[index]) { return index }
            index &+= 1
        }
        return nil
    }

    @inline(__always)
    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            bytes.append(contentsOf: "u00".utf8)
            Hexadecimal.append(byte, to: &bytes)
        }
    }
}
