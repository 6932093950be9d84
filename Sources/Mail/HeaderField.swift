import Foundation

/// A line of a message's header, cut where it may be folded (RFC 5322 section 2.2.3).
struct HeaderField {
    let name: String
    /// The words are joined by spaces. The line may be folded at each space.
    let words: [String]

    /// A line should have no more characters (RFC 5322 section 2.1.1), and must not if it has an
    /// encoded word (RFC 2047 section 2).
    static let lineLimit = 76

    init(_ name: String, _ words: [String]) {
        self.name = name
        self.words = words
    }

    /// The field with its line ends.
    var folded: String {
        var text = "\(name):"
        var column = text.utf8.count
        for (number, word) in words.enumerated() {
            // The first word stays beside the name: a line of only white space is not allowed.
            if number > 0, column + 1 + word.utf8.count > Self.lineLimit {
                text += "\r\n"
                column = 0
            }
            text += " \(word)"
            column += 1 + word.utf8.count
        }
        return text + "\r\n"
    }

    // MARK: Text

    /// Writes free text, such as a subject: as it is if it is ASCII, or in encoded words.
    ///
    /// - Parameter text: On one line, with single spaces.
    static func words(_ text: String) -> [String] {
        let words = text.split(separator: " ").map { String($0) }
        return isPlain(text) && words.allSatisfy { $0.utf8.count < lineLimit / 2 }
            ? words : encodedWords(text)
    }

    /// Writes a name before an address: in quotation marks if it is ASCII, or in encoded words,
    /// which are not allowed within quotation marks.
    static func phrase(_ text: String) -> [String] {
        guard isPlain(text) else { return encodedWords(text) }
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return ["\"\(escaped)\""]
    }

    /// Whether text can be written as it is: it is printable ASCII, and nothing in it looks like an
    /// encoded word.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
    }

    /// The most bytes in an encoded word: 52 characters in base64. With 12 around them it fits on a
    /// line beside the name of its field.
    private static let encodedLimit = 39

    /// Writes text in encoded words (RFC 2047), each of whole characters. Readers drop the spaces
    /// between them.
    private static func encodedWords(_ text: String) -> [String] {
        var words: [String] = []
        var part = Data()
        func endWord() { words.append("=?utf-8?B?\(part.base64EncodedString())?=") }
        for scalar in text.unicodeScalars {
            let bytes = String(scalar).utf8
            if part.count + bytes.count > encodedLimit {
                endWord()
                part = Data()
            }
            part += bytes
        }
        if !part.isEmpty { endWord() }
        return words
    }
}
