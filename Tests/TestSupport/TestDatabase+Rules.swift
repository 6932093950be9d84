import Postgres

extension TestDatabase {
    /// What is wrong with the lists and counts of the whole database; empty if nothing is.
    ///
    /// The rules are written down a second time here: nothing is judged by a function of the schema,
    /// or by what a trigger has stored.
    public func brokenRules() throws -> [String] {
        try session().query(Self.rules).map { try $0[0] }
    }

    private static let rules = """
        WITH people AS (
            SELECT id, username, disabled_at,
                   CASE WHEN disabled_at IS NOT NULL OR visibility = 'private' THEN 'hidden'
                        WHEN new_until IS NOT NULL THEN 'unlisted'
                        ELSE visibility END AS audience
            FROM users
        ),
        hidden_games AS (
            SELECT id FROM games
            WHERE CASE WHEN adult_by_hand IS NULL THEN adult_theme IS TRUE OR adult_rating IS TRUE
                       ELSE adult_by_hand END
              AND (SELECT NOT are_shown FROM adult_games)
        ),
        places AS (
            SELECT e.*, p.username,
                   CASE WHEN e.game_id IN (SELECT id FROM hidden_games) THEN 'hidden'
                        ELSE p.audience END AS right_audience
            FROM entries e JOIN people p ON p.id = e.user_id
        ),
        counts AS (
            SELECT e.platform_id, e.game_id, count(*) AS count
            FROM places e WHERE e.right_audience <> 'hidden' GROUP BY e.platform_id, e.game_id
        ),
        heart_totals AS (
            SELECT h.entry_id, count(*) AS count
            FROM hearts h JOIN people p ON p.id = h.user_id
            WHERE p.disabled_at IS NULL GROUP BY h.entry_id
        )
        SELECT format('the list of %s has the places %s', p.username,
                      array_agg(e.position ORDER BY e.position)) AS what
        FROM people p JOIN entries e ON e.user_id = p.id
        GROUP BY p.id, p.username
        HAVING count(*) > 5
            OR (min(e.position), max(e.position), count(DISTINCT e.position))
               <> (1, count(*), count(*))
        UNION ALL
        SELECT format('the list of %s has game %s on platform %s %s times', p.username, e.game_id,
                      e.platform_id, count(*))
        FROM people p JOIN entries e ON e.user_id = p.id
        GROUP BY p.id, p.username, e.game_id, e.platform_id HAVING count(*) > 1
        UNION ALL
        SELECT format('the list of %s is %s, not %s', p.username, coalesce(l.audience, 'missing'),
                      p.audience)
        FROM people p LEFT JOIN lists l ON l.user_id = p.id
        WHERE l.audience IS DISTINCT FROM p.audience
        UNION ALL
        SELECT format('entry %s of %s is %s, not %s', e.position, e.username, e.audience,
                      e.right_audience)
        FROM places e WHERE e.audience <> e.right_audience
        UNION ALL
        SELECT format('game %s is %s', id, CASE WHEN is_hidden THEN 'hidden' ELSE 'shown' END)
        FROM games WHERE is_hidden <> (id IN (SELECT id FROM hidden_games))
        UNION ALL
        SELECT format('game %s, which is hidden, was in a ranking', game_id)
        FROM past_ranks WHERE game_id IN (SELECT id FROM hidden_games)
        UNION ALL
        SELECT format('game %s on platform %s is counted %s times, not %s', game_id, platform_id,
                      coalesce(i.count, 0), coalesce(c.count, 0))
        FROM included_by i FULL JOIN counts c USING (platform_id, game_id)
        WHERE coalesce(i.count, 0) <> coalesce(c.count, 0)
        UNION ALL
        SELECT format('game %s on platform %s is ordered as "%s", not "%s"', g.id, i.platform_id,
                      i.sort_name, g.sort_name)
        FROM included_by i JOIN games g ON g.id = i.game_id
        WHERE i.sort_name <> g.sort_name
        UNION ALL
        SELECT format('entry %s of %s has %s hearts, not %s', e.position, p.username,
                      coalesce(s.count, 0), coalesce(t.count, 0))
        FROM heart_counts s FULL JOIN heart_totals t USING (entry_id)
        LEFT JOIN entries e ON e.id = entry_id LEFT JOIN people p ON p.id = e.user_id
        WHERE coalesce(s.count, 0) <> coalesce(t.count, 0)
        UNION ALL
        SELECT format('%s has blocked %s, and one follows the other or agrees with them', p.username,
                      o.username)
        FROM blocks b JOIN people p ON p.id = b.blocker_id JOIN people o ON o.id = b.blocked_id
        WHERE EXISTS (SELECT FROM follows f
                      WHERE f.follower_id IN (p.id, o.id) AND f.followed_id IN (p.id, o.id))
           OR EXISTS (SELECT FROM hearts h JOIN entries e ON e.id = h.entry_id
                      WHERE h.user_id IN (p.id, o.id) AND e.user_id IN (p.id, o.id))
        ORDER BY what
        """
}
