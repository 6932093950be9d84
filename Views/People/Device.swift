import Foundation
import HTTP
import Languages

/// Somewhere that a user is signed in.
package struct Device: Sendable {
    let name: Words
    /// When it was last used, and when and where it was signed in.
    let detail: Words
    /// Signs it out; `nil` for the device that the page is shown on.
    let action: String?

    /// - Parameters:
    ///   - appMay: What an app may do that was let in; `nil` for a device.
    ///   - network: In CIDR notation; `nil` if it is not known.
    package init(
        name: Words, appMay: [Words]?, usedAt: Date, signedInAt: Date, network: String?,
        action: String?
    ) {
        self.name = name
        detail = .facts(
            [
                appMay.map { .appThatMay(.list($0)) }, .active(usedAt),
                appMay == nil ? .signedIn(signedInAt) : .letIn(signedInAt),
                network.map(Words.init(name:)),
            ].compactMap(\.self))
        self.action = action
    }
}
