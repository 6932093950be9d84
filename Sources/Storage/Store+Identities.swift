import FaveGames
import Foundation
import Postgres

/// Who a user is to a provider.
public struct LinkedIdentity: Hashable, Sendable {
    public let id: UUID
    public let issuer: String
    public let subject: String
    public let linkedAt: Date
}

/// What came of linking an identity to a user.
public enum LinkOutcome: Sendable {
    case linked
    case linkedBefore
    /// It is another user's.
    case isAnothers
    /// The user has as many as one may have.
    case tooMany
}

extension Store {
    public static let identityLimit = 10

    /// The providers that a user can sign in with, the first linked first.
    public func identities(userID: UUID) async throws(PostgresError) -> [LinkedIdentity] {
        var identities: [LinkedIdentity] = []
        for row in try await database.query(.identities, [.uuid(userID)]) {
            identities.append(
                LinkedIdentity(
                    id: try row[0], issuer: try row[1], subject: try row[2],
                    linkedAt: try row[3]))
        }
        return identities
    }

    public func link(
        userID: UUID, issuer: String, subject: String
    ) async throws -> LinkOutcome {
        try await database.withTransaction { transaction in
            // One at a time for each user: the bound holds.
            try await transaction.query(.lockUser, [.uuid(userID)])
            let parameters: [PostgresParameter] = [.text(issuer), .text(subject), .uuid(userID)]
            let linked = try await transaction.query(
                .linkIdentity, parameters + [.int(Self.identityLimit)])
            if !linked.isEmpty { return .linked }
            let rows = try await transaction.query(.identityIsOf, parameters)
            guard let row = rows.first else { return .tooMany }
            return try row[0] ? .linkedBefore : .isAnothers
        }
    }

    /// Takes an identity away from its user.
    ///
    /// - Returns: `false` if it is the last way to sign in, which must stay, or not there.
    public func unlink(userID: UUID, identityID: UUID) async throws -> Bool {
        try await database.withTransaction { transaction in
            // Two at once must not each leave the other one for the last.
            try await transaction.query(.lockUser, [.uuid(userID)])
            return try await transaction.query(
                .unlinkIdentity, [.uuid(userID), .uuid(identityID)]
            ).affectedCount == 1
        }
    }
}

extension Statement {
    static let identities = Statement(
        "identities", .read,
        """
        SELECT id, issuer, subject, linked_at
        FROM identities WHERE user_id = $1 ORDER BY linked_at, id
        """)

    static let lockUser = Statement(
        "lock_user", .write, "SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE")

    static let linkIdentity = Statement(
        "link_identity", .write,
        """
        INSERT INTO identities (issuer, subject, user_id)
        SELECT $1, $2, id FROM users
        WHERE id = $3 AND (SELECT count(*) FROM identities WHERE user_id = $3) < $4
        ON CONFLICT (issuer, subject) DO NOTHING
        RETURNING true
        """)

    static let identityIsOf = Statement(
        "identity_is_of", .read,
        "SELECT user_id = $3 FROM identities WHERE (issuer, subject) = ($1, $2)")

    static let unlinkIdentity = Statement(
        "unlink_identity", .write,
        """
        DELETE FROM identities
        WHERE user_id = $1 AND id = $2
          AND (EXISTS (SELECT FROM passwords WHERE user_id = $1)
               OR EXISTS (SELECT FROM identities WHERE user_id = $1 AND id <> $2))
        """)
}
