import Foundation
import HTTP

/// A button of a form.
package struct NamedAction: Sendable {
    let name: String
    let action: String

    package init(name: String, action: String) {
        self.name = name
        self.action = action
    }

    /// The button for an open invitation.
    package init(placesLeft: Int, expiresAt: Date, action: String) {
        self.init(
            name: "\(placesLeft) place\(placesLeft == 1 ? "" : "s") left · "
                + "expires \(expiresAt.shortDay())",
            action: action)
    }
}
