import Foundation
import HTTP

/// A personal token, as its user sees it.
package struct TokenRow: Sendable {
    let name: String
    let scopes: [String]
    /// When it was made and last used, and when it expires.
    let detail: String
    /// Revokes it.
    let action: String

    package init(
        name: String, scopes: [String], madeAt: Date, expiresAt: Date?, usedAt: Date?,
        isExpired: Bool, action: String
    ) {
        self.name = name
        self.scopes = scopes
        let end =
            expiresAt.map { "\(isExpired ? "expired" : "expires") \($0.shortDay())" } ?? "no expiry"
        let use = usedAt.map { "used \($0.shortDay())" } ?? "never used"
        detail = [use, "created \(madeAt.shortDay())", end].joined(separator: " · ")
        self.action = action
    }
}
