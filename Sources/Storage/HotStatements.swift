import Postgres

/// Statements that benchmarks and tests look at from outside.
public enum HotStatements {
    /// A page of a ranking: `$1` platform, `$2` games, `$3` comments for each.
    public static var ranking: String { Rankings.first.sql }
}
