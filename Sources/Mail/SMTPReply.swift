import Encodings
import FaveGames

/// A server's reply (RFC 5321 section 4.2): a code, and text for people.
struct SMTPReply: Equatable {
    let code: Int
    /// All lines as one, fit for a log and of bounded length.
    let text: String

    static let textLimit = 500

    /// - Parameter lines: Without their ends. Each begins with the code. A hyphen follows the code on
    ///   all lines but the last.
    /// - Returns: `nil` if they are no reply.
    init?(_ lines: [ArraySlice<UInt8>]) {
        guard let first = lines.first, let code = Self.code(first) else { return nil }
        for (number, line) in lines.enumerated() {
            let separator = line.dropFirst(3).first
            guard Self.code(line) == code,
                number == lines.count - 1
                    ? separator == nil || separator == UInt8(ascii: " ")
                    : separator == UInt8(ascii: "-")
            else { return nil }
        }
        self.code = code
        let texts = lines.map { String(decoding: $0.dropFirst(4), as: UTF8.self) }
        text = String(OneLine.clean(texts.joined(separator: " ")).prefix(Self.textLimit))
    }

    /// The enhanced status code at the beginning of the text, such as 5.1.1 (RFC 3463 section 2).
    var status: String? {
        let status = text.prefix { $0 != " " }
        let parts = status.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, ["2", "4", "5"].contains(parts[0]),
            parts.allSatisfy({ $0.consists(of: \.isASCIIDigit, bytes: 1...3) })
        else { return nil }
        return String(status)
    }

    private static func code(_ line: ArraySlice<UInt8>) -> Int? {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy(\.isASCIIDigit),
            let code = Int(String(decoding: digits, as: UTF8.self)), (200...599).contains(code)
        else { return nil }
        return code
    }
}
