/// Who may see someone's list, as the owner wishes.
public enum Visibility: String, Sendable, CaseIterable {
    /// Listed everywhere, and counted.
    case `public`
    /// Anyone with the link sees it. It counts, but is listed nowhere: not in search, among fresh
    /// lists or beside comments.
    case unlisted
    /// Only its owner sees it, and it does not count.
    case `private`
}
