public import FaveGames
public import Foundation
public import Postgres
public import Storage

extension Store {
    /// Makes an invitation.
    ///
    /// - Parameters:
    ///   - tokenHash: 32 bytes.
    ///   - uses: How many people it is for, 1 to 100.
    ///   - limit: The largest number of invitations that the user may have then.
    /// - Returns: `nil` if there would be too many, or if the user or the request's way in is gone.
    public func makeInvitation(
        userID: UUID, tokenHash: [UInt8], uses: Int, days: Int, limit: Int
    ) async throws(PostgresError) -> Invitation? {
        try await database.query(
            InvitationQueries.make,
            [
                .uuid(userID), .bytes(tokenHash), .int(uses), .int(days), .int(limit),
                .uuid(database.viewer?.wayIn),
            ],
            after: BoundStatement(Users.lock, [.uuid(userID)])
        ).first
    }

    /// Makes an invitation of the operator's.
    public func makeInvitation(
        tokenHash: [UInt8], uses: Int, days: Int
    ) async throws(PostgresError) {
        try await database.query(
            InvitationQueries.makeByOperator, [.bytes(tokenHash), .int(uses), .int(days)])
    }

    /// Revokes one of a user's invitations. If the user doesn't have it, this succeeds, too.
    public func revokeInvitation(id: UUID, of userID: UUID) async throws(PostgresError) {
        try await database.query(InvitationQueries.revoke, [.uuid(id), .uuid(userID)])
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
                        InvitationQueries.use, [.bytes(invitation)])
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

extension InvitationQueries {
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

    static let revoke = Statement(
        "revoke_invitation", .write, "DELETE FROM invitations WHERE id = $1 AND user_id = $2")

    /// Two at once: the second one waits, and then sees how many uses are left.
    static let use = Statement(
        "use_invitation", .write,
        "UPDATE invitations SET uses_left = uses_left - 1 WHERE \(canBeUsed)")
}
