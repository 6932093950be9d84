public import FaveGames
public import Foundation
public import Postgres

// Follows between users. Only the two users know of them.
extension Store {
    /// Whether one user follows the other.
    public func isFollowing(_ other: UUID, as userID: UUID) async throws(PostgresError) -> Bool {
        try await database.row(Follows.isFollowing, [.uuid(userID), .uuid(other)])
    }

    /// A page of the people that a user follows.
    ///
    /// - Parameter limit: At most 100.
    public func following(
        of userID: UUID, limit: Int, at cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> FollowedPeople {
        let isBack = cursor?.direction == .before
        return try await people(
            isBack ? Follows.followingBefore : Follows.following, userID, limit, at: cursor)
    }

    /// A page of the people who follow a user.
    ///
    /// - Parameter limit: At most 100.
    public func followers(
        of userID: UUID, limit: Int, at cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> FollowedPeople {
        let isBack = cursor?.direction == .before
        return try await people(
            isBack ? Follows.followersBefore : Follows.followers, userID, limit, at: cursor)
    }

    private func people(
        _ query: Query<FollowRow>, _ userID: UUID, _ limit: Int, at cursor: InclusionCursor?
    ) async throws(PostgresError) -> FollowedPeople {
        let rows = try await database.query(query, place(userID, limit, cursor))
        let page = PageSlice(rows, limit: limit, cursor?.direction)
        let (next, previous) = page.cursors(from: cursor, at: \.place)
        return FollowedPeople(
            people: page.items.filter(\.isPublic).map(\.person), next: next, previous: previous)
    }

    /// The new entries on the public lists of the people that a user follows, the latest first.
    ///
    /// - Parameter limit: At most 100.
    public func changes(
        followedBy userID: UUID, limit: Int, at cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> EntryPage {
        let found = try await database.query(
            cursor?.direction == .before ? Follows.changesBefore : Follows.changes,
            place(userID, limit, cursor))
        let page = PageSlice(found, limit: limit, cursor?.direction)
        let (next, previous) = page.cursors(from: cursor, at: \.0.place)
        return EntryPage(
            entries: page.items.map { FoundEntry(game: $1, inclusion: $0.inclusion) }, next: next,
            previous: previous)
    }

    package func place(
        _ userID: UUID, _ limit: Int, _ cursor: InclusionCursor?
    ) -> [PostgresParameter] {
        [
            .uuid(userID), .int(limit + 1), .int(cursor?.createdAt ?? Self.endOfTime),
            .uuid(cursor?.id ?? .last),
        ]
    }

    // MARK: The private feed

    /// When a user's feed got its secret; `nil` if there is no feed.
    public func followFeedDate(of userID: UUID) async throws(PostgresError) -> Date? {
        try await database.query(Follows.feedDate, [.uuid(userID)]).first
    }

    /// The user whose feed has this secret, unless disabled.
    public func followFeedOwner(tokenHash: [UInt8]) async throws(PostgresError) -> User? {
        try await user(Follows.feedOwner, [.bytes(tokenHash)])
    }
}

/// A row of `follows`, with one of its two users.
struct FollowRow: Sendable {
    let person: FollowedPerson
    let isPublic: Bool
    let place: (createdAt: Int, id: UUID)

    static let columns = Columns<FollowRow>([
        "u.id", "u.username", "u.display_name", "f.followed_at",
        "u.visibility = 'public' AND u.disabled_at IS NULL AND u.new_until IS NULL",
        "(extract(epoch FROM f.followed_at) * 1000000)::bigint",
    ]) { row throws(PostgresError) in
        let person = try FollowedPerson(
            userID: row.next(), username: row.next(), displayName: row.next(),
            followedAt: row.next())
        return try FollowRow(
            person: person, isPublic: row.next(), place: (row.next(), person.userID))
    }
}

package enum Follows {
    static let isFollowing = Query(
        "is_following", .read,
        column(
            "EXISTS (SELECT FROM follows WHERE (follower_id, followed_id) = ($1, $2))", Bool.self)
    )

    /// - Parameters:
    ///   - own: The column of the user.
    ///   - other: The column of the people to find.
    private static func people(
        _ name: String, _ direction: PageDirection, of own: String, _ other: String
    ) -> Query<FollowRow> {
        Query(name + direction.suffix, .read, FollowRow.columns) {
            """
            SELECT \($0)
            FROM (
                SELECT \(other) AS user_id, followed_at FROM follows
                WHERE \(own) = $1
                  AND (followed_at, \(other)) \(direction.comparison)
                      (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid)
                ORDER BY followed_at \(direction.order), \(other) \(direction.order)
                LIMIT $2
            ) f
            JOIN users u ON u.id = f.user_id
            ORDER BY f.followed_at DESC, u.id DESC
            """
        }
    }

    static let following = people("following", .after, of: "follower_id", "followed_id")
    static let followingBefore = people("following", .before, of: "follower_id", "followed_id")
    static let followers = people("followers", .after, of: "followed_id", "follower_id")
    static let followersBefore = people("followers", .before, of: "followed_id", "follower_id")

    /// All entries of the followed people are read, at most five of each.
    private static func changes(_ direction: PageDirection) -> Query<(PlacedInclusion, Game)> {
        Query(
            "followed_changes" + direction.suffix, .longRead,
            Postgres.columns(PlacedInclusion.columns, Game.columns)
        ) {
            """
            SELECT \($0)
            FROM (
                SELECT e.*
                FROM follows f
                CROSS JOIN LATERAL (
                    SELECT * FROM entries
                    WHERE user_id = f.followed_id AND audience = 'public'
                    LIMIT \(FaveList.limit)
                ) e
                WHERE f.follower_id = $1
                  AND (e.created_at, e.id) \(direction.comparison)
                      (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid)
                ORDER BY e.created_at \(direction.order), e.id \(direction.order)
                LIMIT $2
            ) e
            JOIN users u ON u.id = e.user_id
            JOIN platforms p ON p.id = e.platform_id
            JOIN games g ON g.id = e.game_id
            LEFT JOIN heart_counts h ON h.entry_id = e.id
            ORDER BY e.created_at DESC, e.id DESC
            """
        }
    }

    static let changes = changes(.after)
    static let changesBefore = changes(.before)

    static let feedDate = Query("follow_feed_date", .read, column("made_at", Date.self)) {
        "SELECT \($0) FROM follow_feeds WHERE user_id = $1"
    }

    static let feedOwner = Query("follow_feed_owner", .read, User.columns) {
        """
        SELECT \($0) FROM follow_feeds f JOIN \(User.tables) ON u.id = f.user_id
        WHERE f.token_hash = $1 AND u.disabled_at IS NULL
        """
    }
}
