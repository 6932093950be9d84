/// A permission that a personal token gives a program.
public enum TokenScope: String, CaseIterable, Sendable {
    /// Reading what only the user may see.
    case read
    /// Changing the user's list.
    case writeList = "list:write"
    /// Changing the user's profile, circles and sessions, exporting everything, and deleting the account.
    case account
}
