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

    /// Takes an identity away from its user. One that is not there is taken away already.
    ///
    /// - Parameters:
    ///   - countsPassword: Whether a password is a way to sign in.
    ///   - issuers: Whose identities are.
    /// - Returns: `false` if no way to sign in would be left, with nothing changed.
    public func unlink(
        userID: UUID, identityID: UUID, countsPassword: Bool, issuers: [String]
    ) async throws -> Bool {
        try await database.withTransaction { transaction in
            // Two at once must not each leave the other one for the last.
            try await transaction.query(.lockUser, [.uuid(userID)])
            let parameters: [PostgresParameter] = [.uuid(userID), .uuid(identityID)]
            let hasAnother: Bool = try await transaction.query(
                .hasAnotherWayToSignIn, parameters + [.bool(countsPassword), .texts(issuers)])[0][0]
            guard hasAnother else { return false }
            try await transaction.query(.unlinkIdentity, parameters)
            return true
        }
    }

    /// Whether an identity was given up after a moment: by its user's deletion, or by itself.
    public func isRetired(
        issuer: String, subject: String, since moment: Date
    ) async throws(PostgresError) -> Bool {
        try await database.query(
            .isRetired,
            [
                .text(issuer), .text(subject), .text(String(moment.timeIntervalSince1970)),
            ])[0][0]
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

    static let hasAnotherWayToSignIn = Statement(
        "has_another_way_to_sign_in", .read,
        """
        SELECT $3::boolean AND EXISTS (SELECT FROM passwords WHERE user_id = $1)
            OR EXISTS (SELECT FROM identities
                       WHERE user_id = $1 AND id <> $2 AND issuer = ANY ($4::text[]))
        """)

    static let unlinkIdentity = Statement(
        "unlink_identity", .write, "DELETE FROM identities WHERE user_id = $1 AND id = $2")

    static let isRetired = Statement(
        "is_retired", .read,
        """
        SELECT EXISTS (SELECT FROM retired_identities
                       WHERE digest = identity_digest($1, $2)
                         AND retired_at >= to_timestamp($3::double precision))
        """)
}
