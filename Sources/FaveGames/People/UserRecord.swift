public import Foundation

/// A user as an operator sees them.
public struct UserRecord: Sendable {
    public let user: User
    public let disabledAt: Date?
    public let hasPassword: Bool
    public let identities: [String]
    public let entryCount: Int
    public let sessionCount: Int

    public init(
        user: User, disabledAt: Date?, hasPassword: Bool, identities: [String], entryCount: Int,
        sessionCount: Int
    ) {
        self.user = user
        self.disabledAt = disabledAt
        self.hasPassword = hasPassword
        self.identities = identities
        self.entryCount = entryCount
        self.sessionCount = sessionCount
    }
}
