import FaveGames
public import Foundation
public import Postgres
public import Storage

// Follows between users. Only the two users know of them.
extension Store {
    /// Follows the user with this username. Someone who is followed already stays followed.
    ///
    /// - Returns: `false` if there is no such user, or their list isn't public.
    /// - Throws: `FollowError`, `PostgresError`.
    public func follow(username: String, as userID: UUID) async throws -> Bool {
        do {
            return try await database.query(
                Follows.add, [.uuid(userID), .text(username)],
                after: BoundStatement(Users.lock, [.uuid(userID)])
            ).first ?? false
        } catch {
            switch error.constraint {
            case "follows_self_check": throw FollowError.oneself
            case "follows_limit": throw FollowError.tooMany
            // One of the two was deleted at the same time.
            case "follows_follower_id_fkey", "follows_followed_id_fkey": return false
            // To someone who is blocked, there is no such user.
            case "follows_block": return false
            default: throw error
            }
        }
    }

    /// Unfollows a user. If the user isn't followed, this succeeds, too.
    public func unfollow(username: String, as userID: UUID) async throws(PostgresError) {
        try await database.query(Follows.remove, [.uuid(userID), .text(username)])
    }

    /// Removes a follower, who can follow the user again.
    public func removeFollower(username: String, of userID: UUID) async throws(PostgresError) {
        try await database.query(Follows.removeFollower, [.uuid(userID), .text(username)])
    }

    // MARK: The private feed

    /// Gives a user's feed a new secret. The previous secret becomes invalid.
    ///
    /// - Parameters:
    ///   - sessionID: The session of the request, if any. The session must be open: recovering the
    ///     account removes the feed together with the sessions.
    ///   - tokenHash: SHA-256 of the secret.
    /// - Returns: `false` if the session or the user is gone.
    public func makeFollowFeed(
        of userID: UUID, in sessionID: UUID?, tokenHash: [UInt8]
    ) async throws(PostgresError) -> Bool {
        try await database.query(
            Follows.makeFeed, [.uuid(userID), .uuid(sessionID), .bytes(tokenHash)],
            after: BoundStatement(Users.lock, [.uuid(userID)])
        ).affectedCount == 1
    }

    /// Removes a user's feed. If there is none, this succeeds, too.
    public func removeFollowFeed(of userID: UUID) async throws(PostgresError) {
        try await database.query(Follows.removeFeed, [.uuid(userID)])
    }
}

extension Follows {
    /// For after `Users.lock`, since the reference to the follower would take a weaker lock first.
    static let add = Query("follow", .write, column("EXISTS (SELECT FROM other)", Bool.self)) {
        """
        WITH other AS (
            SELECT id FROM users WHERE username = $2 AND \(Users.arePublic)
        ), added AS (
            INSERT INTO follows (follower_id, followed_id) SELECT $1, id FROM other
            ON CONFLICT DO NOTHING
        )
        SELECT \($0)
        """
    }

    static let remove = Statement(
        "unfollow", .write,
        """
        DELETE FROM follows
        WHERE follower_id = $1 AND followed_id = (SELECT id FROM users WHERE username = $2)
        """)

    static let removeFollower = Statement(
        "remove_follower", .write,
        """
        DELETE FROM follows
        WHERE followed_id = $1 AND follower_id = (SELECT id FROM users WHERE username = $2)
        """)

    /// For after `Users.lock`.
    static let makeFeed = Statement(
        "make_follow_feed", .write,
        """
        INSERT INTO follow_feeds (user_id, token_hash) SELECT u.id, $3 FROM users u
        WHERE u.id = $1
          AND ($2::uuid IS NULL OR EXISTS (SELECT FROM sessions s
                                           WHERE s.id = $2::uuid AND s.user_id = $1))
        ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash, made_at = now()
        """)

    static let removeFeed = Statement(
        "remove_follow_feed", .write, "DELETE FROM follow_feeds WHERE user_id = $1")
}
