import Encodings

/// Writes XML 1.0 straight into bytes.
struct XMLWriter {
    private(set) var bytes = Array(#"<?xml version="1.0" encoding="utf-8"?>"#.utf8)

    init(reserving capacity: Int = 4096) {
        bytes.reserveCapacity(capacity)
    }

    /// An element that contains other elements.
    mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ content: (inout XMLWriter) throws -> Void
    ) rethrows {
        open(name, attributes)
        bytes.append(UInt8(ascii: ">"))
        try content(&self)
        close(name)
    }

    mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
        text: String
    ) {
        open(name, attributes)
        bytes.append(UInt8(ascii: ">"))
        escape(text)
        close(name)
    }

    mutating func emptyElement(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>
    ) {
        open(name, attributes)
        bytes.append(contentsOf: "/>".utf8)
    }

    private mutating func open(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>
    ) {
        bytes.append(UInt8(ascii: "<"))
        raw(name)
        for (name, value) in attributes {
            bytes.append(UInt8(ascii: " "))
            raw(name)
            bytes.append(contentsOf: "=\"".utf8)
            escape(value)
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private mutating func close(_ name: StaticString) {
        bytes.append(contentsOf: "</".utf8)
        raw(name)
        bytes.append(UInt8(ascii: ">"))
    }

    private mutating func raw(_ text: StaticString) {
        bytes.append(literal: text)
    }

    /// Escapes markup, and white space that a parser would change. Characters that XML 1.0 does not
    /// allow (section 2.2) can't be written in any way, and are left out.
    private mutating func escape(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": bytes.append(contentsOf: "&lt;".utf8)
            case ">": bytes.append(contentsOf: "&gt;".utf8)
            case "&": bytes.append(contentsOf: "&amp;".utf8)
            case "\"": bytes.append(contentsOf: "&quot;".utf8)
            case "\t", "\n", "\r": bytes.append(contentsOf: "&#\(scalar.value);".utf8)
            case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
            }
        }
    }
}
