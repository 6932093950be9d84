/// How much of each language is translated and read, written as Swift source.
struct CatalogueList {
    let swift: String

    /// - Parameters:
    ///   - template: The PO template with all messages.
    ///   - catalogues: The texts and paths of the catalogues.
    /// - Throws: `TemplateError` at what isn't in the format.
    init(
        template: String, file: String, _ catalogues: [(source: String, file: String)]
    ) throws(TemplateError) {
        let all = try Catalogue.contents(of: template, file: file).messages
        var lines = ""
        for (source, file) in catalogues {
            let contents = try Catalogue.contents(of: source, file: file)
            guard let reviewed = contents.field("X-Reviewed").flatMap({ Int($0) }) else {
                throw TemplateError(
                    line: 1, column: 1,
                    message:
                        "The header has no X-Reviewed: the number of messages that a native speaker "
                        + "has read", file: file)
            }
            lines += """
                        CatalogueState(
                            .\(Catalogue.caseName(Catalogue.tag(of: file))), messages: \(all.count),
                            translated: \(contents.translated.intersection(all).count),
                            reviewed: \(reviewed)),

                """
        }
        swift = """
            // Made by view-compiler from the catalogues; edit those.

            import Languages

            extension CatalogueState {
                package static let all: [CatalogueState] = [
            \(lines)    ]
            }

            """
    }
}

extension Catalogue {
    /// A message's context and text.
    struct Key: Hashable {
        let context: String
        let id: String
    }

    /// What a catalogue contains.
    struct Contents {
        fileprivate let header: String
        fileprivate let messages: Set<Key>
        /// Those with a translation that isn't fuzzy.
        fileprivate let translated: Set<Key>

        /// A field of the header.
        fileprivate func field(_ name: String) -> Substring? {
            header.split(separator: "\n").first { $0.hasPrefix(name + ": ") }?
                .dropFirst(name.count + 2)
        }
    }

    static func contents(of source: String, file: String) throws(TemplateError) -> Contents {
        let entries = try entries(of: source, file: file, in: nil)
        func keys(_ entries: [Entry]) -> Set<Key> {
            Set(entries.map { Key(context: $0.context ?? "", id: $0.id ?? "") })
        }
        let messages = entries.filter { $0.id != "" }
        return Contents(
            header: entries.first { $0.id == "" }?.forms[0] ?? "", messages: keys(messages),
            translated: keys(
                messages.filter { !$0.isFuzzy && $0.forms.contains { !$0.value.isEmpty } }))
    }
}
