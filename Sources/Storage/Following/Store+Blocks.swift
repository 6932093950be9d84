public import FaveGames
public import Foundation
public import Postgres

// Blocks between users. Only the blocker knows of a block. Someone who is blocked can still block the
// blocker and report them: these protect people, and must not end with what someone else does.
extension Store {
    /// The user with this username, if someone may block them.
    public func blockableUser(
        username: String, by userID: UUID
    ) async throws(PostgresError) -> User? {
        try await database.query(Blocks.blockable, [.uuid(userID), .text(username)]).first
    }

    /// The user with this username, if the other one has blocked them.
    public func blockedPerson(
        username: String, by userID: UUID
    ) async throws(PostgresError) -> BlockedPerson? {
        try await database.query(Blocks.byUsername, [.uuid(userID), .text(username)]).first
    }

    /// A page of the people whom a user has blocked.
    ///
    /// - Parameter limit: At most 100.
    public func blockedPeople(
        of userID: UUID, limit: Int, at cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> BlockedPeople {
        let rows = try await database.query(
            cursor?.direction == .before ? Blocks.ofUserBefore : Blocks.ofUser,
            [
                .uuid(userID), .int(limit + 1), .int(cursor?.createdAt ?? Self.endOfTime),
                .uuid(cursor?.id ?? .last),
            ])
        let page = PageSlice(rows, limit: limit, cursor?.direction)
        let (next, previous) = page.cursors(from: cursor) { ($0.createdAt, $0.person.userID) }
        return BlockedPeople(
            people: page.items.map { $0.person }, next: next, previous: previous)
    }

    /// Notes the user who sent the request. From now on, this store reads for them.
    ///
    /// - Parameters:
    ///   - wayIn: The session or personal token of the request.
    ///   - hasBlocks: As `Blocks.exist` says.
    package func reads(for user: User, with wayIn: UUID?, hasBlocks: Bool) {
        database.viewer?.came(with: wayIn)
        if hasBlocks {
            database.viewer?.leaveOutBlocked(of: user.id, andBlockers: user.role == .user)
        }
    }
}

package enum Blocks {
    /// Whether the user `u` has blocked someone, or someone has blocked them. No one hides from a moderator.
    package static let exist = column(
        """
        (EXISTS (SELECT FROM blocks WHERE blocker_id = u.id)
         OR u.role = 'user' AND EXISTS (SELECT FROM blocks WHERE blocked_id = u.id))
        """, Bool.self)

    /// Whether the user `$1` can find the user `u` to block them. People see their followers, even those with
    /// private lists.
    package static let isFound = """
        u.disabled_at IS NULL
        AND (u.visibility <> 'private'
             OR EXISTS (SELECT FROM follows WHERE (follower_id, followed_id) = (u.id, $1)))
        """

    /// The user with a username whom someone may block.
    static let blockable = Query(
        "blockable_user", .read, User.columns,
        unfiltered: "People can block those who have blocked them."
    ) {
        "SELECT \($0) FROM \(User.tables) WHERE u.username = $2 AND \(isFound)"
    }

    /// For statements where `b` is the block, and `u` the blocked person.
    private static let person = Columns<BlockedPerson>([
        "u.id", "u.username", "u.display_name", "b.blocked_at",
    ]) { row throws(PostgresError) in
        try BlockedPerson(
            userID: row.next(), username: row.next(), displayName: row.next(),
            blockedAt: row.next())
    }

    static let byUsername = Query(
        "blocked_person", .read, person, unfiltered: "People see whom they have blocked."
    ) {
        """
        SELECT \($0) FROM blocks b JOIN users u ON u.id = b.blocked_id
        WHERE b.blocker_id = $1 AND u.username = $2 AND u.disabled_at IS NULL
        """
    }

    private static let placed = Columns<(person: BlockedPerson, createdAt: Int)>(
        person.expressions + ["(extract(epoch FROM b.blocked_at) * 1000000)::bigint"]
    ) { row throws(PostgresError) in try (row.next(person), row.next()) }

    private static func ofUser(
        _ direction: PageDirection
    ) -> Query<(person: BlockedPerson, createdAt: Int)> {
        Query(
            "blocked_people" + direction.suffix, .read, placed,
            unfiltered: "People see the list of those whom they have blocked."
        ) {
            """
            SELECT \($0)
            FROM (
                SELECT * FROM blocks
                WHERE blocker_id = $1
                  AND (blocked_at, blocked_id) \(direction.comparison)
                      (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid)
                ORDER BY blocked_at \(direction.order), blocked_id \(direction.order)
                LIMIT $2
            ) b
            JOIN users u ON u.id = b.blocked_id
            ORDER BY b.blocked_at DESC, b.blocked_id DESC
            """
        }
    }

    static let ofUser = ofUser(.after)
    static let ofUserBefore = ofUser(.before)
}
