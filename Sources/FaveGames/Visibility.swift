/// Who may see somebody's list, as the owner wishes.
public enum Visibility: String, Sendable, CaseIterable {
    /// Listed everywhere, and counted.
    case `public`
    /// Whoever has the link sees it. It counts, but stands nowhere by name: not in search, among
    /// fresh lists or beside comments.
    case unlisted
    /// Only its owner sees it, and it does not count.
    case `private`
}
