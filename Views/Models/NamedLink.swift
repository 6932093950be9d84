import Languages

/// A link and its text, such as a provider to sign in with or a filter to remove.
package struct NamedLink: Sendable {
    package let name: Words
    package let href: String

    package init(name: Words, href: String) {
        self.name = name
        self.href = href
    }
}
