public import Foundation

/// A passkey as its user sees it.
public struct PasskeyRecord: Hashable, Sendable {
    public let id: UUID
    public let name: String
    public let createdAt: Date
    /// `nil` if no one has signed in with it.
    public let usedAt: Date?

    public init(id: UUID, name: String, createdAt: Date, usedAt: Date?) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

/// The outcome of storing a new passkey.
public enum NewPasskeyOutcome: Sendable {
    case added
    /// The credential is registered already.
    case isKnown
    case tooMany
}
