import Encodings

/// Percent-encoding of path segments and query values (RFC 3986 §2.1).
public enum PercentCoding {
    /// Decodes one segment of a path.
    ///
    /// Rejects a "%" without two hexadecimal digits, an escaped NUL or other control character, an
    /// escaped slash or backslash, and bytes that aren't UTF-8. Also rejects the segments "." and
    /// "..", escaped or not, because they refer to another place in the path.
    public static func decodeSegment(_ text: some StringProtocol) throws(RequestError) -> String {
        try decodeSegment(Array(text.utf8).span)
    }

    /// Encodes a name or value of a query. Everything but letters, digits and `- . _ ~` is escaped.
    /// The space becomes `%20`, which is correct in a form-encoded query as well as in any other.
    public static func encodeQueryValue(_ text: some StringProtocol) -> String {
        let text = String(text)
        let bytes = text.utf8Span.span
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            if ByteSet.unreserved.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(.percent)
                encoded.append(hexDigit(byte >> 4))
                encoded.append(hexDigit(byte & 0x0F))
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    static func decodeSegment(_ bytes: Bytes) throws(RequestError) -> String {
        guard bytes.position(of: .percent, from: 0, before: bytes.count) != nil else {
            try refuseDots(bytes)
            guard let text = bytes.text else { throw RequestError(.invalidUTF8) }
            return text
        }
        let decoded = try decode(bytes, plusIsSpace: false)
        for byte in decoded {
            switch byte {
            case 0: throw RequestError(.escapedNull)
            case .slash, .backslash: throw RequestError(.escapedSeparator)
            case 0x01...0x1F, 0x7F: throw RequestError(.escapedControlCharacter)
            default: continue
            }
        }
        try refuseDots(decoded.span)
        guard let text = decoded.span.text else { throw RequestError(.invalidUTF8) }
        return text
    }

    /// Decodes a name or value of a form (the URL standard's `application/x-www-form-urlencoded`).
    static func decodeFormText(_ bytes: Bytes) throws(RequestError) -> String {
        let decoded = try decode(bytes, plusIsSpace: true)
        guard !decoded.contains(0) else { throw RequestError(.escapedNull) }
        guard let text = decoded.span.text else { throw RequestError(.invalidUTF8) }
        return text
    }

    private static func refuseDots(_ bytes: Bytes) throws(RequestError) {
        guard bytes.count == 1 || bytes.count == 2, bytes[0] == .dot else { return }
        guard bytes.count == 2, bytes[1] != .dot else { throw RequestError(.dotSegment) }
    }

    private static func decode(_ bytes: Bytes, plusIsSpace: Bool) throws(RequestError) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .percent {
                guard index + 2 < bytes.count, let high = Hexadecimal.value(of: bytes[index + 1]),
                    let low = Hexadecimal.value(of: bytes[index + 2])
                else { throw RequestError(.malformedEscape) }
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(byte == .plus && plusIsSpace ? .space : byte)
                index += 1
            }
        }
        return decoded
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 0x30 : value + 0x37
    }
}
