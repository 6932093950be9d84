public import Foundation

/// A user's identity at a provider.
public struct LinkedIdentity: Hashable, Sendable {
    public let id: UUID
    public let issuer: String
    public let subject: String
    public let linkedAt: Date

    public init(id: UUID, issuer: String, subject: String, linkedAt: Date) {
        self.id = id
        self.issuer = issuer
        self.subject = subject
        self.linkedAt = linkedAt
    }
}

/// The result of linking an identity to a user.
public enum LinkOutcome: Sendable {
    case linked
    case linkedBefore
    /// The identity is linked to another user.
    case isAnothers
    /// The user already has the maximum number of identities.
    case tooMany
}
