/// Words for people, such as a title or a notice, that are not yet written in a language.
///
/// The build makes a member of this type of each entry of a file of words, so that plain strings, which no
/// one translates, can't be where words are expected.
package struct Words: Sendable {
    fileprivate let write: @Sendable (inout PlainText) -> Void

    package init(_ write: @escaping @Sendable (inout PlainText) -> Void) { self.write = write }

    /// What someone has called something: people, games and sites have one name in all languages.
    package init(name: String) { write = { $0.text(name) } }

    /// The words, with an ellipsis instead of what follows a number of characters.
    package func cut(to limit: Int) -> Words {
        Words { text in
            let all = string(in: text.language)
            text.text(all.count > limit ? all.prefix(limit - 1) + "…" : all)
        }
    }

    /// Facts beside each other, with a dot between them.
    package static func facts(_ facts: [Words]) -> Words {
        Words { text in
            for (index, fact) in facts.enumerated() {
                if index > 0 { text.text(" · ") }
                text.text(fact)
            }
        }
    }

    /// Items with commas between them.
    package static func list(_ items: [Words]) -> Words {
        Words { text in
            for (index, item) in items.enumerated() {
                if index > 0 { text.text(text.language.separator(isLast: false)) }
                text.text(item)
            }
        }
    }

    package func string(in language: Language) -> String {
        var text = PlainText(language: language)
        write(&text)
        return text.string
    }
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
}
