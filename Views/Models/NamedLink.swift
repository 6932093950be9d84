/// A link and its text, such as a provider to sign in with or a filter to remove.
package struct NamedLink: Sendable {
    package let name: String
    package let href: String

    package init(name: String, href: String) {
        self.name = name
        self.href = href
    }
}
