/// Why someone can't be followed.
public enum FollowError: Error, Hashable, Sendable, CustomStringConvertible {
    case oneself
    /// The user follows as many people as anyone may.
    case tooMany
    /// There is no such user, or their list isn't public.
    case notPublic(Username)

    public var description: String {
        switch self {
        case .oneself: "You can’t follow yourself."
        case .tooMany: "You can follow at most \(Following.limit) people. Unfollow someone first."
        case .notPublic(let username): "There is no public list of @\(username) here."
        }
    }
}
