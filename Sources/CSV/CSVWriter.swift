/// Writes CSV as RFC 4180 describes it, in UTF-8 with commas. It begins with a byte order mark, without
/// which Excel would not take it for UTF-8.
///
/// A spreadsheet takes a field for a formula that begins with =, +, -, @, a tab or a carriage return,
/// and may then read files or send data elsewhere. Such a field gets an apostrophe before it, and one
/// that has apostrophes there already gets one more. `restored(_:)` takes it away again, so that
/// nothing is lost.
public struct CSVWriter: Sendable {
    public private(set) var bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    public init() {}

    public mutating func record(_ fields: [String]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(Self.neutralised(field))
        }
        bytes += [.carriageReturn, .lineFeed]
    }

    private mutating func write(_ field: String) {
        let mustQuote = field.utf8.contains {
            $0 == .quote || $0 == UInt8(ascii: ",") || $0 == .lineFeed || $0 == .carriageReturn
        }
        guard mustQuote else {
            bytes += field.utf8
            return
        }
        bytes.append(.quote)
        for byte in field.utf8 {
            if byte == .quote { bytes.append(.quote) }
            bytes.append(byte)
        }
        bytes.append(.quote)
    }

    /// A text as a field that no spreadsheet takes for a formula.
    public static func neutralised(_ text: String) -> String {
        isFormula(text.utf8.drop { $0 == apostrophe }) ? "'" + text : text
    }

    /// The text that `neutralised(_:)` was given.
    public static func restored(_ field: String) -> String {
        let rest = field.utf8.drop { $0 == apostrophe }
        guard rest.startIndex != field.startIndex, isFormula(rest) else { return field }
        return String(field.unicodeScalars.dropFirst())
    }

    private static let apostrophe = UInt8(ascii: "'")

    private static func isFormula(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first else { return false }
        return "=+-@\t\r".utf8.contains(first)
    }
}
