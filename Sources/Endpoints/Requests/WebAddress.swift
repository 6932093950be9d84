import Encodings

/// An address of another site that browsers may be sent to: of https, or of http on the browser's own
/// machine. It has no fragment, no user and no password, and its origin is as browsers write it. So a
/// browser reads it as we do.
package struct WebAddress: Hashable, Sendable {
    /// The most bytes.
    package static let limit = 300

    package let text: String
    package let origin: WebOrigin
    /// The path and the query, if any.
    private let rest: Substring

    /// - Returns: `nil` if the text is no such address.
    package init?(_ text: String) {
        guard text.consists(of: Self.isAllowed, bytes: 1...Self.limit),
            let start = text.firstRange(of: "://")?.upperBound
        else { return nil }
        let end = text[start...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        guard let origin = WebOrigin(String(text[..<end])), origin.description == text[..<end],
            origin.isSecure || origin.isLoopback
        else { return nil }
        self.text = text
        self.origin = origin
        rest = text[end...]
    }

    /// Whether a program on the browser's machine may be sent here, if this address is registered:
    /// such a program can't choose its port (RFC 8252 section 7.3). All others need the very address.
    package func allows(_ other: WebAddress) -> Bool {
        if text == other.text { return true }
        return !origin.isSecure && !other.origin.isSecure && origin.host == other.origin.host
            && origin.host != "localhost" && rest == other.rest
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIIVisible && !#"#"<>\^`{|}"#.utf8.contains(byte)
    }
}
