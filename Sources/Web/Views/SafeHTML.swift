import Mustache

/// Escapes text for HTML, scalar by scalar.
///
/// swift-mustache's own escaping looks at characters: a `<` or `"` with a combining mark behind it,
/// or a prepended one before it, is another character to it and passes as it is, while a browser
/// sees the markup. Every template names this type in its first line, which `ViewLibrary` checks.
struct SafeHTML: MustacheContentType {
    static let name = "SafeHTML"

    func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: Self.mustEscape) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): escaped.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): escaped.append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "&"): escaped.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "\""): escaped.append(contentsOf: "&quot;".utf8)
            case UInt8(ascii: "'"): escaped.append(contentsOf: "&#39;".utf8)
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: false
        }
    }
}
