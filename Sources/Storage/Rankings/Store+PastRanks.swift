public import FaveGames
import Freshness
public import Postgres

extension Store {
    /// A platform's ranks of a week ago, or of the last recorded day before that. Empty if none
    /// were recorded then.
    public func pastRanks(platform: Int) async throws(PostgresError) -> PastRanks {
        let (games, ranks) = try await database.row(PastRankings.ofLastWeek, [.int(platform)])
        return PastRanks(games: games, ranks: ranks)
    }
}

package enum PastRankings {
    /// How many days past ranks are stored.
    static let days = 21

    static let ofLastWeek = Query(
        "past_ranks", .read,
        columns(
            column("coalesce(array_agg(game_id), '{}')", [Int].self),
            column("coalesce(array_agg(rank), '{}')", [Int].self)),
        of: [.pastRanks, .today]
    ) {
        """
        SELECT \($0) FROM past_ranks
        WHERE platform_id = $1 AND taken_on = (
            SELECT max(taken_on) FROM past_ranks
            WHERE platform_id = $1 AND taken_on <= \(Today.sql) - 7
        )
        """
    }
}
