import FaveGames
import Postgres

extension Store {
    /// Notes today's first games of each platform, unless that is done already.
    public func noteRanks() async throws(PostgresError) {
        try await database.query(.noteRanks)
    }

    /// How some games have moved in a platform's ranking within a week, or the least longer time
    /// that is known.
    ///
    /// - Parameter ranks: Today's, by the games' ids.
    /// - Returns: By the games' ids; empty if nothing was noted of this platform then.
    public func movements(
        platform: Int, ranks: [Int: Int]
    ) async throws(PostgresError) -> [Int: Movement] {
        let games = ranks.filter { $0.value <= Movement.remembered }.map(\.key)
        guard !games.isEmpty else { return [:] }
        var movements: [Int: Movement] = [:]
        for row in try await database.query(.movements, [.int(platform), .ints(games)]) {
            let game: Int = try row[0]
            guard let rank = ranks[game] else { continue }
            let past: Int? = try row[1]
            // Of a game that was not remembered nothing is known but that it was not above the last.
            let (remembered, last): (Int, Int) = (try row[2], try row[3])
            if past == nil, remembered >= Movement.remembered, rank >= last { continue }
            movements[game] = Movement(from: past, to: rank)
        }
        return movements
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

    static let movements = Statement(
        "movements", .read,
        """
        SELECT g.id, r.rank, day.remembered, day.last
        FROM (
            SELECT max(taken_on) AS day FROM past_ranks
            WHERE platform_id = $1 AND taken_on <= \(today) - 7
        ) past
        CROSS JOIN LATERAL (
            SELECT count(*) AS remembered, coalesce(max(rank), 0) AS last FROM past_ranks
            WHERE (platform_id, taken_on) = ($1, past.day)
        ) day
        CROSS JOIN unnest($2::integer[]) AS g (id)
        LEFT JOIN past_ranks r
               ON (r.platform_id, r.taken_on, r.game_id) = ($1, past.day, g.id)
        WHERE past.day IS NOT NULL
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
