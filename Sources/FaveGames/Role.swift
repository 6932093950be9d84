/// The rights that a user has beyond their own list.
public enum Role: String, CaseIterable, Sendable {
    case member
    /// Decides about reports of members.
    case moderator
    /// Decides about reports of everyone.
    case admin

    public var mayModerate: Bool { self != .member }
}
