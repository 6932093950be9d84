import Foundation

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
            expiresAt.map { "\(isExpired ? "expired" : "expires") \($0.dayInWords)" }
            ?? "never expires"
        let use = usedAt.map { "last used \($0.dayInWords)" } ?? "not used yet"
        detail = "\(use); made \(madeAt.dayInWords); \(end)"
        self.action = action
    }
}
