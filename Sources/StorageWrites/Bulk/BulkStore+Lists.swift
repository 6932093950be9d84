package import FaveGames
package import Foundation
import Postgres
import Storage

/// A user and their list, for a bulk load.
package struct ListSeed: Sendable {
    package let username: String
    package let displayName: String
    package let madeAt: Date
    /// In the order of their positions.
    package let entries: [DraftEntry]
    /// The list at the end of earlier years.
    package let snapshots: [SnapshotSeed]
    /// The usernames of the users in the same load that the user follows.
    package var follows: [String] = []
    /// The comments of users in the same load that the user gives hearts to.
    package var hearts: [(username: String, position: Int)] = []

    package init(
        username: String, displayName: String, madeAt: Date, entries: [DraftEntry],
        snapshots: [SnapshotSeed] = []
    ) {
        self.username = username
        self.displayName = displayName
        self.madeAt = madeAt
        self.entries = entries
        self.snapshots = snapshots
    }
}

/// A list at the end of a year, for a bulk load.
package struct SnapshotSeed: Sendable {
    package let year: Int
    /// In the order of their positions; at least one.
    package let entries: [DraftEntry]

    package init(year: Int, entries: [DraftEntry]) {
        self.year = year
        self.entries = entries
    }
}

extension BulkStore {
    /// Loads users with their lists in one transaction. A user whose username is taken is left out,
    /// and so is the list. A username that merely looks like another one is accepted.
    ///
    /// - Returns: How many users and entries were added.
    package func load(_ lists: [ListSeed]) throws -> (users: Int, entries: Int) {
        var users = ""
        var entries = ""
        var snapshots = ""
        var follows = ""
        var hearts = ""
        for (index, list) in lists.enumerated() {
            let madeAt = String(list.madeAt.timeIntervalSince1970)
            CopyLine.append(
                [String(index), list.username, list.displayName, madeAt], to: &users)
            for (place, entry) in list.entries.enumerated() {
                CopyLine.append(
                    [
                        String(index), String(place + 1), String(entry.gameID),
                        String(entry.platformID), entry.comment.text,
                        String(entry.rating?.value ?? 0), entry.tags.texts.joined(separator: ","),
                    ], to: &entries)
            }
            for seed in list.snapshots {
                for (place, entry) in seed.entries.enumerated() {
                    CopyLine.append(
                        [
                            String(index), String(seed.year), SnapshotTitle(year: seed.year).text,
                            String(place + 1), String(entry.gameID), String(entry.platformID),
                            entry.comment.text, String(entry.rating?.value ?? 0),
                            entry.tags.texts.joined(separator: ","),
                        ], to: &snapshots)
                }
            }
            for followed in list.follows {
                CopyLine.append([list.username, followed], to: &follows)
            }
            for heart in list.hearts {
                CopyLine.append(
                    [list.username, heart.username, String(heart.position)], to: &hearts)
            }
        }
        return try session.withTransaction {
            try session.execute(Self.temporaryTables)
            try session.copy(
                "new_users", columns: ["number", "username", "display_name", "made_at"], users)
            try session.copy(
                "new_entries",
                columns: [
                    "number", "position", "game_id", "platform_id", "comment", "rating", "tags",
                ],
                entries)
            try session.copy(
                "new_snapshot_entries",
                columns: [
                    "number", "year", "title", "position", "game_id", "platform_id", "comment",
                    "rating", "tags",
                ], snapshots)
            let addedUsers = try session.query(Self.addUsers).affectedCount
            let addedEntries = try session.query(Self.addEntries).affectedCount
            try session.copy("new_follows", columns: ["follower", "followed"], follows)
            try session.copy("new_hearts", columns: ["giver", "author", "position"], hearts)
            try session.query(Self.addFollows)
            try session.query(Self.addHearts)
            // The trigger on entries has marked the lists as changed just now.
            try session.query(Self.backdate)
            try session.query(Self.addSnapshots)
            return (addedUsers, addedEntries)
        }
    }

    private static let temporaryTables = """
        CREATE TEMPORARY TABLE new_users (
            number integer, username text, display_name text, made_at double precision
        ) ON COMMIT DROP;
        CREATE TEMPORARY TABLE new_entries (
            number integer, position smallint, game_id integer, platform_id integer, comment text,
            rating smallint, tags text
        ) ON COMMIT DROP;
        CREATE TEMPORARY TABLE new_snapshot_entries (
            number integer, year smallint, title text, position smallint, game_id integer,
            platform_id integer, comment text, rating smallint, tags text
        ) ON COMMIT DROP;
        CREATE TEMPORARY TABLE new_follows (follower text, followed text) ON COMMIT DROP;
        CREATE TEMPORARY TABLE new_hearts (
            giver text, author text, position smallint
        ) ON COMMIT DROP;
        CREATE TEMPORARY TABLE added_users (
            id uuid, username text
        ) ON COMMIT DROP;
        """

    private static let addUsers = """
        WITH added AS (
            INSERT INTO users (username, display_name, created_at, may_look_alike, shows_ratings)
            SELECT username, display_name,
                   -- They were here before they took a snapshot.
                   least(to_timestamp(made_at), make_timestamptz(first.year, 1, 1, 0, 0, 0, 'UTC')),
                   true, true
            FROM new_users
            LEFT JOIN (SELECT number, min(year) AS year
                       FROM new_snapshot_entries GROUP BY number) first USING (number)
            ORDER BY number
            ON CONFLICT DO NOTHING
            RETURNING id, username
        )
        INSERT INTO added_users SELECT id, username FROM added
        """

    private static let addEntries = """
        INSERT INTO entries (user_id, position, game_id, platform_id, comment, rating, tags,
                             created_at, updated_at)
        SELECT a.id, e.position, e.game_id, e.platform_id, e.comment, nullif(e.rating, 0),
               string_to_array(e.tags, ','),
               -- In the list's order, as save_list has them.
               to_timestamp(n.made_at) - (e.position - 1) * interval '1 microsecond',
               to_timestamp(n.made_at)
        FROM new_entries e
        JOIN new_users n USING (number)
        JOIN added_users a USING (username)
        ORDER BY e.number, e.position
        """

    /// Since the later of the two came.
    private static let addFollows = """
        INSERT INTO follows (follower_id, followed_id, followed_at)
        SELECT a.id, b.id, to_timestamp(greatest(n.made_at, m.made_at))
        FROM new_follows f
        JOIN added_users a ON a.username = f.follower
        JOIN added_users b ON b.username = f.followed
        JOIN new_users n ON n.username = f.follower
        JOIN new_users m ON m.username = f.followed
        WHERE a.id <> b.id
        ON CONFLICT DO NOTHING
        """

    private static let addHearts = """
        INSERT INTO hearts (entry_id, user_id, given_at)
        SELECT e.id, a.id, to_timestamp(greatest(n.made_at, m.made_at))
        FROM new_hearts h
        JOIN added_users a ON a.username = h.giver
        JOIN added_users b ON b.username = h.author
        JOIN new_users n ON n.username = h.giver
        JOIN new_users m ON m.username = h.author
        JOIN entries e ON e.user_id = b.id AND e.position = h.position
        WHERE e.comment <> '' AND a.id <> b.id
        ON CONFLICT DO NOTHING
        """

    private static let backdate = """
        UPDATE lists l SET updated_at = to_timestamp(n.made_at)
        FROM new_users n JOIN added_users a USING (username)
        WHERE l.user_id = a.id AND l.updated_at IS NOT NULL
        """

    private static let addSnapshots = """
        WITH added AS (
            INSERT INTO snapshots (user_id, slug, title, taken_at, year, size, shows_ratings)
            SELECT a.id, k.year, k.title, make_timestamptz(k.year, 12, 31, 12, 0, 0, 'UTC'), k.year,
                   count(*), true
            FROM new_snapshot_entries k
            JOIN new_users n USING (number)
            JOIN added_users a USING (username)
            GROUP BY a.id, k.year, k.title
            RETURNING id, user_id, year
        )
        INSERT INTO snapshot_entries (snapshot_id, position, entry_id, game_id, platform_id,
                                      comment, rating, tags)
        SELECT added.id, k.position, coalesce(e.id, gen_random_uuid()), k.game_id, k.platform_id,
               k.comment, nullif(k.rating, 0), string_to_array(k.tags, ',')
        FROM new_snapshot_entries k
        JOIN new_users n USING (number)
        JOIN added_users a USING (username)
        JOIN added ON (added.user_id, added.year) = (a.id, k.year)
        LEFT JOIN entries e
               ON (e.user_id, e.game_id, e.platform_id) = (a.id, k.game_id, k.platform_id)
        """

    /// Records the rankings of a week ago, derived from the entries that are older than that: for a
    /// service that wasn't running then to record them. Does nothing if any past ranks are
    /// recorded.
    package func deriveLastWeeksRanks() throws {
        let order = RankOrder(count: "count(*)")
        try session.query(
            """
            INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
            SELECT platform_id, (now() AT TIME ZONE 'UTC')::date - 7, game_id, rank
            FROM (
                SELECT e.platform_id, e.game_id,
                       \(order.rank(within: "e.platform_id")) AS rank,
                       \(order.place(within: "e.platform_id")) AS place
                FROM entries e JOIN games g ON g.id = e.game_id
                WHERE e.audience <> 'hidden' AND e.created_at < now() - interval '7 days'
                GROUP BY e.platform_id, e.game_id, g.id
            ) r
            WHERE place <= \(Movement.storedRanks) AND NOT EXISTS (SELECT FROM past_ranks)
            """)
    }

    /// Updates the planner's statistics, which are out of date after a bulk load.
    package func analyze() throws {
        try session.execute("ANALYZE")
    }
}
