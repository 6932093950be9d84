import FaveGames
import Postgres

extension Store {
    /// Notes today's first games of each platform, unless that is done already.
    public func noteRanks() async throws(PostgresError) {
        try await database.query(.noteRanks)
    }

    /// A platform's ranks of a week ago, or of the least longer time that is known; empty if none
    /// were noted then.
    public func pastRanks(platform: Int) async throws(PostgresError) -> PastRanks {
        var ranks: [Int: Int] = [:]
        for row in try await database.query(.pastRanks, [.int(platform)]) {
            ranks[try row[0]] = try row[1]
        }
        return PastRanks(ranks)
    }
}

extension Statement {
    static let noteRanks = Statement(
        "note_ranks", .write,
        """
        INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
        SELECT p.id, \(today), r.game_id, r.rank
        FROM platforms p
        CROSS JOIN LATERAL (
            SELECT t.game_id, rank() OVER (ORDER BY t.count DESC) AS rank
            FROM (
                SELECT i.game_id, i.count FROM included_by i
                WHERE i.platform_id = p.id AND i.count > 0
                ORDER BY -i.count, i.sort_name, i.game_id
                LIMIT \(Movement.remembered)
            ) t
        ) r
        WHERE NOT EXISTS (SELECT FROM past_ranks WHERE taken_on = \(today))
        ON CONFLICT DO NOTHING
        """)

    static let pastRanks = Statement(
        "past_ranks", .read,
        """
        SELECT game_id, rank FROM past_ranks
        WHERE platform_id = $1 AND taken_on = (
            SELECT max(taken_on) FROM past_ranks
            WHERE platform_id = $1 AND taken_on <= \(today) - 7
        )
        """)

    static let deletePastRanks = Statement(
        "delete_past_ranks", .write,
        """
        DELETE FROM past_ranks WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM past_ranks WHERE taken_on < \(today) - 21 LIMIT \(deletionBatch)))
        """)

    /// Whatever time zone the session has.
    private static let today = "(now() AT TIME ZONE 'UTC')::date"
}
