public import Foundation

/// A personal token as its user sees it.
public struct PersonalTokenRecord: Hashable, Sendable {
    public let id: UUID
    public let name: String
    public let scopes: Set<TokenScope>
    public let createdAt: Date
    /// `nil` if it is valid until it is revoked.
    public let expiresAt: Date?
    /// By the database's clock.
    public let isExpired: Bool
    /// To about five minutes; `nil` if it has not been used.
    public let usedAt: Date?

    public init(
        id: UUID, name: String, scopes: Set<TokenScope>, createdAt: Date, expiresAt: Date?,
        isExpired: Bool, usedAt: Date?
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isExpired = isExpired
        self.usedAt = usedAt
    }
}
