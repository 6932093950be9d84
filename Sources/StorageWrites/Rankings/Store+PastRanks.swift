import FaveGames
import Freshness
public import Postgres
public import Storage

extension Store {
    /// Records today's top games of each platform, unless they are already recorded.
    public func noteRanks() async throws(PostgresError) {
        try await database.query(PastRankings.note)
    }
}

extension PastRankings {
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
}
