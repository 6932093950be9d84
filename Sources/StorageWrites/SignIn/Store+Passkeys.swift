public import FaveGames
public import Foundation
public import Postgres
public import Storage

extension Store {
    /// Stores a passkey.
    ///
    /// - Parameter limit: The largest number of passkeys that the user may have then.
    /// - Throws: `ConfirmationLapsedError`.
    public func addPasskey(
        credentialID: [UInt8], publicKey: [UInt8], counter: Int, name: String, limit: Int,
        confirmedBy confirmation: Confirmation
    ) async throws -> NewPasskeyOutcome {
        do {
            let added = try await confirmed(by: confirmation, telling: .passkeyAdded) {
                transaction in
                let added = try await transaction.query(
                    Passkeys.add,
                    [
                        .uuid(confirmation.userID), .bytes(credentialID), .bytes(publicKey),
                        .int(counter), .text(name), .int(limit),
                    ])
                return added.affectedCount == 1 ? NewPasskeyOutcome.added : nil
            }
            return added ?? .tooMany
        } catch let error as PostgresError where error.constraint == "passkeys_credential_key" {
            return .isKnown
        }
    }

    /// Notes that someone has signed in with a passkey, once for each challenge.
    ///
    /// - Parameters:
    ///   - counter: The authenticator's counter. It must be greater than the stored one, unless
    ///     both are 0.
    ///   - challenge: The digest of the challenge, 32 bytes.
    ///   - lifetime: How long another response to the challenge would be accepted, in seconds.
    /// - Returns: `false`, with nothing changed, if the challenge was already used, another
    ///   response came first, or the passkey is gone.
    public func usePasskey(
        id: UUID, counter: Int, challenge: [UInt8], lifetime: Int
    ) async throws(PostgresError) -> Bool {
        try await database.query(
            Passkeys.use,
            [.uuid(id), .int(counter), .bytes(challenge), .int(lifetime)]
        ).affectedCount == 1
    }

    /// Removes one of a user's passkeys. If the user doesn't have it, this succeeds, too.
    ///
    /// - Parameters:
    ///   - countsPassword: Whether a password counts as a way to sign in.
    ///   - issuers: The issuers whose identities count as ways to sign in.
    /// - Returns: `false`, with nothing changed, if the user would have no way left to sign in.
    public func removePasskey(
        id: UUID, of userID: UUID, countsPassword: Bool, issuers: [String]
    ) async throws -> Bool {
        try await database.withTransaction { transaction in
            try await transaction.query(Users.lock, [.uuid(userID)])
            let hasAnother = try await transaction.row(
                Identities.hasAnotherWayToSignIn,
                [.uuid(userID), .uuid(id), .bool(countsPassword), .texts(issuers), true])
            guard hasAnother else { return false }
            let removed = try await transaction.query(Passkeys.remove, [.uuid(id), .uuid(userID)])
            if removed.affectedCount == 1 {
                try await tell(.passkeyRemoved, userID, in: transaction)
            }
            return true
        }
    }
}

extension Passkeys {
    static let add = Statement(
        "add_passkey", .write,
        """
        INSERT INTO passkeys (user_id, credential_id, public_key, counter, name)
        SELECT u.id, $2, $3, $4, $5 FROM users u
        WHERE u.id = $1 AND (SELECT count(*) FROM passkeys WHERE user_id = $1) < $6
        """)

    static let use = Statement(
        "use_passkey", .write,
        """
        WITH fresh AS (
            INSERT INTO used_challenges (digest, expires_at)
            SELECT $3, now() + $4::integer * interval '1 second'
            FROM passkeys WHERE id = $1 AND (counter < $2 OR counter = 0 AND $2::bigint = 0)
            ON CONFLICT (digest) DO NOTHING
            RETURNING true
        )
        UPDATE passkeys SET counter = $2, used_at = now()
        WHERE id = $1 AND (counter < $2 OR counter = 0 AND $2::bigint = 0)
          AND EXISTS (SELECT FROM fresh)
        """)

    static let remove = Statement(
        "remove_passkey", .write, "DELETE FROM passkeys WHERE id = $1 AND user_id = $2")
}
