import Foundation

/// Somewhere that a user is signed in.
package struct Device: Sendable {
    let name: String
    /// When it was last used, and when and where it was signed in.
    let detail: String
    /// Signs it out; `nil` for the device that the page is shown on.
    let action: String?

    /// - Parameter network: In CIDR notation; `nil` if it is not known.
    package init(
        name: String, usedAt: Date, signedInAt: Date, network: String?, action: String?
    ) {
        self.name = name
        detail =
            (["Active \(usedAt.shortDay())", "signed in \(signedInAt.shortDay())"]
            + [network].compactMap(\.self)).joined(separator: " · ")
        self.action = action
    }
}
