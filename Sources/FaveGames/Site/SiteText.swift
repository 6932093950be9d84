/// A text of the operator's: paragraphs, headings, lists and links, written as in an email.
///
/// Blank lines separate paragraphs, whose lines break where they do in the text. Lines that begin with
/// number signs are headings, and those that begin with a hyphen or an asterisk are items of a list.
/// Addresses are links. Everything else is shown as it is written, HTML too.
public struct SiteText: Hashable, Sendable {
    public enum Block: Hashable, Sendable {
        /// - Parameter level: 2 or 3. Level 1 is the page's own heading.
        case heading(level: Int, [Phrase])
        case paragraph([Phrase])
        case list([[Phrase]])
    }

    /// Text that leads to one place, or to nowhere.
    public struct Phrase: Hashable, Sendable {
        public internal(set) var text: String
        public var link: ExternalAddress?

        static let lineBreak = Phrase(text: "\n")
        public var breaksLine: Bool { self == .lineBreak }
    }

    /// The most bytes of a text.
    public static let limit = 65_536

    /// The heading that the text begins with, if it is of the first level.
    public let title: String?
    /// The text without that heading.
    public let blocks: [Block]

    public init(_ text: String) {
        var title: String?
        var blocks: [Block] = []
        var paragraph: [Phrase] = []
        var items: [[Phrase]] = []
        func endBlock() {
            if !paragraph.isEmpty { blocks.append(.paragraph(paragraph)) }
            if !items.isEmpty { blocks.append(.list(items)) }
            (paragraph, items) = ([], [])
        }
        for line in Self.lines(of: text) {
            let content = line.drop { $0 == " " }
            if content.isEmpty {
                if items.isEmpty { endBlock() }
            } else if let item = content.afterMark("-") ?? content.afterMark("*") {
                if items.isEmpty { endBlock() }
                items.append(Self.phrases(of: item))
            } else if !items.isEmpty, line.first == " " {
                // An indented line belongs to the item above it.
                items[items.count - 1] += [.lineBreak] + Self.phrases(of: content)
            } else if let (level, heading) = content.heading {
                endBlock()
                if level == 1, title == nil, blocks.isEmpty {
                    title = String(heading)
                } else {
                    blocks.append(
                        .heading(level: level < 3 ? 2 : 3, Self.phrases(of: heading)))
                }
            } else {
                if !items.isEmpty { endBlock() }
                if !paragraph.isEmpty { paragraph.append(.lineBreak) }
                paragraph += Self.phrases(of: content)
            }
        }
        endBlock()
        self.title = title
        self.blocks = blocks
    }

    /// The lines, without control characters, characters that turn the direction of the text around
    /// them, and a byte order mark.
    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            var scalars = Substring.UnicodeScalarView()
            for scalar in line.unicodeScalars where !OneLine.turnsDirection.contains(scalar) {
                if scalar == "\t" {
                    scalars.append(" ")
                } else if scalar.properties.generalCategory != .control, scalar != "\u{FEFF}" {
                    scalars.append(scalar)
                }
            }
            return Substring(scalars)
        }
    }

    /// The words of a line, with addresses as links. Marks around an address are not part of it.
    private static func phrases(of line: Substring) -> [Phrase] {
        var phrases: [Phrase] = []
        var text = ""
        for word in line.split(separator: " ") {
            if !text.isEmpty || !phrases.isEmpty { text += " " }
            let start = word.drop { "(<[\"'".contains($0) }
            let marks = start.reversed().prefix { ".,;:!?)>]\"'".contains($0) }.count
            let address = String(start.dropLast(marks))
            guard
                let link = ExternalAddress(address)
                    ?? (address.contains("@") ? ExternalAddress("mailto:" + address) : nil)
            else {
                text += word
                continue
            }
            text += word[..<start.startIndex]
            if !text.isEmpty { phrases.append(Phrase(text: text)) }
            phrases.append(Phrase(text: address, link: link))
            text = String(start.suffix(marks))
        }
        if !text.isEmpty { phrases.append(Phrase(text: text)) }
        return phrases
    }
}

extension Substring {
    /// What follows a mark and a space at the beginning of a line.
    fileprivate func afterMark(_ mark: Character) -> Substring? {
        guard first == mark, dropFirst().first == " " else { return nil }
        let rest = dropFirst().drop { $0 == " " }
        return rest.isEmpty ? nil : rest
    }

    /// One to six number signs, and the text after them.
    fileprivate var heading: (level: Int, text: Substring)? {
        let level = prefix { $0 == "#" }.count
        guard (1...6).contains(level) else { return nil }
        return dropFirst(level - 1).afterMark("#").map { (level, $0) }
    }
}
