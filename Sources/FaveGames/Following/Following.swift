public import Foundation

/// Someone that a user follows, or who follows a user.
public struct FollowedPerson: Hashable, Sendable {
    public let userID: UUID
    public let username: String
    public let displayName: String
    /// When one began to follow the other.
    public let followedAt: Date

    public init(userID: UUID, username: String, displayName: String, followedAt: Date) {
        self.userID = userID
        self.username = username
        self.displayName = displayName
        self.followedAt = followedAt
    }
}

/// A page of people, the most recently followed first. People without a public list are left out,
/// so a page may have fewer people than requested, or none, although there is a next page.
public struct FollowedPeople: Sendable {
    public let people: [FollowedPerson]
    /// Where the next page begins; `nil` on the last page.
    public let next: InclusionCursor?
    /// Where the previous page ends; `nil` on the first page.
    public let previous: InclusionCursor?

    public init(
        people: [FollowedPerson], next: InclusionCursor?, previous: InclusionCursor? = nil
    ) {
        self.people = people
        self.next = next
        self.previous = previous
    }
}

/// The rules for following people.
public enum Following {
    /// The largest number of people that a user can follow. The database's `check_follows` repeats
    /// this number.
    public static let limit = 1000
}
