public import FaveGames
public import Foundation
import Postgres
public import Storage

extension Store {
    /// Gives a user another identity to sign in with.
    ///
    /// - Throws: `ConfirmationLapsedError`.
    public func link(
        issuer: String, subject: String, confirmedBy confirmation: Confirmation
    ) async throws -> LinkOutcome {
        let parameters: [PostgresParameter] = [
            .text(issuer), .text(subject), .uuid(confirmation.userID),
        ]
        let linked = try await confirmed(by: confirmation, telling: .identityAdded) { transaction in
            let linked = try await transaction.query(
                Identities.link, parameters + [.int(Self.identityLimit)])
            return linked.isEmpty ? nil : LinkOutcome.linked
        }
        if let linked { return linked }
        switch try await database.query(Identities.isOfUser, parameters).first {
        case nil: return .tooMany
        case true?: return .linkedBefore
        case false?: return .isAnothers
        }
    }

    /// Removes an identity from its user. If the user doesn't have it, this succeeds, too.
    ///
    /// - Parameters:
    ///   - countsPassword: Whether a password counts as a way to sign in, and passkeys.
    ///   - issuers: The issuers whose identities count as ways to sign in.
    /// - Returns: `false`, with nothing changed, if the user would have no way left to sign in.
    public func unlink(
        userID: UUID, identityID: UUID, countsPassword: Bool, countsPasskeys: Bool = false,
        issuers: [String]
    ) async throws -> Bool {
        try await database.withTransaction { transaction in
            // Otherwise two concurrent calls could each rely on the identity that the other one
            // removes.
            try await transaction.query(Users.lock, [.uuid(userID)])
            let parameters: [PostgresParameter] = [.uuid(userID), .uuid(identityID)]
            let hasAnother = try await transaction.row(
                Identities.hasAnotherWayToSignIn,
                parameters + [.bool(countsPassword), .texts(issuers), .bool(countsPasskeys)])
            guard hasAnother else { return false }
            let unlinked = try await transaction.query(Identities.unlink, parameters)
            if unlinked.affectedCount == 1 {
                try await tell(.identityRemoved, userID, in: transaction)
            }
            return true
        }
    }
}

extension Users {
    static let lock = Statement(
        "lock_user", .write, "SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE")
}

extension Identities {
    static let link = Statement(
        "link_identity", .write,
        """
        INSERT INTO identities (issuer, subject, user_id)
        SELECT $1, $2, id FROM users
        WHERE id = $3 AND (SELECT count(*) FROM identities WHERE user_id = $3) < $4
        ON CONFLICT (issuer, subject) DO NOTHING
        RETURNING true
        """)

    static let isOfUser = Query("identity_is_of", .read, column("user_id = $3", Bool.self)) {
        "SELECT \($0) FROM identities WHERE (issuer, subject) = ($1, $2)"
    }

    static let hasAnotherWayToSignIn = Query(
        "has_another_way_to_sign_in", .read,
        column(
            """
            $3::boolean AND EXISTS (SELECT FROM passwords WHERE user_id = $1)
            OR EXISTS (SELECT FROM identities
                       WHERE user_id = $1 AND id <> $2 AND issuer = ANY ($4::text[]))
            OR $5::boolean AND EXISTS (SELECT FROM passkeys WHERE user_id = $1 AND id <> $2)
            """, Bool.self)
    )

    static let unlink = Statement(
        "unlink_identity", .write, "DELETE FROM identities WHERE user_id = $1 AND id = $2")
}
