public import Foundation

/// What someone who invites others can choose, to the site or to a circle.
public enum Invitations {
    /// For how many people one invitation is.
    public static let uses = 1...100
    /// For how many days.
    public static let days = 1...30
}

/// An invitation as its creator sees it.
public struct Invitation: Hashable, Sendable {
    public let id: UUID
    /// How many people it is for, and how many of these places are left.
    public let uses: Int
    public let usesLeft: Int
    public let createdAt: Date
    public let expiresAt: Date

    public init(id: UUID, uses: Int, usesLeft: Int, createdAt: Date, expiresAt: Date) {
        self.id = id
        self.uses = uses
        self.usesLeft = usesLeft
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// The terms for creating an account.
public struct Admission: Sendable {
    /// How long the list waits before it is shown publicly, in hours; 0 shows it at once.
    public let delayHours: Int
    /// The digest of the invitation that is used up; `nil` if none is needed.
    public let invitation: [UInt8]?

    public init(delayHours: Int = 0, invitation: [UInt8]? = nil) {
        self.delayHours = delayHours
        self.invitation = invitation
    }
}

/// The invitation was used up or revoked, or has expired.
public struct InvitationInvalidError: Error, Hashable, Sendable {
    package init() {}
}
