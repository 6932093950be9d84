public import Foundation

/// A suspension's reason and end.
public struct Suspension: Sendable {
    /// `nil` if it has no term.
    public let until: Date?
    /// Empty if none was given.
    public let reason: String

    public init(until: Date?, reason: String) {
        self.until = until
        self.reason = reason
    }
}

/// Someone with a new account, whose list isn't shown publicly yet.
public struct NewAccount: Sendable {
    public let username: String
    public let displayName: String
    public let bio: String
    public let until: Date

    public init(username: String, displayName: String, bio: String, until: Date) {
        self.username = username
        self.displayName = displayName
        self.bio = bio
        self.until = until
    }
}
