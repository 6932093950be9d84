/// The rights that a user has beyond their own list.
public enum Role: String, CaseIterable, Sendable {
    case user
    /// Decides about reports of users.
    case moderator
    /// Decides about reports of everyone.
    case admin

    public var mayModerate: Bool { self != .user }

    /// The role with its article, in a sentence.
    public var article: String {
        switch self {
        case .user: "a user"
        case .moderator: "a moderator"
        case .admin: "an administrator"
        }
    }
}
