public import Foundation

/// Someone who has a list.
public struct User: Hashable, Sendable {
    public let id: UUID
    public let username: String
    public let displayName: String
    public let createdAt: Date
    /// When the list last changed; `nil` if it never has.
    public let listUpdatedAt: Date?
    /// Empty if the user says nothing about themselves.
    public let bio: String
    public let visibility: Visibility
    /// Whether others see the ratings on the list.
    public let showsRatings: Bool
    /// Whether an operator has disabled the account: no one can sign in to it, and its list is
    /// hidden.
    public let isDisabled: Bool
    public let role: Role
    /// Until when the list of a new account is shown like an unlisted one, to about ten minutes; `nil`
    /// if it isn't.
    public let newUntil: Date?

    /// The visibility that the owner wants, while a moderator hides the list, which is private
    /// then; `nil` if it isn't hidden.
    public let hiddenVisibility: Visibility?

    /// Whether a snapshot of the list is taken on the last day of every year.
    public let takesYearlySnapshots: Bool

    /// The tag of the language that they want pages in; `nil` if their browsers say which.
    public let language: String?

    /// The visibility that the owner wants.
    public var chosenVisibility: Visibility { hiddenVisibility ?? visibility }

    /// Whether the list is shown everywhere, also by search engines.
    public var isPublic: Bool { visibility == .public && newUntil == nil }

    public init(
        id: UUID, username: String, displayName: String, createdAt: Date, listUpdatedAt: Date?,
        bio: String = "", visibility: Visibility = .public, showsRatings: Bool = false,
        isDisabled: Bool = false, role: Role = .user,
        newUntil: Date? = nil, hiddenVisibility: Visibility? = nil,
        takesYearlySnapshots: Bool = false, language: String? = nil
    ) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.createdAt = createdAt
        self.listUpdatedAt = listUpdatedAt
        self.bio = bio
        self.visibility = visibility
        self.showsRatings = showsRatings
        self.isDisabled = isDisabled
        self.role = role
        self.newUntil = newUntil
        self.hiddenVisibility = hiddenVisibility
        self.takesYearlySnapshots = takesYearlySnapshots
        self.language = language
    }
}
