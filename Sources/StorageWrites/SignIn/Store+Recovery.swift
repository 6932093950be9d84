public import FaveGames
public import Foundation
import Postgres
public import Storage

// Ways back in for people who have forgotten their password.
extension Store {
    /// Replaces all recovery codes of a user.
    ///
    /// - Parameter hashes: 32 bytes each.
    /// - Throws: `ConfirmationLapsedError`.
    public func replaceRecoveryCodes(
        hashes: [[UInt8]], confirmedBy confirmation: Confirmation
    ) async throws {
        _ = try await confirmed(by: confirmation, telling: .codes) { transaction in
            try await transaction.query(
                Recovery.replaceCodes, [.uuid(confirmation.userID), .byteStrings(hashes)])
        }
    }

    /// Uses up a recovery code, sets a password, and removes every other way in, and the email
    /// address.
    ///
    /// - Returns: `false`, with nothing changed, if the user no longer has this code.
    public func recover(
        userID: UUID, codeHash: [UInt8], passwordHash: String
    ) async throws -> Bool {
        try await setPassword(
            userID: userID, hash: passwordHash, using: Recovery.useCode, codeHash)
    }

    /// Uses up a reset link, sets a password, and removes every other way in, but not the email
    /// address that the link was sent to.
    ///
    /// - Returns: `false`, with nothing changed, if the link was used, or has expired.
    public func reset(userID: UUID, tokenHash: [UInt8], passwordHash: String) async throws -> Bool {
        try await setPassword(
            userID: userID, hash: passwordHash, using: Recovery.useReset, tokenHash)
    }

    /// - Parameter use: Uses up the code or link that allows this, and returns whether it proves
    ///   that the email address is the owner's. Its parameters are the user and the digest.
    private func setPassword(
        userID: UUID, hash: String, using use: Query<Bool>, _ digest: [UInt8]
    ) async throws -> Bool {
        try await database.withTransaction { transaction in
            let used = try await transaction.query(
                use, [.uuid(userID), .bytes(digest)],
                after: BoundStatement(Users.lock, [.uuid(userID)]))
            guard let keepsAddress = used.first else { return false }
            try await Recovery.setPassword(
                userID: userID, hash: hash, keepsAddress: keepsAddress, in: transaction)
            return true
        }
    }

    /// Sets a password for an operator, and removes every other way in, and the email address.
    public func setPassword(userID: UUID, hash: String) async throws {
        try await database.withTransaction { transaction in
            try await transaction.query(Users.lock, [.uuid(userID)])
            try await Recovery.setPassword(
                userID: userID, hash: hash, keepsAddress: false, in: transaction)
        }
    }

    /// Makes an operator's link that sets a user's password, which replaces earlier links.
    ///
    /// - Parameters:
    ///   - tokenHash: 32 bytes.
    ///   - lifetime: In seconds.
    public func makeReset(userID: UUID, tokenHash: [UInt8], lifetime: Int) async throws {
        try await database.withTransaction { transaction in
            try await transaction.query(Recovery.forgetResets, [.uuid(userID)])
            try await transaction.query(
                Recovery.makeReset, [.bytes(tokenHash), .uuid(userID), .int(lifetime)])
        }
    }
}

extension Recovery {
    static let replaceCodes = Statement(
        "replace_recovery_codes", .write,
        """
        WITH gone AS (
            DELETE FROM recovery_codes WHERE user_id = $1
        )
        INSERT INTO recovery_codes (user_id, hash)
        SELECT u.id, code FROM users u, unnest($2::bytea[]) code WHERE u.id = $1
        """)

    /// Gives an account back to its owner, after `Users.lock`: sets a password, removes all other ways in,
    /// and ends what lets others learn of what is the owner's or get into it: webhooks, and links that
    /// invite people.
    static func setPassword(
        userID: UUID, hash: String, keepsAddress: Bool, in transaction: Transaction
    ) async throws(PostgresError) {
        let user = PostgresParameter.uuid(userID)
        try await transaction.query(Passwords.set, [user, .text(hash)])
        try await transaction.query(evict, [user])
        _ = try await transaction.query(closeCircles, [user])
        try await transaction.query(
            MailQueries.tell, [user, .text(QueuedMail.Kind.password.rawValue)])
        if !keepsAddress { try await transaction.query(MailQueries.remove, [user]) }
    }

    /// The account may have been in someone else's hands. There is a password, so its owner isn't
    /// locked out.
    private static let evict = Statement(
        "evict", .write,
        """
        WITH open AS (
            DELETE FROM sessions WHERE user_id = $1
        ), tokens AS (
            DELETE FROM personal_tokens WHERE user_id = $1
        ), connected AS (
            DELETE FROM identities WHERE user_id = $1
        ), codes AS (
            DELETE FROM recovery_codes WHERE user_id = $1
        ), pending AS (
            DELETE FROM mail_verifications WHERE user_id = $1
        ), feed AS (
            DELETE FROM follow_feeds WHERE user_id = $1
        ), links AS (
            DELETE FROM invitations WHERE user_id = $1
        ), apps AS (
            DELETE FROM apps WHERE user_id = $1
        )
        DELETE FROM passkeys WHERE user_id = $1
        """)

    private static let closeCircles = Query(
        "close_circles", .write, column("close_circles($1) IS NULL", Bool.self)
    )

    static let forgetPendingAddress = Statement(
        "forget_pending_address", .write, "DELETE FROM mail_verifications WHERE user_id = $1")

    static let useCode = Query(
        "use_recovery_code", .write, column("false", Bool.self)
    ) { "DELETE FROM recovery_codes WHERE (user_id, hash) = ($1, $2) RETURNING \($0)" }

    static let useReset = Query("use_reset", .write, column("by_mail", Bool.self)) {
        """
        DELETE FROM password_resets
        WHERE user_id = $1 AND token_hash = $2 AND expires_at > now()
        RETURNING \($0)
        """
    }

    static let forgetResets = Statement(
        "forget_resets", .write, "DELETE FROM password_resets WHERE user_id = $1")

    static let makeReset = Statement(
        "make_reset", .write,
        """
        INSERT INTO password_resets (token_hash, user_id, expires_at)
        VALUES ($1, $2, now() + $3::integer * interval '1 second')
        """)
}
