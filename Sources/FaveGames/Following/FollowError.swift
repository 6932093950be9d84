/// Why someone can't be followed.
public enum FollowError: Error, Hashable, Sendable {
    case oneself
    /// The user follows as many people as anyone may.
    case tooMany
    /// There is no such user, or their list isn't public.
    case notPublic(Username)
}
