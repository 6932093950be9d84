import FaveGames
import Foundation
import Postgres

/// An invitation as its creator sees it.
public struct Invitation: Hashable, Sendable {
    public let id: UUID
    /// How many people it is for, and how many of these places are left.
    public let uses: Int
    public let usesLeft: Int
    public let createdAt: Date
    public let expiresAt: Date
}

extension Store {
    /// Makes an invitation.
    ///
    /// - Parameters:
    ///   - tokenHash: 32 bytes.
    ///   - uses: How many people it is for, 1 to 100.
    ///   - limit: The largest number of invitations that the user may have then.
    /// - Returns: `nil` if there would be too many, or if the user or the request's way in is gone.
    @_spi(Writing) public func makeInvitation(
        userID: UUID, tokenHash: [UInt8], uses: Int, days: Int, limit: Int
    ) async throws(PostgresError) -> Invitation? {
        try await database.query(
            Invitations.make,
            [
                .uuid(userID), .bytes(tokenHash), .int(uses), .int(days), .int(limit),
                .uuid(database.viewer?.wayIn),
            ],
            after: BoundStatement(Users.lock, [.uuid(userID)])
        ).first
    }

    /// Makes an invitation of the operator's.
    @_spi(Writing) public func makeInvitation(
        tokenHash: [UInt8], uses: Int, days: Int
    ) async throws(PostgresError) {
        try await database.query(
            Invitations.makeByOperator, [.bytes(tokenHash), .int(uses), .int(days)])
    }

    /// A user's invitations that can still be used, the latest first.
    public func invitations(userID: UUID) async throws(PostgresError) -> [Invitation] {
        try await database.query(Invitations.ofUser, [.uuid(userID)])
    }

    /// Revokes one of a user's invitations. If the user doesn't have it, this succeeds, too.
    @_spi(Writing) public func revokeInvitation(id: UUID, of userID: UUID)
        async throws(PostgresError)
    {
        try await database.query(Invitations.revoke, [.uuid(id), .uuid(userID)])
    }

    /// Whether an invitation can be used now.
    public func isValid(invitation tokenHash: [UInt8]) async throws(PostgresError) -> Bool {
        try await database.row(Invitations.isValid, [.bytes(tokenHash)])
    }

    /// Runs `body`, which creates an account, in the transaction that uses up an invitation.
    ///
    /// - Throws: `InvitationInvalidError`, or what `body` throws, with nothing changed.
    func admitted(
        _ admission: Admission, _ body: @Sendable (Transaction) async throws -> User?
    ) async throws -> User? {
        do {
            return try await database.withTransaction { transaction in
                if let invitation = admission.invitation {
                    let used = try await transaction.query(
                        Invitations.use, [.bytes(invitation)])
                    guard used.affectedCount == 1 else { throw InvitationInvalidError() }
                }
                // Without an account, the invitation must not be used up.
                guard let user = try await body(transaction) else { throw NotMade() }
                return user
            }
        } catch is NotMade {
            return nil
        }
    }

    private struct NotMade: Error {}
}

enum Invitations {
    private static let invitation = Columns<Invitation>(
        ["id", "uses", "uses_left", "created_at", "expires_at"]
    ) { row throws(PostgresError) in
        try Invitation(
            id: row.next(), uses: row.next(), usesLeft: row.next(), createdAt: row.next(),
            expiresAt: row.next())
    }

    /// For after `Users.lock`: two at once of one user are counted one after the other.
    static let make = Query("make_invitation", .write, invitation) {
        """
        INSERT INTO invitations (user_id, token_hash, uses, uses_left, expires_at)
        SELECT u.id, $2, $3, $3, now() + $4::integer * interval '1 day' FROM users u
        WHERE u.id = $1
          AND (SELECT count(*) FROM invitations
               WHERE user_id = $1 AND uses_left > 0 AND expires_at > now()) < $5
          AND is_still_in($1, $6)
        RETURNING \($0)
        """
    }

    static let makeByOperator = Statement(
        "make_operators_invitation", .write,
        """
        INSERT INTO invitations (token_hash, uses, uses_left, expires_at)
        VALUES ($1, $2, $2, now() + $3::integer * interval '1 day')
        """)

    static let ofUser = Query("invitations", .read, invitation) {
        """
        SELECT \($0) FROM invitations
        WHERE user_id = $1 AND uses_left > 0 AND expires_at > now()
        ORDER BY created_at DESC, id LIMIT 100
        """
    }

    static let allOfUser = Query("all_invitations", .read, invitation) {
        "SELECT \($0) FROM invitations WHERE user_id = $1 ORDER BY created_at DESC, id"
    }

    static let revoke = Statement(
        "revoke_invitation", .write, "DELETE FROM invitations WHERE id = $1 AND user_id = $2")

    /// An SQL condition. People who are suspended by a moderator can't invite others.
    private static let canBeUsed = """
        token_hash = $1 AND uses_left > 0 AND expires_at > now()
        AND NOT EXISTS (SELECT FROM users u
                        WHERE u.id = invitations.user_id AND u.disabled_at IS NOT NULL)
        """

    static let isValid = Query(
        "invitation_is_valid", .read,
        column("EXISTS (SELECT FROM invitations WHERE \(canBeUsed))", Bool.self)
    )

    /// Two at once: the second one waits, and then sees how many uses are left.
    static let use = Statement(
        "use_invitation", .write,
        "UPDATE invitations SET uses_left = uses_left - 1 WHERE \(canBeUsed)")
}
