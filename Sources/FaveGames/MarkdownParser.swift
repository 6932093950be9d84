import Encodings

/// Finds the blocks of a Markdown text. `MarkdownText` finds what is in their lines.
enum MarkdownParser {
    typealias Line = ArraySlice<UInt8>

    static func blocks(of text: String) -> [Markdown.Block] {
        blocks(of: lines(of: text)[...], mayQuote: true)
    }

    /// The lines, without control characters and without characters that turn the direction of the text
    /// around them. Lines end with LF, CR LF or CR. A byte order mark before them is no text.
    static func lines(of text: String) -> [Line] {
        var bytes: [UInt8] = []
        var isAfterReturn = false
        let scalars = text.unicodeScalars
        let rest = scalars.first == "\u{FEFF}" ? scalars.dropFirst() : scalars[...]
        for scalar in rest where !OneLine.turnsDirection.contains(scalar) {
            switch scalar {
            case "\n" where isAfterReturn: break
            case "\n", "\r": bytes.append(UInt8(ascii: "\n"))
            case "\t": bytes += "    ".utf8
            case _ where scalar.properties.generalCategory == .control: break
            default: bytes += scalar.utf8
            }
            isAfterReturn = scalar == "\r"
        }
        return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    private static func blocks(
        of lines: ArraySlice<Line>, mayQuote: Bool
    ) -> [Markdown.Block] {
        var blocks: [Markdown.Block] = []
        var rest = lines
        while let line = rest.first {
            if line.isBlank {
                rest.removeFirst()
            } else if let (level, text) = line.heading {
                rest.removeFirst()
                blocks.append(.heading(level: level, MarkdownText.phrases(of: text)))
            } else if line.isDivider {
                rest.removeFirst()
                blocks.append(.divider)
            } else if mayQuote, line.quoted != nil {
                let quoted = rest.prefix { $0.quoted != nil }
                rest = rest[quoted.endIndex...]
                blocks.append(
                    .quote(Self.blocks(of: quoted.compactMap(\.quoted)[...], mayQuote: false)))
            } else if let marker = line.marker {
                blocks.append(list(beginning: marker, &rest, mayQuote: mayQuote))
            } else {
                var text: [UInt8] = []
                repeat {
                    text.append(line: rest.removeFirst())
                } while rest.first?.continuesText(mayQuote: mayQuote) == true
                blocks.append(.paragraph(MarkdownText.phrases(of: text[...])))
            }
        }
        return blocks
    }

    /// Takes the items of a list. Lists in a list become items of the same list.
    private static func list(
        beginning first: Marker, _ rest: inout ArraySlice<Line>, mayQuote: Bool
    ) -> Markdown.Block {
        var items: [[UInt8]] = []
        while let line = rest.first {
            if let marker = line.marker, (marker.number == nil) == (first.number == nil) {
                items.append(Array(marker.text))
                rest.removeFirst()
            } else if line.isBlank {
                // A blank line ends the list unless an item, or more of this one, follows.
                let next = rest.drop(while: \.isBlank)
                guard let line = next.first else { break }
                let isItem = line.marker.map { ($0.number == nil) == (first.number == nil) } == true
                guard isItem || line.indentation >= 2 && line.continuesText(mayQuote: mayQuote)
                else { break }
                rest = next
                if !isItem { items[items.count - 1] += "\\\n".utf8 }
            } else if line.marker == nil, line.continuesText(mayQuote: mayQuote) {
                // A line with a mark of the other kind begins another list.
                items[items.count - 1].append(line: line)
                rest.removeFirst()
            } else {
                break
            }
        }
        return .list(start: first.number, items.map { MarkdownText.phrases(of: $0[...]) })
    }

    fileprivate struct Marker {
        /// `nil` for a bullet.
        let number: Int?
        let text: Line
    }
}

extension [UInt8] {
    /// Adds a line to the text of a block, without its indentation.
    fileprivate mutating func append(line: MarkdownParser.Line) {
        if let last, last != UInt8(ascii: "\n") { append(UInt8(ascii: "\n")) }
        append(contentsOf: line.dropFirst(line.indentation))
    }
}

extension ArraySlice<UInt8> {
    var isBlank: Bool { allSatisfy { $0 == UInt8(ascii: " ") } }

    fileprivate var indentation: Int { prefix { $0 == UInt8(ascii: " ") }.count }

    private var content: ArraySlice<UInt8> { dropFirst(indentation) }

    /// Whether a line after text belongs to it, and begins nothing of its own. A number other than one
    /// does not begin a list there: sentences wrap anywhere.
    fileprivate func continuesText(mayQuote: Bool) -> Bool {
        !isBlank && heading == nil && !isDivider && (!mayQuote || quoted == nil)
            && marker.map { $0.number.map { $0 != 1 } ?? false } ?? true
    }

    /// One to six number signs, and the text after them.
    fileprivate var heading: (level: Int, text: ArraySlice<UInt8>)? {
        let sign = UInt8(ascii: "#")
        let level = content.prefix { $0 == sign }.count
        let text = content.dropFirst(level)
        guard (1...6).contains(level), text.isEmpty || text.first == UInt8(ascii: " ") else {
            return nil
        }
        let end = text.trimmed.reversed().drop { $0 == sign }
        // Number signs at the end belong to the heading only if no space is before them.
        let isClosed = end.isEmpty || end.first == UInt8(ascii: " ")
        let heading = isClosed ? Array(end.reversed())[...].trimmed : text.trimmed
        return heading.isEmpty ? nil : (level, heading)
    }

    /// Three or more of the same character, perhaps with spaces between them.
    fileprivate var isDivider: Bool {
        let marks = filter { $0 != UInt8(ascii: " ") }
        return marks.count > 2 && "-*_".utf8.contains(marks[0])
            && marks.allSatisfy { $0 == marks[0] }
    }

    /// The line without its mark, if it is part of a quote.
    fileprivate var quoted: MarkdownParser.Line? {
        guard content.first == UInt8(ascii: ">") else { return nil }
        let text = content.dropFirst()
        return text.first == UInt8(ascii: " ") ? text.dropFirst() : text
    }

    /// A bullet, or a number with a full stop or a bracket, that begins an item of a list.
    fileprivate var marker: MarkdownParser.Marker? {
        let digits = content.prefix(while: \.isASCIIDigit)
        let marks = digits.isEmpty ? "-*+" : ".)"
        let rest = content.dropFirst(digits.count)
        guard digits.count <= 6, let mark = rest.first, marks.utf8.contains(mark),
            !isDivider, rest.count > 1, rest[rest.startIndex + 1] == UInt8(ascii: " ")
        else { return nil }
        return .init(
            number: digits.isEmpty ? nil : Int(String(decoding: digits, as: UTF8.self)),
            text: rest.dropFirst(2).trimmedStart)
    }

    private var trimmedStart: ArraySlice<UInt8> { drop { $0 == UInt8(ascii: " ") } }

    private var trimmed: ArraySlice<UInt8> {
        let text = trimmedStart
        return text.dropLast(text.reversed().prefix { $0 == UInt8(ascii: " ") }.count)
    }
}
