/// Splits a template into literal HTML and tags.
///
/// A tag ends at the first `}}` or `%}` outside strings and brackets. The scanner rejects
/// everything that could make Swift read several tags as one, or one tag as several statements:
/// comments, multi-line strings, directives and semicolons.
struct TemplateScanner {
    struct Token {
        enum Kind { case literal, value, statement }

        let kind: Kind
        /// For a tag, what is between its delimiters.
        let text: String
        /// Where the text begins.
        let line: Int
        let column: Int
    }

    private let source: [UInt8]

    init(_ source: String) {
        self.source = Array(source.utf8)
    }

    /// - Throws: `TemplateError` at a tag that has no end, or whose brackets don't match.
    func tokens() throws(TemplateError) -> [Token] {
        var tokens: [Token] = []
        var position = 0
        while let open = nextTag(from: position) {
            let kind: Token.Kind = source[open + 1] == UInt8(ascii: "{") ? .value : .statement
            let close = try end(ofTagAt: open, kind)
            var literalEnd = open
            var next = close + 2
            if kind == .statement, let line = blankLine(around: open..<next) {
                (literalEnd, next) = (line.lowerBound, line.upperBound)
            }
            if position < literalEnd { tokens.append(token(.literal, position..<literalEnd)) }
            tokens.append(token(kind, open + 2..<close))
            position = next
        }
        // The end of the last line belongs to the file, not to the page.
        var end = source.count
        if end > position, source[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if position < end { tokens.append(token(.literal, position..<end)) }
        return tokens
    }

    private func nextTag(from position: Int) -> Int? {
        source.indices.dropFirst(position).dropLast().first { index in
            source[index] == UInt8(ascii: "{")
                && (source[index + 1] == UInt8(ascii: "{")
                    || source[index + 1] == UInt8(ascii: "%"))
        }
    }

    /// Where the closing delimiter of a tag begins.
    private func end(ofTagAt open: Int, _ kind: Token.Kind) throws(TemplateError) -> Int {
        let first = kind == .value ? UInt8(ascii: "}") : UInt8(ascii: "%")
        var depth = 0
        var isInString = false
        var index = open + 2
        while index + 1 < source.count {
            let byte = source[index]
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                // A single-line string ends with its line.
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") { isInString = false }
            } else if depth == 0, byte == first, source[index + 1] == UInt8(ascii: "}") {
                return index
            } else {
                if let found = Self.refused.first(where: { starts(with: $0, at: index) }) {
                    throw error("A tag can't contain \(found)", at: index)
                }
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "{"):
                    if nextTag(from: index) == index {
                        throw error("This tag isn't closed", at: open)
                    }
                    depth += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                    guard depth > 0 else {
                        throw error("This bracket has no opening one", at: index)
                    }
                    depth -= 1
                default: break
                }
            }
            index += 1
        }
        throw error("This tag isn't closed", at: open)
    }

    /// Text that a tag can't contain. `__html` is the function's variable for the page that it
    /// writes.
    private static let refused: [String] = ["/*", "*/", "//", "\"\"\"", "#", ";", "__html"]

    private func starts(with text: String, at index: Int) -> Bool {
        source[index...].starts(with: text.utf8)
    }

    /// The whole line of a tag that is alone on its line, with the line end; `nil` for other tags.
    /// A statement that is alone on its line leaves nothing in the page.
    private func blankLine(around tag: Range<Int>) -> Range<Int>? {
        var start = tag.lowerBound
        while start > 0, source[start - 1] != UInt8(ascii: "\n") {
            guard isBlank(source[start - 1]) else { return nil }
            start -= 1
        }
        var end = tag.upperBound
        while end < source.count, source[end] != UInt8(ascii: "\n") {
            guard isBlank(source[end]) else { return nil }
            end += 1
        }
        return start..<min(end + 1, source.count)
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private func token(_ kind: Token.Kind, _ range: Range<Int>) -> Token {
        let place = place(of: range.lowerBound)
        return Token(
            kind: kind, text: String(decoding: source[range], as: UTF8.self), line: place.line,
            column: place.column)
    }

    private func error(_ message: String, at index: Int) -> TemplateError {
        let place = place(of: index)
        return TemplateError(line: place.line, column: place.column, message: message)
    }

    private func place(of index: Int) -> (line: Int, column: Int) {
        let before = source[..<index]
        let lineEnd = before.lastIndex(of: UInt8(ascii: "\n"))
        return (
            before.count { $0 == UInt8(ascii: "\n") } + 1, index - (lineEnd.map { $0 + 1 } ?? 0) + 1
        )
    }
}
