/// Writes text in ASCII, on lines of bounded length (RFC 2045 section 6.7).
enum QuotedPrintable {
    /// The most characters on a line, without its end.
    static let lineLimit = 76

    /// Appends UTF-8 text in this encoding. Each line ends with CRLF, even if the text's last line
    /// has no line end.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        // `isNewline` is also true of characters such as U+2028, which is no line end in mail.
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: isLineEnd)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines {
            append(line: Array(line.utf8), to: &bytes)
            bytes += "\r\n".utf8
        }
    }

    private static func isLineEnd(_ character: Character) -> Bool {
        character == "\n" || character == "\r\n" || character == "\r"
    }

    private static func append(line: [UInt8], to bytes: inout [UInt8]) {
        var column = 0
        for (place, byte) in line.enumerated() {
            let isLast = place == line.count - 1
            let isLiteral = isLiteral(byte, isLast: isLast)
            // All but the last character leave room for the "=" of a soft line end.
            if column + (isLiteral ? 1 : 3) > (isLast ? lineLimit : lineLimit - 1) {
                bytes += "=\r\n".utf8
                column = 0
            }
            if isLiteral {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "="), digit(byte >> 4), digit(byte & 15)]
            }
            column += isLiteral ? 1 : 3
        }
    }

    private static func isLiteral(_ byte: UInt8, isLast: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "="): false
        case 0x21...0x7E: true
        // White space at the end of a line is lost on the way.
        case UInt8(ascii: " "), UInt8(ascii: "\t"): !isLast
        default: false
        }
    }

    /// In capital letters, as the RFC demands.
    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
