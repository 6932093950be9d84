import Encodings
import FaveGames
import HTTP
import Languages

/// HTML that is safe to send: the literal HTML of templates, and values escaped for their place.
///
/// Only the templates of this module make HTML: the build compiles each into a function here.
/// `view-compiler` decides which of the methods below a template calls for a value.
package struct HTML: Sendable, Equatable {
    package private(set) var bytes: [UInt8] = []
    /// Which language the templates write.
    let language: Language

    init(reserving capacity: Int, in language: Language = .en) {
        self.language = language
        bytes.reserveCapacity(capacity)
    }

    package init(_ view: View, in language: Language) {
        // The capacity is an estimate, of values as well.
        self.init(reserving: view.capacity * 3 / 2, in: language)
        view.write(&self)
    }

    /// The HTML as a string, for uses such as JSON about a page.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Literals and views

    /// Appends HTML that the template itself contains.
    mutating func raw(_ literal: StaticString) {
        bytes.append(literal: literal)
    }

    mutating func append(_ html: HTML) { bytes.append(contentsOf: html.bytes) }

    /// Appends another view.
    mutating func text(_ view: View) { view.write(&self) }

    // MARK: Text and attributes

    /// Appends a value between tags.
    mutating func text(_ value: String) { escapeMarkup(value) }

    mutating func text(_ value: Int) { decimal(value) }

    mutating func text(_ value: some Localized) { escapeMarkup(value.string(in: language)) }

    /// Appends a value in an element that can contain only text, such as `<title>`. No view can be
    /// there.
    mutating func plainText(_ value: String) { escapeMarkup(value) }

    mutating func plainText(_ value: Int) { decimal(value) }

    mutating func plainText(_ value: some Localized) { escapeMarkup(value.string(in: language)) }

    /// Appends a value between double quotes.
    mutating func attribute(_ value: String) { escapeMarkup(value) }

    mutating func attribute(_ value: Int) { decimal(value) }

    mutating func attribute(_ value: some Localized) { escapeMarkup(value.string(in: language)) }

    // MARK: Addresses

    /// Appends the beginning of an address in an attribute. Anything but a path on this site or an
    /// http or https address is replaced by "#": a script's scheme must not get in.
    mutating func address(_ value: String) {
        address(value) { $0 != .other }
    }

    /// Appends the address of a page or of someone's mail.
    mutating func address(_ value: ExternalAddress) {
        switch value {
        case .web(let address): self.address(address)
        case .mail(let address):
            // RFC 6068 section 2.
            let localPart = PercentCoding.encodeQueryValue(address.localPart)
            escapeMarkup("mailto:\(localPart)@\(address.domain)")
        }
    }

    /// Appends the address of something that runs in the page. Anything but a path on this site is
    /// replaced by "#".
    mutating func ownAddress(_ value: String) {
        address(value) { $0 == .path }
    }

    @inline(__always)
    private mutating func address(
        _ value: String, if isAllowed: (AddressDestination) -> Bool
    ) {
        let utf8 = value.utf8Span.span
        if isAllowed(AddressDestination(utf8)) { escapeMarkup(utf8) } else { raw("#") }
    }

    /// Appends the address that the page redirects the browser to.
    mutating func redirectAddress(_ address: RedirectAddress) { escapeMarkup(address.text) }

    // MARK: JSON

    /// Appends JSON in a data block.
    ///
    /// HTML has no escapes there: `</script` would end the block, and `<!--` would change its
    /// meaning. These bytes occur only in the strings of JSON, where an escape of JSON means the
    /// same.
    mutating func json(_ value: JSONText) {
        let json = value.bytes.span
        escape(json, Self.markupInJSON) { index in
            switch json[index] {
            case UInt8(ascii: "<"): ("\\u003c", 1)
            case UInt8(ascii: ">"): ("\\u003e", 1)
            case UInt8(ascii: "&"): ("\\u0026", 1)
            // U+2028 and U+2029, which end lines in JavaScript, as UTF-8.
            default:
                if index + 2 < json.count, json[index + 1] == 0x80, json[index + 2] & ~1 == 0xA8 {
                    (json[index + 2] == 0xA8 ? "\\u2028" : "\\u2029", 3)
                } else {
                    nil
                }
            }
        }
    }

    // MARK: Bytes

    /// A set of bytes below 64 and from 192 on, with one bit for each byte in two words.
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

    /// Escapes bytes, never Characters: `<` with a combining mark after it is another Character to
    /// Swift, but markup to a browser.
    private mutating func escapeMarkup(_ value: String) {
        escapeMarkup(value.utf8Span.span)
    }

    private mutating func escapeMarkup(_ utf8: Span<UInt8>) {
        guard Self.containsMarkup(utf8) else { return bytes.append(copying: utf8) }
        escape(utf8, Self.markup) { index in
            switch utf8[index] {
            case UInt8(ascii: "<"): ("&lt;", 1)
            case UInt8(ascii: ">"): ("&gt;", 1)
            case UInt8(ascii: "&"): ("&amp;", 1)
            case UInt8(ascii: "\""): ("&quot;", 1)
            default: ("&#39;", 1)
            }
        }
    }

    /// Most values contain none.
    @inline(__always)
    private static func containsMarkup(_ utf8: Span<UInt8>) -> Bool {
        utf8.containsAny {
            $0.bytes(equalTo: UInt8(ascii: "\""))
                // "&" and "'" differ in one bit, and so do "<" and ">".
                | $0.setting(0x01).bytes(equalTo: UInt8(ascii: "'"))
                | $0.setting(0x02).bytes(equalTo: UInt8(ascii: ">"))
        }
    }

    /// - Parameters:
    ///   - special: The bytes to look at.
    ///   - replacement: Gets the place of a special byte. Returns the text to write and how many
    ///     bytes it replaces; `nil` to write the byte itself.
    @inline(__always)
    private mutating func escape(
        _ source: Span<UInt8>, _ special: ByteSet,
        _ replacement: (Int) -> (StaticString, Int)?
    ) {
        var start = 0
        var index = 0
        while index < source.count {
            guard special.contains(source[index]),
                let (text, length) = replacement(index)
            else {
                index += 1
                continue
            }
            bytes.append(copying: source.part(start, index))
            raw(text)
            index += length
            start = index
        }
        bytes.append(copying: source.part(from: start))
    }

    private mutating func decimal(_ value: Int) {
        guard value < 0 || value > 9 else { return bytes.append(UInt8(ascii: "0") + UInt8(value)) }
        bytes.append(decimal: value)
    }
}
