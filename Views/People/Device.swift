import Foundation
import HTTP

/// Somewhere that a user is signed in.
package struct Device: Sendable {
    let name: String
    /// When it was last used, and when and where it was signed in.
    let detail: String
    /// Signs it out; `nil` for the device that the page is shown on.
    let action: String?

    /// - Parameters:
    ///   - appMay: What an app may do that was let in; `nil` for a device.
    ///   - network: In CIDR notation; `nil` if it is not known.
    package init(
        name: String, appMay: [String]?, usedAt: Date, signedInAt: Date, network: String?,
        action: String?
    ) {
        self.name = name
        let isApp = appMay.map { "App that may: \($0.joined(separator: ", "))" }
        detail = [
            isApp, "Active \(usedAt.shortDay())",
            "\(isApp == nil ? "signed in" : "let in") \(signedInAt.shortDay())", network,
        ].compactMap(\.self).joined(separator: " · ")
        self.action = action
    }
}
