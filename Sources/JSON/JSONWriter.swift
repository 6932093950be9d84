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

    @inlinable
    public mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        begin(UInt8(ascii: "{"))
        try members(&self)
        end(UInt8(ascii: "}"))
    }

    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
        begin(UInt8(ascii: "["))
        try elements(&self)
        end(UInt8(ascii: "]"))
    }

    @inlinable
    public mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) throws -> Void
    ) rethrows {
        begin(UInt8(ascii: "["))
        for element in elements { try write(&self, element) }
        end(UInt8(ascii: "]"))
    }

    @usableFromInline
    mutating func begin(_ bracket: UInt8) {
        append(atMost: 1) { $0.append(bracket) }
        needsComma = false
    }

    @usableFromInline
    mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// Appends a value or a name, with a comma before it if it needs one. The array's capacity is checked
    /// once.
    @inline(__always)
    private mutating func append(
        atMost count: Int, _ write: (inout OutputSpan<UInt8>) -> Void
    ) {
        let needsComma = needsComma
        bytes.append(addingCapacity: count + 1) { text in
            if needsComma { text.append(UInt8(ascii: ",")) }
            write(&text)
        }
        self.needsComma = true
    }

    // MARK: Members

    public mutating func name(_ name: StaticString) {
        append(atMost: name.utf8CodeUnitCount + 3) { text in
            text.append(UInt8(ascii: "\""))
            text.append(literal: name)
            text.append(UInt8(ascii: "\""))
            text.append(UInt8(ascii: ":"))
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
        append(atMost: 4) { $0.append(literal: "null") }
    }

    public mutating func bool(_ value: Bool) {
        append(atMost: 5) { $0.append(literal: value ? "true" : "false") }
    }

    public mutating func int(_ value: Int) {
        append(atMost: 20) { $0.append(decimal: value) }
    }

    public mutating func string(_ value: String) {
        Self.append(value, afterComma: needsComma, to: &bytes)
        needsComma = true
    }

    /// Appends a text in quotes, escaping what RFC 8259 section 7 requires.
    static func append(_ text: String, afterComma: Bool = false, to bytes: inout [UInt8]) {
        let text = text.utf8Span.span
        var end = firstToEscape(in: text, from: 0) ?? text.count
        bytes.append(addingCapacity: text.count + 3) { written in
            if afterComma { written.append(UInt8(ascii: ",")) }
            written.append(UInt8(ascii: "\""))
            written.append(copying: text.part(0, end))
        }
        while end < text.count {
            appendEscaped(text[end], to: &bytes)
            let start = end + 1
            end = firstToEscape(in: text, from: start) ?? text.count
            bytes.append(copying: text.part(start, end))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Looks at eight bytes at a time.
    private static func firstToEscape(in text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index &+ 8 <= text.count {
            let word = text.word(at: index)
            // The bytes of a word that may have such a byte are checked one by one.
            let found =
                word.bytes(below: 0x20) | word.bytes(equalTo: UInt8(ascii: "\""))
                | word.bytes(equalTo: UInt8(ascii: "\\"))
            if found != 0 {
                for index in index..<(index &+ 8) where mustEscape(text[index]) { return index }
            }
            index &+= 8
        }
        while index < text.count {
            if mustEscape(text[index]) { return index }
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
