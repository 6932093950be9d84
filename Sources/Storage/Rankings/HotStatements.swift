import Postgres

/// Statements that benchmarks and tests inspect from outside this module.
package enum HotStatements {
    /// The first page of a ranking. `$1` is the platform, `$2` the number of games, and `$3` the
    /// number of comments for each.
    package static var ranking: String { Rankings.first.sql }

    /// The ranks that a ranking's movements are counted from. `$1` is the platform.
    package static var pastRanks: String { PastRankings.ofLastWeek.sql }

    /// Someone's list. `$1` is the username, and `$2` the id of the viewer, if there is one.
    package static var list: String { Lists.byUsername.sql }
}
