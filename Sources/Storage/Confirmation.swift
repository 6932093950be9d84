import Foundation
import Postgres

/// The proof that an account's owner gives before a way into the account changes: that they know
/// its password or, if there is no password, that they have just signed in.
///
/// Everything that gives someone a way in takes a confirmation, and is written by
/// `Store.confirmed`, which checks that it still holds.
public struct Confirmation: Hashable, Sendable {
    /// How long a sign-in confirms changes of an account without a password, in seconds.
    public static let freshness = 600

    public let userID: UUID
    /// The session of the request; `nil` at sign-up, and for a token without a session.
    public let sessionID: UUID?
    /// SHA-256 of the stored hash of the password; `nil` if the account has no password.
    public let passwordDigest: [UInt8]?

    public init(userID: UUID, sessionID: UUID? = nil, passwordDigest: [UInt8]? = nil) {
        self.userID = userID
        self.sessionID = sessionID
        self.passwordDigest = passwordDigest
    }

    package var parameters: [PostgresParameter] {
        [.uuid(userID), .uuid(sessionID), passwordDigest.map { .bytes($0) } ?? nil]
    }
}

/// A confirmation is no longer valid: the password has changed, the session has ended, the sign-in
/// is too long ago, or the account is disabled or gone.
public struct ConfirmationLapsedError: Error, Hashable, Sendable {
    package init() {}
}

extension Store {
    public func holds(_ confirmation: Confirmation) async throws(PostgresError) -> Bool {
        try await database.row(Confirmations.holds, confirmation.parameters)
    }
}

package enum Confirmations {
    package static let holds = Query(
        "confirmation_holds", .read,
        column(
            """
            EXISTS (
                SELECT FROM users u LEFT JOIN passwords p ON p.user_id = u.id
                WHERE u.id = $1 AND u.disabled_at IS NULL
                  AND sha256(convert_to(p.hash, 'UTF8')) IS NOT DISTINCT FROM $3::bytea
                  AND ($2::uuid IS NULL OR EXISTS (
                      SELECT FROM sessions s
                      WHERE s.id = $2::uuid AND s.user_id = $1 AND s.expires_at > now()
                        AND ($3::bytea IS NOT NULL
                             OR s.created_at > now() - interval '\(Confirmation.freshness) seconds'))))
            """, Bool.self)
    )
}
