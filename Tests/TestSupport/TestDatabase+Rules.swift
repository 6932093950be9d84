import Postgres
import Storage

extension TestDatabase {
    /// What is wrong with the lists and counts of the whole database; empty if nothing is.
    public func brokenRules() throws -> [String] {
        let session = try session()
        var broken = try BulkStore(session).countDifferences().map { "\($0)" }
        let holes: Int = try session.query(
            """
            SELECT count(*) FROM (
                SELECT FROM entries GROUP BY user_id
                HAVING max(position) <> count(*) OR min(position) <> 1 OR count(*) > 5
                    OR count(DISTINCT position) <> count(*)
                    OR count(DISTINCT (game_id, platform_id)) <> count(*)
            ) bad
            """)[0][0]
        if holes > 0 { broken.append("\(holes) lists break the rules") }
        let audiences: Int = try session.query(
            """
            SELECT count(*) FROM users u
            JOIN lists l ON l.user_id = u.id
            LEFT JOIN entries e ON e.user_id = u.id
            WHERE l.audience <> audience_of(u.visibility, u.disabled_at, u.new_until)
               OR e.audience <> l.audience
            """)[0][0]
        let hearts: Int = try session.query(
            """
            SELECT count(*)
            FROM (SELECT entry_id, count(*) AS count FROM hearts WHERE is_counted
                  GROUP BY entry_id) h
            FULL JOIN heart_counts c USING (entry_id)
            WHERE coalesce(h.count, 0) <> coalesce(c.count, 0)
            """)[0][0]
        if hearts > 0 { broken.append("\(hearts) counts of hearts are wrong") }
        if audiences > 0 { broken.append("\(audiences) have the wrong audience") }
        return broken
    }
}
