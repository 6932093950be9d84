public import FaveGames
public import Foundation
package import Postgres

// News is read from the tables of hearts, entries and members. It shows no more than other pages show of
// these: hearts without their givers, public lists only, and the members of the user's own circles.
extension Store {
    /// The news of a user.
    ///
    /// - Parameter since: From when on; at most `News.days` ago.
    public func news(of userID: UUID, since: Date) async throws -> News {
        let parameters: [PostgresParameter] = [
            .uuid(userID), .int(Int(since.timeIntervalSince1970 * 1_000_000)),
        ]
        async let hearts = database.query(NewsQueries.hearts, parameters)
        async let lists = database.query(NewsQueries.lists, parameters)
        async let members = database.query(NewsQueries.members, parameters)
        async let numberOne = database.query(NewsQueries.numberOne, parameters)
        let games = try await lists.map { key, games in
            News.Item(at: key.at, .games(games, of: key.owner))
        }
        return try await News(
            since: since, items: hearts + members + games, numberOne: numberOne.first)
    }

    /// The news of a user in this visit; `nil` if the user is gone.
    public func news(of userID: UUID) async throws -> News? {
        let visit = try await database.query(NewsQueries.visitOfUser, [.uuid(userID)]).first
        guard let visit else { return nil }
        return try await news(of: userID, since: visit.since)
    }
}

package enum NewsQueries {
    // MARK: Visits

    private static let oldest = "now() - interval '\(News.days) days'"

    /// For statements where `u` is the user and `v` their row of `news_visits`, which may be missing.
    ///
    /// An event has the time when its transaction began. So a visit includes the last minute of the
    /// previous one, when a transaction may have begun whose event was not visible yet.
    package static let since = """
        greatest(coalesce(CASE WHEN v.seen_at < now() - interval '30 minutes'
                               THEN v.seen_at - interval '1 minute' ELSE v.since END,
                          u.created_at), \(oldest))
        """

    private static let seen = "greatest(coalesce(v.seen_at, u.created_at), \(oldest))"

    /// For the same statements.
    package static let visit = Columns<NewsVisit>([
        since,
        """
        (EXISTS (SELECT \(hearts(of: "u.id", since: seen)))
         OR EXISTS (SELECT \(members(of: "u.id", since: seen)))
         OR EXISTS (SELECT \(lists(of: "u.id", since: seen))))
        """,
        "coalesce(v.seen_at < now() - interval '5 minutes', true)",
    ]) { row throws(PostgresError) in
        try NewsVisit(since: row.next(), hasUnseen: row.next(), isDue: row.next())
    }

    package static let visitOfUser = Query("news_visit", .read, visit) {
        """
        SELECT \($0) FROM users u LEFT JOIN news_visits v ON v.user_id = u.id WHERE u.id = $1
        """
    }

    // MARK: Events

    private static func hearts(of user: String, since: String) -> String {
        """
        FROM entries e JOIN hearts h ON h.entry_id = e.id
        WHERE e.user_id = \(user) AND e.audience = 'public' AND h.is_counted
          AND h.given_at > \(since)
        """
    }

    /// The new entries on public lists: `p` is the owner of `e`, who may be there more than once.
    private static func lists(of user: String, since: String) -> String {
        """
        FROM (
            SELECT f.followed_id AS user_id FROM follows f WHERE f.follower_id = \(user)
            UNION ALL
            SELECT o.user_id
            FROM circle_members m JOIN circle_members o ON o.circle_id = m.circle_id
            WHERE m.user_id = \(user) AND o.user_id <> m.user_id
        ) p
        JOIN lists l ON l.user_id = p.user_id
        JOIN entries e ON e.user_id = p.user_id
        WHERE l.audience = 'public' AND l.updated_at > \(since)
          AND e.audience = 'public' AND e.created_at > \(since)
        """
    }

    /// Those who joined the user's circles after the user did: `p` is the new member `o`.
    private static func members(of user: String, since: String) -> String {
        """
        FROM circle_members m
        JOIN circle_members o ON o.circle_id = m.circle_id AND o.user_id <> m.user_id
        JOIN users p ON p.id = o.user_id
        WHERE m.user_id = \(user) AND o.joined_at > \(since) AND o.joined_at > m.joined_at
          AND p.disabled_at IS NULL
        """
    }

    // In the following statements, `$1` is the user, and `$2` the start in microseconds since 1970.

    private static let start = "(timestamptz 'epoch' + $2::bigint * interval '1 microsecond')"

    static let hearts = Query(
        "new_hearts", .read,
        Columns<News.Item>(["n.latest", "n.people"] + Game.columns.expressions + ["e.position"]) {
            row throws(PostgresError) in
            try News.Item(
                at: row.next(),
                .hearts(row.next(), game: row.next(Game.columns), position: row.next()))
        }
    ) {
        """
        SELECT \($0)
        FROM (SELECT e.id, count(*) AS people, max(h.given_at) AS latest
              \(hearts(of: "$1", since: start))
              GROUP BY e.id) n
        JOIN entries e ON e.id = n.id
        JOIN games g ON g.id = e.game_id
        """
    }

    static let lists = GroupedQuery(
        "new_on_lists", .read,
        by: Columns<(owner: News.ListOwner, at: Date)>([
            "u.id", "u.username", "u.display_name", "n.latest",
        ]) { row throws(PostgresError) in
            let owner = try News.ListOwner(
                userID: row.next(), username: row.next(), displayName: row.next())
            return try (owner, row.next())
        }, Game.columns
    ) {
        """
        SELECT \($0)
        FROM (SELECT p.user_id, max(e.created_at) AS latest
              \(lists(of: "$1", since: start))
              GROUP BY p.user_id ORDER BY latest DESC, p.user_id LIMIT \(News.limit)) n
        JOIN users u ON u.id = n.user_id
        JOIN entries e ON e.user_id = n.user_id AND e.created_at > \(start)
                      AND e.audience = 'public'
        JOIN games g ON g.id = e.game_id
        ORDER BY n.latest DESC, u.id, e.position
        """
    }

    static let members = Query(
        "new_members", .read,
        Columns<News.Item>([
            "n.latest", "n.people", "c.id", "c.slug", "c.name", "n.username", "n.display_name",
        ]) {
            row throws(PostgresError) in
            try News.Item(
                at: row.next(),
                .members(
                    row.next(),
                    of: News.NamedCircle(id: row.next(), slug: row.next(), name: row.next()),
                    latest: News.NamedMember(username: row.next(), displayName: row.next())))
        }
    ) {
        """
        SELECT \($0)
        FROM (SELECT o.circle_id, count(*) AS people, max(o.joined_at) AS latest,
                     (array_agg(p.display_name ORDER BY o.joined_at DESC, o.id))[1] AS display_name,
                     (array_agg(CASE WHEN p.visibility = 'public' AND p.new_until IS NULL
                                     THEN p.username END
                                ORDER BY o.joined_at DESC, o.id))[1] AS username
              \(members(of: "$1", since: start))
              GROUP BY o.circle_id ORDER BY latest DESC, o.circle_id LIMIT \(News.limit)) n
        JOIN circles c ON c.id = n.circle_id
        """
    }

    /// The rank on the day of `$2` is compared with the rank now.
    static let numberOne = Query(
        "number_one_move", .read,
        Columns<NumberOneMove>(
            Game.columns.expressions + Platform.columns.expressions + ["r.rank", "counted.rank"]
        ) { row throws(PostgresError) in
            try NumberOneMove(
                game: row.next(Game.columns), platform: row.next(Platform.columns),
                from: row.next(), to: row.next())
        }
    ) {
        """
        SELECT \($0)
        FROM entries e
        JOIN games g ON g.id = e.game_id
        JOIN platforms p ON p.id = e.platform_id
        JOIN included_by i ON (i.platform_id, i.game_id) = (e.platform_id, e.game_id) AND i.count > 0
        JOIN past_ranks r
          ON (r.platform_id, r.game_id) = (e.platform_id, e.game_id)
         AND r.taken_on = (SELECT max(d.taken_on) FROM past_ranks d
                           WHERE d.platform_id = e.platform_id
                             AND d.taken_on <= (\(start) AT TIME ZONE 'UTC')::date)
        CROSS JOIN \(RankOrder.counted)
        WHERE e.user_id = $1 AND e.position = 1 AND e.audience <> 'hidden'
          AND (counted.rank < r.rank
               OR counted.rank > r.rank AND r.rank <= \(NumberOneMove.lastToldFall))
          AND \(RankOrder.isCounted)
        """
    }
}
