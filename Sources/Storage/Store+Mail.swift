import FaveGames
import Foundation
import Postgres

/// A queued mail.
public struct QueuedMail: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Asks the owner of an address to confirm it.
        case verify
        /// Lets someone set a new password.
        case reset
        // The others notify an address that a way into its account has changed.
        /// The address was replaced or removed.
        case address
        /// A password was set.
        case password
        /// A passkey was added or removed.
        case passkey
        /// A provider was connected or disconnected.
        case identity
        /// Recovery codes were made.
        case codes
        /// A personal token was made.
        case token
        /// A webhook was set for a circle.
        case webhook
        /// The account was deleted.
        case deleted
        /// Tells a moderator that there are new reports.
        case reports
    }

    public let id: UUID
    public let kind: Kind
    public let userID: UUID?
    /// The text that someone typed for `reset`, and the address for a change; otherwise empty.
    public let subject: String
    /// The number of attempts so far, including this one.
    public let attempts: Int
    /// How long it has waited, by the database's clock.
    public let age: Duration
}

/// An account with the address that mail for it goes to.
public struct MailRecipient: Sendable {
    public let userID: UUID
    public let username: String
    public let address: MailAddress
}

/// The email addresses of a user.
public struct MailAddresses: Sendable {
    public let verified: String?
    /// The address that is not confirmed yet.
    public let pending: String?
}

extension Store {
    public func mailAddresses(userID: UUID) async throws(PostgresError) -> MailAddresses {
        try await database.row(Mail.ofUser, [.uuid(userID)])
    }

    /// Whether a moderator wants mail about new reports; `nil` without a confirmed address.
    public func wantsReportMail(userID: UUID) async throws(PostgresError) -> Bool? {
        try await database.query(Mail.wantsReports, [.uuid(userID)]).first
    }

    /// Chooses whether a moderator gets mail about new reports.
    ///
    /// - Returns: `false` without a confirmed address, and for anyone but a moderator.
    @_spi(Writing) public func setReportMail(
        _ isWanted: Bool, userID: UUID
    ) async throws(PostgresError) -> Bool {
        try await database.query(
            Mail.setReports, [.uuid(userID), .bool(isWanted)]
        ).affectedCount == 1
    }

    /// Stores an unconfirmed address, which replaces an earlier one, and queues the mail that asks
    /// for confirmation.
    ///
    /// - Parameter hours: How long the link is valid.
    /// - Throws: `ConfirmationLapsedError`.
    @_spi(Writing) public func addMailAddress(
        _ address: MailAddress, hours: Int, confirmedBy confirmation: Confirmation
    ) async throws {
        _ = try await confirmed(by: confirmation, telling: nil) { transaction in
            try await transaction.query(
                Mail.add,
                [
                    .uuid(confirmation.userID), .text(address.description),
                    .text(address.canonical), .int(hours),
                ])
        }
    }

    /// The user and the address that a link confirms; `nil` if it was used or has expired.
    public func mailVerification(
        tokenHash: [UInt8]
    ) async throws(PostgresError) -> (username: String, address: String)? {
        try await database.query(Mail.verification, [.bytes(tokenHash)]).first
            .map { (username: $0, address: $1) }
    }

    /// Confirms an address, which uses up the link. The owner of the earlier address is notified.
    ///
    /// - Returns: `false` if the link was used or has expired.
    @_spi(Writing) public func confirmMailAddress(tokenHash: [UInt8]) async throws(PostgresError)
        -> Bool
    {
        try await database.query(
            Mail.confirm, [.bytes(tokenHash)],
            after: BoundStatement(Mail.lockOwner, [.bytes(tokenHash)])
        ).affectedCount == 1
    }

    /// Removes the address of a user, and the unconfirmed one. The owner of the address is
    /// notified.
    ///
    /// - Throws: `ConfirmationLapsedError`.
    @_spi(Writing) public func removeMailAddress(confirmedBy confirmation: Confirmation)
        async throws
    {
        _ = try await confirmed(by: confirmation, telling: nil) { transaction in
            try await transaction.query(Mail.remove, [.uuid(confirmation.userID)])
        }
    }

    /// Queues a link to set a new password, whether or not there is such an account.
    ///
    /// - Parameter account: A username or an address, at most 254 bytes.
    @_spi(Writing) public func queueReset(of account: String) async throws(PostgresError) {
        try await database.query(Mail.queueReset, [.text(account)])
    }

    // MARK: Sending

    /// The next mail that is due. No one else gets it for the time of the lease, which grows with
    /// each attempt.
    @_spi(Writing) public func takeMail() async throws(PostgresError) -> QueuedMail? {
        try await database.query(Mail.take).first
    }

    /// Removes mail that was sent, or can't be.
    @_spi(Writing) public func finishMail(id: UUID) async throws(PostgresError) {
        try await database.query(Mail.finish, [.uuid(id)])
    }

    /// The recipients of a reset: the account with this username, or the accounts with this
    /// address.
    public func resetRecipients(of account: String) async throws(PostgresError) -> [MailRecipient] {
        let address = MailAddress(account)?.canonical
        let username = Username(account)?.description
        return try await database.query(
            Mail.resetRecipients, [.text(address), .text(username)]
        ).compactMap { $0 }
    }

    /// The recipient of a verification; `nil` if there is no longer an unconfirmed address.
    public func verificationRecipient(
        userID: UUID
    ) async throws(PostgresError) -> MailRecipient? {
        try await database.query(Mail.verificationRecipient, [.uuid(userID)]).first ?? nil
    }

    /// Where a moderator's mail about reports goes, and how many cases are open, not counting those about
    /// the moderator; `nil` if there is none, or the moderator no longer wants mail.
    public func reportMail(
        userID: UUID
    ) async throws(PostgresError) -> (recipient: MailRecipient, cases: Int)? {
        let found = try await database.query(Mail.reports, [.uuid(userID)]).first
        guard let (possible, cases) = found, let recipient = possible, cases > 0 else { return nil }
        return (recipient, cases)
    }

    /// Stores the digest of a link that asks to confirm an address. Earlier ones for the same address
    /// stay valid: mail may arrive although it seemed not to be accepted.
    ///
    /// - Returns: `false` if the user has since chosen another address.
    @_spi(Writing) public func addVerification(
        userID: UUID, address: MailAddress, tokenHash: [UInt8]
    ) async throws(PostgresError) -> Bool {
        try await database.query(
            Mail.addVerification, [.uuid(userID), .bytes(tokenHash), .text(address.description)]
        ).affectedCount == 1
    }

    /// Makes a link that sets a user's password. Earlier ones stay valid: mail may arrive late, or
    /// twice.
    ///
    /// - Parameter lifetime: In seconds.
    /// - Returns: `false`, with no link made, if the user no longer has the address.
    @_spi(Writing) public func addReset(
        to recipient: MailRecipient, tokenHash: [UInt8], lifetime: Int
    ) async throws(PostgresError) -> Bool {
        try await database.query(
            Mail.addReset,
            [
                .bytes(tokenHash), .uuid(recipient.userID), .int(lifetime),
                .text(recipient.address.description),
            ], after: BoundStatement(Users.lock, [.uuid(recipient.userID)])
        ).affectedCount == 1
    }

    /// How many mails wait to be sent, and for how long the oldest has waited, in seconds.
    public func queuedMail() async throws(PostgresError) -> (count: Int, seconds: Int) {
        try await database.row(Mail.queued)
    }
}

extension BulkStore {
    /// How many mails wait to be sent, and for how long the oldest has waited, in seconds.
    public func queuedMail() throws -> (count: Int, seconds: Int) { try session.row(Mail.queued) }
}

enum Mail {
    /// Notifies the address of a user, if any, of a change.
    static let tell = Statement(
        "tell_by_mail", .write,
        """
        INSERT INTO outgoing_mail (kind, user_id, subject)
        SELECT $2, user_id, address FROM mail_addresses WHERE user_id = $1
        """)

    /// Without the user, because everything that belongs to the user is deleted, too.
    static let tellOfDeletion = Statement(
        "tell_of_deletion", .write,
        """
        INSERT INTO outgoing_mail (kind, subject)
        SELECT 'deleted', address FROM mail_addresses WHERE user_id = $1
        """)

    static let ofUser = Query(
        "mail_addresses", .read,
        Columns<MailAddresses>([
            "(SELECT address FROM mail_addresses WHERE user_id = $1)",
            "(SELECT address FROM mail_verifications WHERE user_id = $1 AND expires_at > now())",
        ]) { row throws(PostgresError) in
            try MailAddresses(verified: row.next(), pending: row.next())
        }
    )

    static let add = Statement(
        "add_mail_address", .write,
        """
        WITH owner AS (
            SELECT id FROM users WHERE id = $1
        ), pending AS (
            INSERT INTO mail_verifications AS v (user_id, address, canonical, expires_at)
            SELECT id, $2, $3, now() + $4::integer * interval '1 hour' FROM owner
            ON CONFLICT (user_id) DO UPDATE
            SET address = excluded.address, canonical = excluded.canonical, token_hashes = '{}',
                expires_at = excluded.expires_at
        )
        INSERT INTO outgoing_mail (kind, user_id) SELECT 'verify', id FROM owner
        """)

    static let verification = Query(
        "mail_verification", .read,
        columns(column("u.username", String.self), column("v.address", String.self))
    ) {
        """
        SELECT \($0) FROM mail_verifications v JOIN public.users u ON u.id = v.user_id
        WHERE v.token_hashes @> ARRAY[$1::bytea] AND v.expires_at > now() AND u.disabled_at IS NULL
        """
    }

    static let lockOwner = Statement(
        "lock_owner_of_mail_address", .write,
        """
        SELECT FROM users
        WHERE id = (SELECT user_id FROM mail_verifications WHERE token_hashes @> ARRAY[$1::bytea])
        FOR NO KEY UPDATE
        """)

    /// For after `lockOwner`: someone who gets back in forgets the address, or comes after it.
    static let confirm = Statement(
        "confirm_mail_address", .write,
        """
        WITH confirmed AS (
            DELETE FROM mail_verifications
            WHERE token_hashes @> ARRAY[$1::bytea] AND expires_at > now()
            RETURNING user_id, address, canonical
        ), told AS (
            INSERT INTO outgoing_mail (kind, subject)
            SELECT 'address', a.address
            FROM mail_addresses a JOIN confirmed c USING (user_id)
            WHERE a.canonical <> c.canonical
        ), links AS (
            -- The resets that were sent to the old address.
            DELETE FROM password_resets WHERE user_id IN (
                SELECT user_id FROM mail_addresses a JOIN confirmed c USING (user_id)
                WHERE a.canonical <> c.canonical)
        )
        INSERT INTO mail_addresses (user_id, address, canonical)
        SELECT user_id, address, canonical FROM confirmed
        ON CONFLICT (user_id) DO UPDATE
        SET address = excluded.address, canonical = excluded.canonical, verified_at = now()
        """)

    static let remove = Statement(
        "remove_mail_address", .write,
        """
        WITH pending AS (
            DELETE FROM mail_verifications WHERE user_id = $1
        ), removed AS (
            DELETE FROM mail_addresses WHERE user_id = $1 RETURNING user_id, address
        ), links AS (
            DELETE FROM password_resets WHERE user_id IN (SELECT user_id FROM removed)
        )
        INSERT INTO outgoing_mail (kind, subject) SELECT 'address', address FROM removed
        """)

    static let queueReset = Statement(
        "queue_reset", .write, "INSERT INTO outgoing_mail (kind, subject) VALUES ('reset', $1)")

    private static let queuedMail = Columns<QueuedMail>(
        [
            "id", "kind", "user_id", "subject", "attempts",
            "(extract(epoch FROM now() - made_at) * 1000)::bigint",
        ]
    ) { row throws(PostgresError) in
        try QueuedMail(
            id: row.next(), kind: row.next(), userID: row.next(), subject: row.next(),
            attempts: row.next(), age: .milliseconds(row.next() as Int))
    }

    /// The lease is longer than the longest attempt, and doubles up to an hour.
    static let take = Query("take_mail", .write, queuedMail) {
        """
        UPDATE outgoing_mail
        SET attempts = attempts + 1,
            due_at = now() + least(interval '1 hour', interval '2 minutes' * 2 ^ least(attempts, 5))
        WHERE id = (SELECT id FROM outgoing_mail WHERE due_at <= now()
                    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING \($0)
        """
    }

    static let finish = Statement(
        "finish_mail", .write, "DELETE FROM outgoing_mail WHERE id = $1")

    private static let recipient = Columns<MailRecipient?>(
        ["u.id", "u.username", "m.address"]
    ) { row throws(PostgresError) in
        let (id, username, text): (UUID, String, String) =
            try (row.next(), row.next(), row.next())
        return MailAddress(text).map {
            MailRecipient(userID: id, username: username, address: $0)
        }
    }

    /// Bounded: someone may have given their address to any number of accounts.
    static let resetRecipients = Query("reset_recipients", .read, recipient) {
        """
        SELECT \($0) FROM mail_addresses m JOIN users u ON u.id = m.user_id
        WHERE (m.canonical = $1 OR u.username = $2) AND u.disabled_at IS NULL
        ORDER BY u.username LIMIT 5
        """
    }

    static let verificationRecipient = Query("verification_recipient", .read, recipient) {
        """
        SELECT \($0) FROM mail_verifications m JOIN users u ON u.id = m.user_id
        WHERE m.user_id = $1 AND m.expires_at > now() AND u.disabled_at IS NULL
        """
    }

    static let wantsReports = Query(
        "wants_report_mail", .read, column("reports_after IS NOT NULL", Bool.self)
    ) { "SELECT \($0) FROM mail_addresses WHERE user_id = $1" }

    /// Turning it on again doesn't end a wait.
    static let setReports = Statement(
        "set_report_mail", .write,
        """
        UPDATE mail_addresses a
        SET reports_after = CASE WHEN $2::boolean THEN coalesce(a.reports_after, now()) END
        FROM users u
        WHERE a.user_id = $1 AND u.id = a.user_id AND u.role <> 'user' AND u.disabled_at IS NULL
        """)

    static let reports = Query(
        "report_mail", .read,
        columns(
            recipient,
            column(
                "(SELECT count(*) FROM cases c WHERE c.closed_at IS NULL AND c.user_id IS DISTINCT FROM u.id)",
                Int.self))
    ) {
        """
        SELECT \($0) FROM mail_addresses m JOIN users u ON u.id = m.user_id
        WHERE m.user_id = $1 AND m.reports_after IS NOT NULL AND u.role <> 'user'
          AND u.disabled_at IS NULL
        """
    }

    static let addVerification = Statement(
        "add_verification", .write,
        """
        UPDATE mail_verifications SET token_hashes = token_hashes || $2::bytea
        WHERE user_id = $1 AND address = $3
        """)

    /// For after `Users.lock`: the owner of an address that is no longer the user's must not get a
    /// link.
    static let addReset = Statement(
        "add_reset", .write,
        """
        INSERT INTO password_resets (token_hash, user_id, by_mail, expires_at)
        SELECT $1, user_id, true, now() + $3::integer * interval '1 second'
        FROM mail_addresses WHERE user_id = $2 AND address = $4
        """)

    static let queued = Query(
        "queued_mail", .read,
        columns(
            column("count(*)", Int.self),
            column("coalesce(extract(epoch FROM now() - min(made_at)), 0)::bigint", Int.self))
    ) { "SELECT \($0) FROM (SELECT made_at FROM outgoing_mail LIMIT 10000) m" }
}
