/// What a template has between two tags of blocks, or between a tag and a statement: sentences, and the
/// white space and inline elements around them.
struct Run {
    fileprivate enum Item {
        case text(String)
        case value(name: String?, Code)
        case tag(name: String, isEnd: Bool, Code)
    }

    /// A sentence, or the code between sentences.
    enum Piece {
        case code(Code)
        case sentence(Sentence)
    }

    /// A sentence with the code of its parts, by their names.
    struct Sentence {
        let parts: [Message.Part]
        /// What to emit for English.
        let english: Code
        let values: [String: Code]
        /// The start tags of elements, and the elements without an end tag.
        let opening: [String: Code]
        let closing: [String: Code]

        /// The first value or element that another sentence has by the same name, and in another way.
        func firstDifference(from other: Sentence) -> String? {
            for (mine, others) in [(values, other.values), (opening, other.opening)] {
                for (name, code) in mine {
                    if let twin = others[name], twin.statements != code.statements { return name }
                }
            }
            return nil
        }
    }

    struct Fault: Error {
        let message: String
    }

    private var items: [Item] = []
    /// The line of the first letter.
    private(set) var line: Int?

    var isEmpty: Bool { items.isEmpty && bytes.isEmpty }

    mutating func text(_ byte: UInt8, line: Int) {
        if self.line == nil, isLetter(byte) { self.line = line }
        bytes.append(byte)
    }

    /// The bytes of the latest text.
    private var bytes: [UInt8] = []

    mutating func value(_ name: String?, _ code: Code) {
        endText()
        items.append(.value(name: name, code))
    }

    mutating func tag(_ name: String, isEnd: Bool, _ code: Code) {
        endText()
        items.append(.tag(name: name, isEnd: isEnd, code))
    }

    private mutating func endText() {
        guard !bytes.isEmpty else { return }
        items.append(.text(String(decoding: bytes, as: UTF8.self)))
        bytes = []
    }

    /// Whether there is nothing but white space.
    var isBlank: Bool {
        all.allSatisfy {
            if case .text(let text) = $0 { text.allSatisfy(\.isSpace) } else { false }
        }
    }

    /// Without the white space around it.
    var trimmed: Run {
        var items = all
        if case .text(let text) = items.first {
            items[0] = .text(String(text.drop(while: \.isSpace)))
        }
        if case .text(var text) = items.last {
            while text.last?.isSpace == true { text.removeLast() }
            items[items.count - 1] = .text(text)
        }
        var run = Run()
        run.items = items
        run.line = line
        return run
    }

    private var all: [Item] {
        bytes.isEmpty ? items : items + [.text(String(decoding: bytes, as: UTF8.self))]
    }

    // MARK: Sentences

    /// What the run consists of.
    ///
    /// - Throws: `Fault` if a sentence isn't whole.
    func pieces() throws(Fault) -> [Piece] {
        var pieces: [Piece] = []
        try Self.split(all[...], into: &pieces)
        return pieces
    }

    /// What the run consists of, if no one reads it as words.
    var code: Code {
        var code = Code()
        for item in all { code.append(item.code) }
        return code
    }

    /// All of the run as one sentence.
    func whole() throws(Fault) -> Sentence {
        let items = all
        var edges: [Character?] = []
        if case .text(let text) = items.first { edges.append(text.first) }
        if case .text(let text) = items.last { edges.append(text.last) }
        guard !edges.contains(where: { $0?.isSpace == true }) else {
            throw Fault(
                message: "White space is before or behind a {% plural %}, not in its sentences")
        }
        return try Self.sentence(items[...])
    }

    private static func split(
        _ items: ArraySlice<Item>, into pieces: inout [Piece]
    ) throws(Fault) {
        guard items.contains(where: \.hasLetters) else { return pieces.append(items) }
        var items = items
        // White space, elements without an end tag, and tags whose other half is elsewhere are beside the
        // sentence.
        let start = items.indices.first { !isBeside($0, in: items) } ?? items.endIndex
        let end = items.indices.last { !isBeside($0, in: items) }.map { $0 + 1 } ?? start
        pieces.append(items[..<start])
        let after = items[end...]
        items = items[start..<end]
        if case .text(let text) = items.first {
            let words = text.drop(while: \.isSpace)
            pieces.append([.text(String(text[..<words.startIndex]))])
            items[items.startIndex] = .text(String(words))
        }
        var trailing: Item?
        if case .text(let text) = items.last {
            let end =
                text.lastIndex { !$0.isSpace }.map { text.index(after: $0) } ?? text.startIndex
            trailing = .text(String(text[end...]))
            items[items.endIndex - 1] = .text(String(text[..<end]))
        }
        if hasOwnLetters(items) {
            pieces.append(.sentence(try sentence(items)))
        } else {
            try splitElements(items, into: &pieces)
        }
        if let trailing { pieces.append([trailing]) }
        pieces.append(after)
    }

    /// All letters are in inline elements: each of them has its own sentences.
    private static func splitElements(
        _ items: ArraySlice<Item>, into pieces: inout [Piece]
    ) throws(Fault) {
        var index = items.startIndex
        while index < items.endIndex {
            guard let end = end(ofElementAt: index, in: items) else {
                pieces.append(items[index...index])
                index += 1
                // What follows the tag of an element whose other half is elsewhere is a part of its own.
                if case .tag(let name, _, _) = items[index - 1], !InlineElements.isVoid(name) {
                    return try split(items[index...], into: &pieces)
                }
                continue
            }
            pieces.append(items[index...index])
            if case .tag("code", _, _) = items[index] {
                // Nothing that people say.
                pieces.append(items[(index + 1)..<end])
            } else {
                try split(items[(index + 1)..<end], into: &pieces)
            }
            pieces.append(items[end...end])
            index = end + 1
        }
    }

    private static func isBeside(_ index: Int, in items: ArraySlice<Item>) -> Bool {
        switch items[index] {
        case .text(let text): text.allSatisfy(\.isSpace)
        case .value: false
        case .tag(let name, let isEnd, _):
            InlineElements.isVoid(name)
                || (isEnd
                    ? start(ofElementAt: index, in: items) : end(ofElementAt: index, in: items))
                    == nil
        }
    }

    private static func hasOwnLetters(_ items: ArraySlice<Item>) -> Bool {
        var depth = 0
        for item in items {
            switch item {
            case .text: if depth == 0, item.hasLetters { return true }
            case .value: break
            case .tag(let name, let isEnd, _) where !InlineElements.isVoid(name):
                depth += isEnd ? -1 : 1
            case .tag: break
            }
        }
        return false
    }

    private static func end(ofElementAt start: Int, in items: ArraySlice<Item>) -> Int? {
        guard case .tag(let name, false, _) = items[start], !InlineElements.isVoid(name) else {
            return nil
        }
        var depth = 0
        return items.indices[start...].first { index in
            guard case .tag(let name, let isEnd, _) = items[index], !InlineElements.isVoid(name)
            else {
                return false
            }
            depth += isEnd ? -1 : 1
            return depth == 0
        }
    }

    private static func start(ofElementAt end: Int, in items: ArraySlice<Item>) -> Int? {
        items.indices[..<end].first { self.end(ofElementAt: $0, in: items) == end }
    }

    private static func sentence(_ items: ArraySlice<Item>) throws(Fault) -> Sentence {
        var parts: [Message.Part] = []
        var english = Code()
        var (values, opening, closing) = ([String: Code](), [String: Code](), [String: Code]())
        var counts: [String: Int] = [:]
        var open: [String] = []
        for item in items {
            english.append(item.code)
            switch item {
            case .text(let text):
                parts.append(.text(text.withSingleSpaces))
            case .value(let name, let code):
                guard let name else {
                    throw Fault(
                        message: "Give this value a name for translators: {{ name: value }}")
                }
                guard values.updateValue(code, forKey: name) == nil else {
                    throw Fault(
                        message:
                            "Two values of this sentence are called \(name): give one another name, "
                            + "such as {{ other: value }}")
                }
                parts.append(.value(name))
            case .tag(let name, false, let code):
                counts[name, default: 0] += 1
                let count = counts[name] ?? 1
                let unique = count == 1 ? name : "\(name)\(count)"
                opening[unique] = code
                if InlineElements.isVoid(name) {
                    parts.append(.void(unique))
                } else {
                    parts.append(.open(unique))
                    open.append(unique)
                }
            case .tag(let element, true, let code):
                guard let name = open.popLast() else {
                    throw Fault(message: "This sentence continues behind a branch")
                }
                guard
                    name.prefix(while: { !$0.isNumber }) == element.prefix(while: { !$0.isNumber })
                else { throw Fault(message: "</\(element)> ends <\(name)>") }
                closing[name] = code
                parts.append(.close(name))
            }
        }
        guard open.isEmpty else {
            throw Fault(message: "This sentence has an element that ends behind a branch")
        }
        parts = parts.trimmed
        guard !parts.isEmpty else { throw Fault(message: "This sentence has no words") }
        return Sentence(
            parts: parts, english: english, values: values, opening: opening,
            closing: closing)
    }
}

extension [Run.Piece] {
    fileprivate mutating func append(_ items: ArraySlice<Run.Item>) {
        for item in items { append(.code(item.code)) }
    }
}

extension Run.Item {
    fileprivate var code: Code {
        switch self {
        case .text(let text):
            var code = Code()
            code.raw(text.utf8)
            return code
        case .value(_, let code), .tag(_, _, let code): return code
        }
    }

    fileprivate var hasLetters: Bool {
        guard case .text(let text) = self else { return false }
        return text.replacing(/&#?[A-Za-z0-9]+;/, with: "").utf8.contains(where: isLetter)
    }
}

private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

extension Character {
    /// Not a no-break space, which is a word's own.
    fileprivate var isSpace: Bool { self == " " || self == "\n" || self == "\t" || self == "\r\n" }
}

extension String {
    /// The text with a single space for each run of white space.
    fileprivate var withSingleSpaces: String {
        var text = ""
        for character in self {
            if !character.isSpace {
                text.append(character)
            } else if text.last != " " {
                text.append(" ")
            }
        }
        return text
    }
}

extension [Message.Part] {
    /// Without white space at the ends.
    fileprivate var trimmed: [Message.Part] {
        var parts = self
        if case .text(let text) = parts.first { parts[0] = .text(String(text.drop { $0 == " " })) }
        if case .text(let text) = parts.last, text.last == " " {
            parts[parts.count - 1] = .text(String(text.dropLast()))
        }
        return parts.filter { $0 != .text("") }
    }
}
