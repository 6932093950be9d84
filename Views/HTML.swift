/// HTML that is safe to send: the literal HTML of templates, and values escaped for their place.
///
/// Only this module makes it, and only templates do: the build compiles each into a function here.
/// Which of the methods below a template calls for a value is decided by `view-compiler`.
package struct HTML: Sendable, Equatable {
    package private(set) var bytes: [UInt8] = []

    init(reserving capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// For what takes HTML as text, such as JSON about a page.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Literals and views

    /// What a template itself says.
    mutating func raw(_ literal: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Another view.
    mutating func text(_ view: HTML) { bytes.append(contentsOf: view.bytes) }

    // MARK: Text and attributes

    /// Between tags.
    mutating func text(_ value: String) { escapeMarkup(value) }

    mutating func text(_ value: Int) { decimal(value) }

    /// In an element that has text only, such as `<title>`: no view can be there.
    mutating func plainText(_ value: String) { escapeMarkup(value) }

    mutating func plainText(_ value: Int) { decimal(value) }

    /// Between double quotes.
    mutating func attribute(_ value: String) { escapeMarkup(value) }

    mutating func attribute(_ value: Int) { decimal(value) }

    // MARK: Addresses

    /// The beginning of an address in an attribute. One that leads anywhere but to a path of this
    /// site or by http is replaced by "#": a script's scheme must not get in.
    mutating func address(_ value: String) {
        escapeMarkup(AddressDestination(value) == .other ? "#" : value)
    }

    /// The address of something that runs in the page: a path of this site, or "#".
    mutating func ownAddress(_ value: String) {
        escapeMarkup(AddressDestination(value) == .path ? value : "#")
    }

    /// Where the page sends the browser by itself.
    mutating func redirectAddress(_ address: RedirectAddress) { escapeMarkup(address.text) }

    // MARK: JSON

    /// JSON in a data block. HTML knows no escapes there: the block would end at `</script`, and
    /// change its meaning at `<!--`. In JSON these bytes are in strings only, where an escape means
    /// the same.
    mutating func json(_ value: JSONText) {
        value.bytes.withUnsafeBufferPointer { json in
            escape(json, Self.markupInJSON) { byte, rest in
                switch byte {
                case UInt8(ascii: "<"): ("\\u003c", 1)
                case UInt8(ascii: ">"): ("\\u003e", 1)
                case UInt8(ascii: "&"): ("\\u0026", 1)
                // U+2028 and U+2029, which end lines in JavaScript, as UTF-8.
                default:
                    switch (rest.dropFirst().first, rest.dropFirst(2).first) {
                    case (0x80, 0xA8): ("\\u2028", 3)
                    case (0x80, 0xA9): ("\\u2029", 3)
                    default: nil
                    }
                }
            }
        }
    }

    // MARK: Bytes

    /// A set of bytes; one for each bit of two words, below 64 and from 192 on.
    private struct ByteSet {
        var low: UInt64 = 0
        var high: UInt64 = 0

        init(_ bytes: UInt8...) {
            for byte in bytes {
                if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 192) }
            }
        }

        @inline(__always)
        func contains(_ byte: UInt8) -> Bool {
            switch byte {
            case 0..<64: low &>> UInt64(byte) & 1 == 1
            case 192...: high &>> UInt64(byte &- 192) & 1 == 1
            default: false
            }
        }
    }

    private static let markup = ByteSet(
        UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""),
        UInt8(ascii: "'"))

    private static let markupInJSON = ByteSet(
        UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0xE2)

    /// Bytes are escaped, never Characters: to Swift `<` with a combining mark behind it is another
    /// Character, and to a browser it is markup.
    private mutating func escapeMarkup(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            escape(utf8, Self.markup) { byte, _ in
                switch byte {
                case UInt8(ascii: "<"): ("&lt;", 1)
                case UInt8(ascii: ">"): ("&gt;", 1)
                case UInt8(ascii: "&"): ("&amp;", 1)
                case UInt8(ascii: "\""): ("&quot;", 1)
                default: ("&#39;", 1)
                }
            }
        }
    }

    /// - Parameters:
    ///   - special: The bytes to look at.
    ///   - replacement: What is written for one of them, and for how many bytes from there on;
    ///     `nil` for the byte itself. Gets the byte, and all from it on.
    @inline(__always)
    private mutating func escape(
        _ source: UnsafeBufferPointer<UInt8>, _ special: ByteSet,
        _ replacement: (UInt8, Slice<UnsafeBufferPointer<UInt8>>) -> (StaticString, Int)?
    ) {
        var start = 0
        var index = 0
        while index < source.count {
            guard special.contains(source[index]),
                let (text, length) = replacement(source[index], source[index...])
            else {
                index += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[start..<index]))
            raw(text)
            index += length
            start = index
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[start...]))
    }

    private mutating func decimal(_ value: Int) {
        guard value < 0 || value > 9 else { return bytes.append(UInt8(ascii: "0") + UInt8(value)) }
        bytes.append(contentsOf: String(value).utf8)
    }
}
