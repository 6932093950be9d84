import Languages

/// How much of the site's words is translated into a language.
package struct CatalogueState: Sendable {
    package let language: Language
    /// The number of all messages.
    package let messages: Int
    package let translated: Int
    /// How many a native speaker has read.
    package let reviewed: Int

    init(_ language: Language, messages: Int, translated: Int, reviewed: Int) {
        self.language = language
        self.messages = messages
        self.translated = translated
        self.reviewed = reviewed
    }

    /// Whether pages are in the language but for single sentences: a new sentence is in English until
    /// someone has translated it, and must not take the language from its readers.
    var isUsable: Bool { isMost(translated) }

    /// Whether a native speaker has read all but single sentences.
    var isRead: Bool { isMost(reviewed) }

    private func isMost(_ count: Int) -> Bool { count * 100 >= messages * 95 }
}

extension Language {
    /// Those that a site offers if its operator names none.
    package static let usable: [Language] = allCases.filter { language in
        language == .en || CatalogueState.all.contains { $0.language == language && $0.isUsable }
    }

    private static let unread = Set(CatalogueState.all.filter { !$0.isRead }.map(\.language))

    /// Whether a native speaker has read the words of its pages.
    var isRead: Bool { !Self.unread.contains(self) }
}
