/// A text of the operator's: headings, paragraphs, lists, quotes and links, in a small part of CommonMark.
///
/// Everything else is text, HTML too. The parser takes time in proportion to the length, and what it
/// makes is at most two levels deep.
public struct Markdown: Hashable, Sendable {
    public enum Block: Hashable, Sendable {
        /// - Parameter level: 2 to 4. Level 1 is the page's own heading.
        case heading(level: Int, [Phrase])
        case paragraph([Phrase])
        /// - Parameter start: The first item's number; `nil` for bullets.
        case list(start: Int?, [[Phrase]])
        /// Its blocks include no further quotes.
        case quote([Block])
        case divider
    }

    /// Text that leads to one place, or to nowhere.
    public struct Phrase: Hashable, Sendable {
        public let link: ExternalAddress?
        public internal(set) var words: [Words]
    }

    /// Text in one style.
    public struct Words: Hashable, Sendable {
        public internal(set) var text: String
        public var isStrong = false
        public var isEmphasised = false
        public var isCode = false
        /// Whether this is a line break, and has no text.
        public var breaksLine = false
    }

    /// The most bytes of a text.
    public static let limit = 65_536

    /// The heading that the text begins with, if it is of the first level.
    public let title: String?
    /// The text without that heading.
    public let blocks: [Block]

    public init(_ text: String) {
        var blocks = MarkdownParser.blocks(of: text)
        guard case .heading(level: 1, let phrases)? = blocks.first else {
            // The page then has a heading of its own, above those of the text.
            self.init(title: nil, blocks.map { $0.lowered(by: 1) })
            return
        }
        blocks.removeFirst()
        self.init(
            title: phrases.flatMap(\.words).map { $0.breaksLine ? " " : $0.text }.joined(),
            blocks.map { $0.lowered(by: 0) })
    }

    /// A text without any markup: paragraphs, whose lines break as they do in the text.
    public init(plain text: String) {
        let paragraphs = MarkdownParser.lines(of: text).split { $0.isBlank }
        self.init(
            title: nil,
            paragraphs.map { lines in
                let words = lines.map { [Words(text: String(decoding: $0, as: UTF8.self))] }
                let separator = [Words(text: "", breaksLine: true)]
                return .paragraph([
                    Phrase(link: nil, words: Array(words.joined(separator: separator)))
                ])
            })
    }

    private init(title: String?, _ blocks: [Block]) {
        self.title = title
        self.blocks = blocks
    }
}

extension Markdown.Block {
    fileprivate func lowered(by levels: Int) -> Markdown.Block {
        switch self {
        case .heading(let level, let phrases):
            .heading(level: min(max(level + levels, 2), 4), phrases)
        case .quote(let blocks): .quote(blocks.map { $0.lowered(by: levels) })
        case .paragraph, .list, .divider: self
        }
    }
}
