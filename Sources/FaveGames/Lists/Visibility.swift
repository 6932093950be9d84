/// The people who can see a list, as its owner has chosen.
public enum Visibility: String, Sendable, CaseIterable {
    /// The list is shown everywhere, and counted in rankings.
    case `public`
    /// Anyone with the link can see the list. It is counted in rankings, but listed nowhere: not in
    /// search, in recent lists or beside comments.
    case unlisted
    /// Only the owner can see the list, and it is not counted in rankings.
    case `private`
}
