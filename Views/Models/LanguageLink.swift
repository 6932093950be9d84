import Languages

/// A link to a page in another language, or to where people choose that language.
package struct LanguageLink: Sendable {
    package let language: Language
    package let href: String

    package init(_ language: Language, _ href: String) {
        self.language = language
        self.href = href
    }
}
