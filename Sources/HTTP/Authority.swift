import Encodings

/// The syntax of `host [":" port]`, as in the Host field (RFC 9110 §7.2) and in targets.
///
/// This is stricter than RFC 3986 §3.2.2, whose registered names may hold escapes and
/// sub-delimiters. No name that DNS resolves holds these, and links are made from this value.
enum Authority {
    /// The longest name in DNS has 253 characters.
    private static let maximumHostBytes = 255

    static func isValid(_ bytes: Bytes, needsPort: Bool = false) -> Bool {
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            let close = UInt8(ascii: "]")
            guard let end = bytes.position(of: close, from: 1, before: bytes.count),
                isIPv6(bytes.part(1, end))
            else { return false }
            hostEnd = end + 1
        } else {
            var end = 0
            let allowed = ByteSet.unreserved
            while end < bytes.count, allowed.contains(bytes[end]) { end += 1 }
            hostEnd = end
        }
        guard hostEnd > 0, hostEnd <= maximumHostBytes else { return false }
        guard hostEnd < bytes.count else { return !needsPort }
        guard bytes[hostEnd] == .colon else { return false }
        return isPort(bytes.part(from: hostEnd + 1), mayBeEmpty: !needsPort)
    }

    /// Checks only the length, the characters and that there is a colon. Whether it is an address
    /// that can be reached doesn't matter here.
    private static func isIPv6(_ bytes: Bytes) -> Bool {
        guard bytes.count >= 2, bytes.count <= 45 else { return false }
        return bytes.contains(.colon) && bytes.allSatisfy(ByteSet.ipv6.contains)
    }

    /// RFC 3986 §3.2.3 allows a colon without a port after it.
    private static func isPort(_ bytes: Bytes, mayBeEmpty: Bool) -> Bool {
        guard bytes.count <= 5 else { return false }
        guard !bytes.isEmpty else { return mayBeEmpty }
        var port = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte.isASCIIDigit else { return false }
            port = port * 10 + Int(byte & 0x0F)
        }
        return port <= 65535
    }
}
