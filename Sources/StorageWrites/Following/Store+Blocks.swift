import FaveGames
public import Foundation
public import Postgres
public import Storage

// Blocks between users. Only the blocker knows of a block. Someone who is blocked can still block the
// blocker and report them: these protect people, and must not end with what someone else does.
extension Store {
    /// Blocks the user with this username, which ends follows and hearts between the two. Someone who
    /// is blocked already stays blocked.
    ///
    /// - Returns: `false` if there is no such user, or if they aren't blocked yet, their list is private and
    ///   they don't follow the user.
    /// - Throws: `BlockError`, `PostgresError`.
    public func block(username: String, as userID: UUID) async throws -> Bool {
        do {
            let people: [PostgresParameter] = [.uuid(userID), .text(username)]
            return try await database.query(
                Blocks.add, people, after: BoundStatement(Blocks.lock, people)
            ).first ?? false
        } catch {
            switch error.constraint {
            case "blocks_self_check": throw BlockError.oneself
            case "blocks_limit": throw BlockError.tooMany
            // One of the two was deleted at the same time.
            case "blocks_blocker_id_fkey", "blocks_blocked_id_fkey": return false
            default: throw error
            }
        }
    }

    /// Unblocks a user. If the user isn't blocked, this succeeds, too.
    public func unblock(username: String, as userID: UUID) async throws(PostgresError) {
        try await database.query(Blocks.remove, [.uuid(userID), .text(username)])
    }
}

extension Blocks {
    /// Locks both people, in order.
    static let lock = Statement(
        "lock_blocked", .write,
        "SELECT FROM users WHERE id = $1 OR username = $2 ORDER BY id FOR NO KEY UPDATE")

    /// For after `lock`, since the references to the people would take a weaker lock first. Someone who is
    /// blocked already may no longer be someone whom the user can find, such as a former follower.
    static let add = Query("block", .write, column("EXISTS (SELECT FROM other)", Bool.self)) {
        """
        WITH other AS (
            SELECT u.id FROM users u
            WHERE u.username = $2
              AND (EXISTS (SELECT FROM blocks WHERE (blocker_id, blocked_id) = ($1, u.id))
                   OR \(isFound))
        ), added AS (
            INSERT INTO blocks (blocker_id, blocked_id) SELECT $1, id FROM other
            ON CONFLICT DO NOTHING
        )
        SELECT \($0)
        """
    }

    static let remove = Statement(
        "unblock", .write,
        """
        DELETE FROM blocks
        WHERE blocker_id = $1 AND blocked_id = (SELECT id FROM users WHERE username = $2)
        """)
}
