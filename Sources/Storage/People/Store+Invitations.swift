public import FaveGames
public import Foundation
public import Postgres

extension Store {
    /// A user's invitations that can still be used, the latest first.
    public func invitations(userID: UUID) async throws(PostgresError) -> [Invitation] {
        try await database.query(InvitationQueries.ofUser, [.uuid(userID)])
    }

    /// Whether an invitation can be used now.
    public func isValid(invitation tokenHash: [UInt8]) async throws(PostgresError) -> Bool {
        try await database.row(InvitationQueries.isValid, [.bytes(tokenHash)])
    }
}

package enum InvitationQueries {
    package static let invitation = Columns<Invitation>(
        ["id", "uses", "uses_left", "created_at", "expires_at"]
    ) { row throws(PostgresError) in
        try Invitation(
            id: row.next(), uses: row.next(), usesLeft: row.next(), createdAt: row.next(),
            expiresAt: row.next())
    }

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

    /// An SQL condition. People who are suspended by a moderator can't invite others.
    package static let canBeUsed = """
        token_hash = $1 AND uses_left > 0 AND expires_at > now()
        AND NOT EXISTS (SELECT FROM users u
                        WHERE u.id = invitations.user_id AND u.disabled_at IS NOT NULL)
        """

    static let isValid = Query(
        "invitation_is_valid", .read,
        column("EXISTS (SELECT FROM invitations WHERE \(canBeUsed))", Bool.self)
    )
}
