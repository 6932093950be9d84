import Foundation

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
