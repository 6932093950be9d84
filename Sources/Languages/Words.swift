/// Words for people, such as a title or a notice, that are not yet written in a language.
///
/// The build makes a member of this type from each entry of a file of words. A plain string, which no one
/// translates, can't be used instead.
package struct Words: Localized, Sendable {
    fileprivate let write: @Sendable (inout PlainText) -> Void
    private let isEnglish: Bool

    private init(
        isEnglish: Bool, _ write: @escaping @Sendable (inout PlainText) -> Void
    ) {
        self.write = write
        self.isEnglish = isEnglish
    }

    package init(_ write: @escaping @Sendable (inout PlainText) -> Void) {
        self.init(isEnglish: false, write)
    }

    /// A name that someone chose for themselves or their site: it is the same in all languages.
    package init(name: String) { self.init { $0.text(name) } }

    /// What each language writes in its own way, such as the title of a game.
    package init(_ value: some Localized & Sendable) { self.init { $0.text(value) } }

    /// Text for programs and their authors, which is English in all languages.
    package static func english(_ text: String) -> Words {
        Words(isEnglish: true) { $0.text(text) }
    }

    /// The words, or others in languages that these are not in because they are for programs.
    package func orElsewhere(_ others: Words) -> Words {
        isEnglish ? Words { text in text.text(text.language == .en ? self : others) } : self
    }

    /// Sentences after each other.
    package static func sentences(_ sentences: [Words]) -> Words {
        joined(sentences) { $0.rules.sentenceSpace }
    }

    /// The words, with an ellipsis instead of what follows a number of characters.
    package func cut(to limit: Int) -> Words {
        Words { text in
            let all = string(in: text.language)
            text.text(all.count > limit ? all.prefix(limit - 1) + "…" : all)
        }
    }

    /// Facts beside each other, with a dot between them.
    package static func facts(_ facts: [Words]) -> Words {
        joined(facts) { _ in " · " }
    }

    /// Items with commas between them.
    package static func list(_ items: [Words]) -> Words {
        joined(items) { $0.separator(isLast: false) }
    }

    private static func joined(
        _ all: [Words], by separator: @escaping @Sendable (Language) -> String
    ) -> Words {
        Words { text in
            for (index, words) in all.enumerated() {
                if index > 0 { text.text(separator(text.language)) }
                text.text(words)
            }
        }
    }

    package func string(in language: Language) -> String {
        var text = PlainText(language: language)
        write(&text)
        return text.string
    }
}

extension [String] {
    /// Names with commas between them.
    package var listed: Words {
        Words { $0.text(joined(separator: $0.language.separator(isLast: false))) }
    }
}

extension Array where Element: Localized & Sendable {
    /// The items with commas between them.
    package var listed: Words { .list(map { Words($0) }) }
}

extension Words: Equatable {
    package static func == (one: Words, other: Words) -> Bool {
        one.string(in: .en) == other.string(in: .en)
    }
}

/// Text that words are written to.
package struct PlainText {
    package let language: Language
    fileprivate var string = ""

    fileprivate init(language: Language) { self.language = language }

    package mutating func raw(_ words: StaticString) { string += words.description }
    package mutating func text(_ value: String) { string += value }
    package mutating func text(_ value: Int) { string += String(value) }
    package mutating func text(_ words: Words) { words.write(&self) }
    package mutating func text(_ value: some Localized) { string += value.string(in: language) }
}
