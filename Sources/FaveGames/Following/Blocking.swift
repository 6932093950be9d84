public import Foundation

/// Someone whom a user has blocked.
public struct BlockedPerson: Hashable, Sendable {
    public let userID: UUID
    public let username: String
    public let displayName: String
    public let blockedAt: Date

    public init(userID: UUID, username: String, displayName: String, blockedAt: Date) {
        self.userID = userID
        self.username = username
        self.displayName = displayName
        self.blockedAt = blockedAt
    }
}

/// A page of people, the most recently blocked first.
public struct BlockedPeople: Sendable {
    public let people: [BlockedPerson]
    /// Where the next page begins; `nil` on the last page.
    public let next: InclusionCursor?
    /// Where the previous page ends; `nil` on the first page.
    public let previous: InclusionCursor?

    public init(people: [BlockedPerson], next: InclusionCursor?, previous: InclusionCursor?) {
        self.people = people
        self.next = next
        self.previous = previous
    }
}

/// The rules for blocking people.
public enum Blocking {
    /// The largest number of people that a user can block. The database's `apply_blocks` repeats this
    /// number.
    public static let limit = 1000
}

/// Why someone can't be blocked.
public enum BlockError: Error, Hashable, Sendable {
    case oneself
    /// The user has blocked as many people as anyone may.
    case tooMany
    /// The user may not see such a user.
    case unknown(Username)
}
