import Foundation
import HTTP
import Languages

/// A personal token, as its user sees it.
package struct TokenRow: Sendable {
    let name: String
    let scopes: [String]
    /// When it was made and last used, and when it expires.
    let detail: Words
    /// Revokes it.
    let action: String

    package init(
        name: String, scopes: [String], madeAt: Date, expiresAt: Date?, usedAt: Date?,
        isExpired: Bool, action: String
    ) {
        self.name = name
        self.scopes = scopes
        let end = expiresAt.map { isExpired ? Words.expired($0) : .expires($0) } ?? .noExpiry
        detail = .facts([usedAt.map(Words.used) ?? .neverUsed, .created(madeAt), end])
        self.action = action
    }
}
