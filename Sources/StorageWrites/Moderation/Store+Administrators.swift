public import FaveGames
public import Foundation
import Postgres
public import Storage

// People's roles, and how the first administrator is made.
extension Store {
    /// Makes someone the first administrator, if the link is valid and there is none yet.
    public func claimAdministration(userID: UUID, tokenHash: [UInt8]) async throws -> Bool {
        try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            try await transaction.query(
                Administrators.claim, [.uuid(userID), .bytes(tokenHash)]
            ).affectedCount == 1
        }
    }

    /// Gives someone a role.
    ///
    /// - Returns: Whether the role was changed.
    public func setRole(_ role: Role, userID: UUID) async throws -> Bool {
        try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            try await transaction.query(
                Administrators.setRole, [.uuid(userID), .text(role.rawValue)]
            ).affectedCount == 1
        }
    }

    /// Makes a link that makes someone the first administrator. It replaces earlier links.
    ///
    /// - Parameters:
    ///   - tokenHash: 32 bytes.
    ///   - lifetime: In seconds.
    public func makeAdministratorLink(tokenHash: [UInt8], lifetime: Int) async throws {
        try await database.withTransaction { transaction in
            try await transaction.query(Administrators.forgetLinks)
            try await transaction.query(
                Administrators.makeLink, [.bytes(tokenHash), .int(lifetime)])
        }
    }
}

enum Administrators {
    /// Two at once: the second one finds the link gone.
    static let claim = Statement(
        "claim_administration", .write,
        """
        WITH link AS (
            DELETE FROM administrator_links WHERE token_hash = $2 AND expires_at > now()
            RETURNING true
        ), made AS (
            UPDATE users SET role = 'admin'
            WHERE id = $1 AND disabled_at IS NULL AND EXISTS (SELECT FROM link)
              AND NOT EXISTS (SELECT FROM users WHERE role = 'admin')
            RETURNING id
        )
        INSERT INTO moderation_actions (actor_id, action, user_id, reason)
        SELECT id, 'role', id, 'admin' FROM made
        """)

    static let setRole = Statement(
        "set_role", .write,
        """
        WITH changed AS (
            UPDATE users SET role = $2 WHERE id = $1 AND role <> $2 RETURNING id
        )
        INSERT INTO moderation_actions (action, user_id, reason)
        SELECT 'role', id, $2 FROM changed
        """)

    static let forgetLinks = Statement(
        "forget_administrator_links", .write, "DELETE FROM administrator_links")

    static let makeLink = Statement(
        "make_administrator_link", .write,
        """
        INSERT INTO administrator_links (token_hash, expires_at)
        VALUES ($1, now() + $2::integer * interval '1 second')
        """)
}
