import FaveGames
import Foundation

/// A snapshot of a list, as they see it among the others.
package struct SnapshotRow: Sendable {
    let title: String
    let href: String
    let address: String
    let takenAt: Date
    /// Deletes it.
    let action: String

    package init(_ snapshot: SnapshotSummary, href: String, address: String, action: String) {
        title = snapshot.title
        takenAt = snapshot.takenAt
        self.href = href
        self.address = address
        self.action = action
    }
}
