import Postgres

/// Statements that benchmarks and tests inspect from outside this module.
package enum HotStatements {
    /// The first page of a ranking. `$1` is the platform, `$2` the number of games, and `$3` the
    /// number of comments for each.
    package static var ranking: String { Rankings.first.sql }
}
