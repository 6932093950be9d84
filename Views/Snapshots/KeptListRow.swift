import FaveGames
import Foundation

/// A list that someone has kept, as they see it among the others.
package struct KeptListRow: Sendable {
    let title: String
    let href: String
    let address: String
    let keptAt: Date
    /// Deletes it.
    let action: String

    package init(_ kept: KeptListSummary, href: String, address: String, action: String) {
        title = kept.title
        keptAt = kept.keptAt
        self.href = href
        self.address = address
        self.action = action
    }
}
