/// The conditions for a heart to count toward the order of comments. The database's `weigh_hearts`
/// uses the same numbers. Each heart is shown in the number beside its comment, whether or not it
/// counts here.
public enum Agreement {
    /// How many such hearts a comment needs to come before the latest ones.
    public static let leastHearts = 5
    /// How old the giver's account must be, in days.
    public static let leastAge = 14
    /// How many games the giver's own list must contain. The list must be public.
    public static let leastGames = 3
    /// How many such comments a game's page shows before the latest.
    public static let shown = 3
}
