import Foundation

/// What the page to share something from shows, besides its cards.
package struct SharedPage: Sendable {
    package let title: String
    /// The page that is shared.
    package let link: NamedLink
    /// What its cards show, in words.
    package let words: String
    /// Whether there is a link to the list's editor.
    package var hasEditor = false
    /// `nil` unless the visitor has just saved their list.
    package var saved: SavedList?

    package init(title: String, link: NamedLink, words: String) {
        self.title = title
        self.link = link
        self.words = words
    }
}

/// What the owner of a list should know once it is saved.
package struct SavedList: Sendable {
    /// From when the list is shown everywhere; `nil` if it already is, or never.
    let newUntil: Date?
    /// The ways back in that the owner could set up, for when they forget their password: none, one or
    /// two.
    let ways: [NamedLink]

    package init(newUntil: Date?, ways: [NamedLink]) {
        self.newUntil = newUntil
        self.ways = ways
    }
}
