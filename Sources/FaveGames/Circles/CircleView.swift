public import Foundation

/// A circle as someone sees it, with its members.
public struct CircleView: Sendable {
    public let circle: Circle
    /// The viewer's role in the circle; `nil` for non-members.
    public let role: CircleRole?
    /// The members that the viewer may see: those with a public list or, if the viewer is a member,
    /// everyone. The owner comes first, then the longest-standing members.
    public let members: [CircleMember]
    /// The users who are `members`, in the same order.
    package let shownIDs: [UUID]
    /// All members. The rankings depend on their lists, whether or not the lists are public now.
    package let userIDs: [UUID]

    public init(
        circle: Circle, role: CircleRole?, members: [CircleMember], shownIDs: [UUID],
        userIDs: [UUID]
    ) {
        self.circle = circle
        self.role = role
        self.members = members
        self.shownIDs = shownIDs
        self.userIDs = userIDs
    }
}

/// A circle's webhook, as the circle's owner sees it.
public struct CircleWebhook: Sendable {
    public let address: String
    public let createdAt: Date
    /// When something was last delivered; `nil` if nothing was.
    public let deliveredAt: Date?
    /// The last attempt, if it failed.
    public let failure: (at: Date, reason: String)?
    /// Whether the receiver wants nothing more, so that nothing is sent.
    public let hasEnded: Bool
    /// How many messages were dropped, and when the last one was; `nil` if none was.
    public let dropped: (count: Int, at: Date)?

    public init(
        address: String, createdAt: Date, deliveredAt: Date?, failure: (at: Date, reason: String)?,
        hasEnded: Bool, dropped: (count: Int, at: Date)?
    ) {
        self.address = address
        self.createdAt = createdAt
        self.deliveredAt = deliveredAt
        self.failure = failure
        self.hasEnded = hasEnded
        self.dropped = dropped
    }
}
