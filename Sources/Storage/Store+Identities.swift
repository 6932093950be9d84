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
        try await database.query(Identities.ofUser, [.uuid(userID)])
    }

    public func link(
        userID: UUID, issuer: String, subject: String
    ) async throws -> LinkOutcome {
        try await database.withTransaction { transaction in
            // One at a time for each user: the bound holds.
            try await transaction.query(Users.lock, [.uuid(userID)])
            let parameters: [PostgresParameter] = [.text(issuer), .text(subject), .uuid(userID)]
            let linked = try await transaction.query(
                Identities.link, parameters + [.int(Self.identityLimit)])
            if !linked.isEmpty { return .linked }
            switch try await transaction.query(Identities.isOfUser, parameters).first {
            case nil: return .tooMany
            case true?: return .linkedBefore
            case false?: return .isAnothers
            }
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
            try await transaction.query(Users.lock, [.uuid(userID)])
            let parameters: [PostgresParameter] = [.uuid(userID), .uuid(identityID)]
            let hasAnother = try await transaction.row(
                Identities.hasAnotherWayToSignIn,
                parameters + [.bool(countsPassword), .texts(issuers)])
            guard hasAnother else { return false }
            try await transaction.query(Identities.unlink, parameters)
            return true
        }
    }

    /// Whether an identity was given up after a moment: by its user's deletion, or by itself.
    public func isRetired(
        issuer: String, subject: String, since moment: Date
    ) async throws(PostgresError) -> Bool {
        try await database.row(
            Identities.isRetired,
            [
                .text(issuer), .text(subject), .text(String(moment.timeIntervalSince1970)),
            ])
    }
}

extension Users {
    fileprivate static let lock = Statement(
        "lock_user", .write, "SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE")
}

private enum Identities {
    private static let identity = Columns(
        ["id", "issuer", "subject", "linked_at"]
    ) { row throws(PostgresError) in
        try LinkedIdentity(
            id: row.next(), issuer: row.next(), subject: row.next(), linkedAt: row.next())
    }

    static let ofUser = Query("identities", .read, identity) {
        "SELECT \($0) FROM identities WHERE user_id = $1 ORDER BY linked_at, id"
    }

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
            """, Bool.self)
    ) { "SELECT \($0)" }

    static let unlink = Statement(
        "unlink_identity", .write, "DELETE FROM identities WHERE user_id = $1 AND id = $2")

    static let isRetired = Query(
        "is_retired", .read,
        column(
            """
            EXISTS (SELECT FROM retired_identities
                    WHERE digest = identity_digest($1, $2)
                      AND retired_at >= to_timestamp($3::double precision))
            """, Bool.self)
    ) { "SELECT \($0)" }
}
