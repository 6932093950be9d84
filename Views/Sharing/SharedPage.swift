import Foundation
import Languages

/// What the page to share something from shows, besides its cards.
package struct SharedPage: Sendable {
    package let title: Words
    /// The page that is shared.
    package let link: NamedLink
    /// The link, as people copy it.
    package var address = ""
    /// The link for a phone's camera; `nil` if it is too long.
    package var code: LinkCode?
    /// What its cards show, in words.
    package let words: Words
    /// Whether there is a link to the list's editor.
    package var hasEditor = false
    /// `nil` unless the visitor has just saved their list.
    package var saved: SavedList?

    package init(title: Words, link: NamedLink, words: Words) {
        self.title = title
        self.link = link
        self.words = words
    }
}

/// What the owner of a list should know once it is saved.
package struct SavedList: Sendable {
    /// From when the list is shown everywhere; `nil` if it already is, or never.
    let newUntil: Date?
    /// The ways back in that the owner could set up, for when they forget their password.
    let ways: WaysBackIn?

    package enum WaysBackIn: Sendable {
        case codes, passkeyOrCodes
    }

    package init(newUntil: Date?, ways: WaysBackIn?) {
        self.newUntil = newUntil
        self.ways = ways
    }
}

/// A link as a QR code.
package struct LinkCode: Sendable {
    /// In modules.
    let side: Int
    /// The data of an SVG path, to be drawn with a line one module wide.
    let path: String

    package init(side: Int, path: String) {
        self.side = side
        self.path = path
    }
}
