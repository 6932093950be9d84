import Foundation
import Languages

/// A passkey, as its user sees it.
package struct PasskeyRow: Sendable {
    let name: String
    /// When it was added and last used.
    let detail: Words
    /// Removes it.
    let action: String

    package init(name: String, usedAt: Date?, addedAt: Date, action: String) {
        self.name = name
        detail = .facts([usedAt.map(Words.used) ?? .neverUsed, .added(addedAt)])
        self.action = action
    }
}
