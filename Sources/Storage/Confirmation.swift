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

    fileprivate var parameters: [PostgresParameter] {
        [.uuid(userID), .uuid(sessionID), passwordDigest.map { .bytes($0) } ?? nil]
    }
}

/// A confirmation is no longer valid: the password has changed, the session has ended, the sign-in
/// is too long ago, or the account is disabled or gone.
public struct ConfirmationLapsedError: Error, Hashable, Sendable {}

extension Store {
    public func holds(_ confirmation: Confirmation) async throws(PostgresError) -> Bool {
        try await database.row(Confirmations.holds, confirmation.parameters)
    }

    /// Changes a way into an account if the confirmation is still valid, and notifies the account's
    /// address.
    ///
    /// The user is locked first. Every change that ends a confirmation for good, such as a new
    /// password, also locks the user. If that change comes first, nothing is written here; if it
    /// comes later, it removes what was written here.
    ///
    /// - Parameters:
    ///   - list: Whether to lock the list as well.
    ///   - kind: The mail that reports the change; `nil` if `change` queues it.
    ///   - change: Returns `nil` if it has changed nothing.
    /// - Throws: `ConfirmationLapsedError`, with nothing changed, and what `change` throws.
    func confirmed<Result>(
        by confirmation: Confirmation, lockingList list: Bool = false,
        telling kind: QueuedMail.Kind?, _ change: (Transaction) async throws -> Result?
    ) async throws -> Result? {
        let user = PostgresParameter.uuid(confirmation.userID)
        return try await database.withTransaction(
            lockingListsOf: list ? [confirmation.userID] : []
        ) { transaction in
            let holds = try await transaction.query(
                Confirmations.holds, confirmation.parameters,
                after: BoundStatement(Users.lock, [user]))
            guard holds == [true] else { throw ConfirmationLapsedError() }
            guard let result = try await change(transaction) else { return nil }
            if let kind { try await tell(kind, confirmation.userID, in: transaction) }
            return result
        }
    }

    /// Queues a mail to the address of a user, if any, about a change of a way in.
    func tell(
        _ kind: QueuedMail.Kind, _ userID: UUID, in transaction: Transaction
    ) async throws(PostgresError) {
        try await transaction.query(Mail.tell, [.uuid(userID), .text(kind.rawValue)])
    }
}

private enum Confirmations {
    static let holds = Query(
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
