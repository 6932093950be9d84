import Encodings

/// Finds emphasis, code, links and line breaks in the text of one block.
///
/// It reads the text once: whatever looks like markup and isn't closed is text, and nothing is looked
/// for again that was not found before.
struct MarkdownText {
    private struct Token {
        enum Kind {
            case text, code, lineBreak
            case delimiter(canOpen: Bool, canClose: Bool)
        }

        let kind: Kind
        var bytes: [UInt8]
        /// The number of the link that it is part of.
        let link: Int?
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var text: [UInt8] = []
    private var tokens: [Token] = []
    private var links: [ExternalAddress] = []
    private var link: Int?

    /// - Parameter bytes: Lines that end with `\n`, without control characters.
    static func phrases(of bytes: ArraySlice<UInt8>) -> [Markdown.Phrase] {
        var text = MarkdownText(bytes)
        text.read(until: bytes.endIndex)
        return text.phrases()
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    // MARK: Tokens

    private mutating func read(until end: Int) {
        while position < end {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\\"): escape(before: end)
            case UInt8(ascii: "\n"): endLine()
            case UInt8(ascii: "`"): code(before: end)
            case UInt8(ascii: "*"), UInt8(ascii: "_"): delimiter(byte, before: end)
            case UInt8(ascii: "[") where link == nil: named(before: end)
            case UInt8(ascii: "<") where link == nil: bare(before: end)
            default: take()
            }
        }
        flush()
    }

    /// Takes a byte as text.
    private mutating func take() {
        text.append(bytes[position])
        position += 1
    }

    private mutating func flush() {
        guard !text.isEmpty else { return }
        tokens.append(Token(kind: .text, bytes: text, link: link))
        text = []
    }

    private mutating func append(_ kind: Token.Kind, _ bytes: some Sequence<UInt8>) {
        flush()
        tokens.append(Token(kind: kind, bytes: Array(bytes), link: link))
    }

    /// A punctuation mark after a backslash is text, and a line ends there.
    private mutating func escape(before end: Int) {
        guard position + 1 < end else { return take() }
        let next = bytes[position + 1]
        if next == UInt8(ascii: "\n") {
            append(.lineBreak, [])
            position += 2
        } else {
            if next.isPunctuation { position += 1 }
            take()
        }
    }

    /// Two spaces before the end of a line break it there.
    private mutating func endLine() {
        let spaces = text.reversed().prefix { $0 == UInt8(ascii: " ") }.count
        text.removeLast(spaces)
        if spaces > 1 { append(.lineBreak, []) } else { text.append(UInt8(ascii: " ")) }
        position += 1
    }

    private mutating func code(before end: Int) {
        let mark = UInt8(ascii: "`")
        func run(at start: Int) -> Int { bytes[start..<end].prefix { $0 == mark }.count }
        let length = run(at: position)
        var close = position + length
        // For each length, only the last run is looked for in vain; so there are only three lengths.
        while length <= 3, close < end {
            if bytes[close] != mark {
                close += 1
                continue
            }
            let other = run(at: close)
            if other == length {
                append(.code, bytes[position + length..<close])
                position = close + length
                return
            }
            close += other
        }
        for _ in 0..<length { take() }
    }

    /// One mark is emphasis, and two are strong. Three are both, one within the other.
    private mutating func delimiter(_ mark: UInt8, before end: Int) {
        let run = bytes[position..<end].prefix { $0 == mark }
        guard run.count <= 3 else {
            for _ in run { take() }
            return
        }
        let before = position > bytes.startIndex ? bytes[position - 1] : UInt8(ascii: " ")
        let after = run.endIndex < bytes.endIndex ? bytes[run.endIndex] : UInt8(ascii: " ")
        // In the middle of a word, an underscore is part of a name.
        let isInWord = mark == UInt8(ascii: "_") && before.isInWord && after.isInWord
        let kind = Token.Kind.delimiter(
            canOpen: !after.isSpace && !isInWord, canClose: !before.isSpace && !isInWord)
        if run.count > 1 { append(kind, [mark, mark]) }
        if run.count != 2 { append(kind, [mark]) }
        position = run.endIndex
    }

    /// A link with a text: `[text](address)`. Its text has no brackets.
    private mutating func named(before end: Int) {
        let label = bytes[position + 1..<end].prefix {
            $0 != UInt8(ascii: "]") && $0 != UInt8(ascii: "[")
        }
        let open = label.endIndex + 1
        guard !label.isEmpty, open < end, bytes[label.endIndex] == UInt8(ascii: "]"),
            bytes[open] == UInt8(ascii: "(")
        else { return take() }
        // Brackets within the address come in pairs.
        var depth = 1
        let address = bytes[open + 1..<end].prefix { byte in
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            return depth > 0 && !byte.isSpace && byte != UInt8(ascii: "[")
        }
        guard depth == 0,
            let target = ExternalAddress(String(decoding: address, as: UTF8.self))
        else { return take() }
        flush()
        position = label.startIndex
        link = links.count
        links.append(target)
        read(until: label.endIndex)
        link = nil
        position = address.endIndex + 1
    }

    /// An address as its own text: `<https://…>` or `<jane@example.com>`.
    private mutating func bare(before end: Int) {
        let address = bytes[position + 1..<end].prefix {
            $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") && !$0.isSpace
        }
        let text = String(decoding: address, as: UTF8.self)
        guard address.endIndex < end, bytes[address.endIndex] == UInt8(ascii: ">"),
            let target = ExternalAddress(text) ?? MailAddress(text).map(ExternalAddress.mail)
        else { return take() }
        flush()
        link = links.count
        links.append(target)
        append(.text, address)
        link = nil
        position = address.endIndex + 1
    }

    // MARK: Styles

    private struct Style {
        var strong = 0
        var emphasis = 0

        mutating func add(_ number: Int, for delimiter: [UInt8]) {
            if delimiter.count == 2 { strong += number } else { emphasis += number }
        }
    }

    /// Pairs the delimiters, and joins what has the same style and the same link.
    private mutating func phrases() -> [Markdown.Phrase] {
        var changes = [Style](repeating: Style(), count: tokens.count)
        var opened: [[UInt8]: Int] = [:]
        for index in tokens.indices {
            let mark = tokens[index].bytes
            guard case .delimiter(let canOpen, let canClose) = tokens[index].kind else { continue }
            if canClose, let start = opened.removeValue(forKey: mark) {
                changes[start].add(1, for: mark)
                changes[index].add(-1, for: mark)
                tokens[start].bytes = []
                tokens[index].bytes = []
            } else if canOpen {
                // An earlier one is text then.
                opened[mark] = index
            }
        }
        var phrases: [Markdown.Phrase] = []
        var previous: Int??
        var style = Style()
        for (token, change) in zip(tokens, changes) {
            style.strong += change.strong
            style.emphasis += change.emphasis
            var words = Markdown.Words(text: String(decoding: token.bytes, as: UTF8.self))
            words.isStrong = style.strong > 0
            words.isEmphasised = style.emphasis > 0
            if case .code = token.kind { words.isCode = true }
            if case .lineBreak = token.kind { words.breaksLine = true }
            guard !words.text.isEmpty || words.breaksLine else { continue }
            if previous != .some(token.link) {
                phrases.append(.init(link: token.link.map { links[$0] }, words: []))
                previous = .some(token.link)
            }
            phrases[phrases.count - 1].append(words)
        }
        return phrases
    }
}

extension Markdown.Phrase {
    fileprivate mutating func append(_ next: Markdown.Words) {
        var last = words.last
        last?.text = next.text
        guard last == next, !next.breaksLine else { return words.append(next) }
        words[words.count - 1].text += next.text
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x0A }

    fileprivate var isInWord: Bool { isASCIILetter || isASCIIDigit || self >= 0x80 }

    /// A visible character of ASCII that is neither a letter nor a digit.
    fileprivate var isPunctuation: Bool { isASCIIVisible && !isASCIILetter && !isASCIIDigit }
}
