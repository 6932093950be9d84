import FaveGames
import Freshness
import Postgres

extension Store {
    /// Records today's top games of each platform, unless they are already recorded.
    @_spi(Writing) public func noteRanks() async throws(PostgresError) {
        try await database.query(PastRankings.note)
    }

    /// A platform's ranks of a week ago, or of the last recorded day before that. Empty if none
    /// were recorded then.
    public func pastRanks(platform: Int) async throws(PostgresError) -> PastRanks {
        let ranks = try await database.query(PastRankings.ofLastWeek, [.int(platform)])
        return PastRanks(Dictionary(uniqueKeysWithValues: ranks))
    }
}

enum PastRankings {
    /// How many days past ranks are stored.
    static let days = 21

    static let note = Statement(
        "note_ranks", .write,
        """
        INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
        SELECT p.id, \(Today.sql), r.game_id, r.rank
        FROM platforms p
        CROSS JOIN LATERAL (
            SELECT t.game_id, \(RankOrder("t").rank()) AS rank
            FROM (
                SELECT i.game_id, i.sort_name, i.count FROM included_by i
                WHERE i.platform_id = p.id AND i.count > 0
                ORDER BY \(RankOrder("i").keyset)
                LIMIT \(Movement.storedRanks)
            ) t
        ) r
        WHERE NOT EXISTS (SELECT FROM past_ranks WHERE taken_on = \(Today.sql))
        ON CONFLICT DO NOTHING
        """)

    static let ofLastWeek = Query(
        "past_ranks", .read, columns(column("game_id", Int.self), column("rank", Int.self)),
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
