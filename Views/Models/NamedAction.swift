import Foundation
import HTTP
import Languages

/// A button of a form.
package struct NamedAction: Sendable {
    let name: Words
    let action: String

    package init(name: Words, action: String) {
        self.name = name
        self.action = action
    }

    /// The button for an open invitation.
    package init(placesLeft: Int, expiresAt: Date, action: String) {
        self.init(
            name: .facts([.placesLeft(placesLeft), .expires(expiresAt)]),
            action: action)
    }
}
