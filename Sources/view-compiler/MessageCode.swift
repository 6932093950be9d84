/// The code of a message: a branch for each language with a translation, and English.
struct MessageCode {
    let message: Message
    /// One for each form of the message in English.
    let sentences: [Run.Sentence]
    /// The statement that sets `__n` to the count of a plural.
    let count: String?

    /// The number of the English form for a count.
    private static let english = "__n == 1 ? 0 : 1"

    /// - Throws: `TemplateError` if a translation can't be used.
    func code(_ catalogues: [Catalogue]) throws(TemplateError) -> Code {
        var branches = Code()
        var missing: [String] = []
        for catalogue in catalogues {
            guard let forms = try catalogue.translation(of: message) else {
                missing.append(catalogue.language)
                continue
            }
            branches.swift("case .\(catalogue.language):\n")
            branches.append(choice(forms.map(translated), by: catalogue.plural.swift))
        }
        let english = choice(sentences.map(\.english), by: Self.english)
        if message.place == .text, !missing.isEmpty {
            // Screen readers then pronounce it as what it is.
            branches.swift("case \(missing.map { ".\($0)" }.joined(separator: ", ")):\n")
            branches.raw("<span lang=\"en\">".utf8)
            branches.append(english)
            branches.raw("</span>".utf8)
        }
        branches.swift("#if DEBUG\ncase .accented, .mirrored:\n")
        branches.append(
            choice(
                message.forms.map { translated(PseudoLanguage.translation(of: $0)) },
                by: Self.english))
        branches.swift("#endif\ndefault:\n")
        branches.append(english)
        var code = Code()
        if let count { code.swift("do {\n\(count)") }
        code.swift("switch __html.language {\n")
        code.append(branches)
        code.swift(count == nil ? "}\n" : "}\n}\n")
        return code
    }

    /// The code of the form for a count.
    private func choice(_ forms: [Code], by number: String) -> Code {
        guard forms.count > 1 else { return forms[0] }
        var code = Code()
        code.swift("switch \(number) {\n")
        for (index, form) in forms.enumerated() {
            code.swift(index == forms.count - 1 ? "default:\n" : "case \(index):\n")
            if form.isEmpty { code.swift("break\n") }
            code.append(form)
        }
        code.swift("}\n")
        return code
    }

    /// A translation's words with the values and elements of the template.
    private func translated(_ parts: [Message.Part]) -> Code {
        let sentence = sentences[sentences.count - 1]
        var code = Code()
        for part in parts {
            switch part {
            case .text(let text):
                code.raw(text.utf8)
            case .value(let name): code.append(sentence.values[name] ?? Code())
            case .open(let name), .void(let name): code.append(sentence.opening[name] ?? Code())
            case .close(let name): code.append(sentence.closing[name] ?? Code())
            }
        }
        return code
    }
}

/// English with accents, brackets and more text: what has no brackets on a page can't be translated, and
/// what breaks the layout would break it in German, too.
enum PseudoLanguage {
    static func translation(of parts: [Message.Part]) -> [Message.Part] {
        let length = parts.reduce(0) { count, part in
            if case .text(let text) = part { count + text.count } else { count }
        }
        let padding = String(repeating: " ipsum", count: (length * 2 / 5 + 3) / 6)
        return [.text("[")]
            + parts.map { part in
                if case .text(let text) = part { .text(accented(text)) } else { part }
            } + [.text(accented(padding) + "]")]
    }

    /// Character references stay.
    private static func accented(_ text: String) -> String {
        var isReference = false
        return String(
            text.map { character in
                if character == "&" {
                    isReference = true
                } else if character == " " {
                    isReference = false
                }
                defer { if character == ";" { isReference = false } }
                return isReference ? character : accents[character] ?? character
            })
    }

    private static let accents: [Character: Character] = Dictionary(
        uniqueKeysWithValues: zip(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "áƀçďéƒĝĥîĵķľɱñóƥɋřšťúṽŵẋýžÁƁÇĎÉƑĜĤÎĴĶĽṀÑÓƤɊŘŠŤÚṼŴẊÝŽ"))
}
