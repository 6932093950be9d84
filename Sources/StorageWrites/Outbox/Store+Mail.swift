public import FaveGames
public import Foundation
public import Postgres
public import Storage

extension Store {
    /// Chooses whether a moderator gets mail about new reports.
    ///
    /// - Returns: `false` without a confirmed address, and for anyone but a moderator.
    public func setReportMail(_ isWanted: Bool, userID: UUID) async throws(PostgresError) -> Bool {
        try await database.query(
            MailQueries.setReports, [.uuid(userID), .bool(isWanted)]
        ).affectedCount == 1
    }

    /// Stores an unconfirmed address, which replaces an earlier one, and queues the mail that asks
    /// for confirmation.
    ///
    /// - Parameter hours: How long the link is valid.
    /// - Throws: `ConfirmationLapsedError`.
    public func addMailAddress(
        _ address: MailAddress, hours: Int, confirmedBy confirmation: Confirmation
    ) async throws {
        _ = try await confirmed(by: confirmation, telling: nil) { transaction in
            try await transaction.query(
                MailQueries.add,
                [
                    .uuid(confirmation.userID), .text(address.description),
                    .text(address.canonical), .int(hours),
                ])
        }
    }

    /// Confirms an address, which uses up the link. The owner of the earlier address is notified.
    ///
    /// - Returns: `false` if the link was used or has expired.
    public func confirmMailAddress(tokenHash: [UInt8]) async throws(PostgresError) -> Bool {
        try await database.query(
            MailQueries.confirm, [.bytes(tokenHash)],
            after: BoundStatement(MailQueries.lockOwner, [.bytes(tokenHash)])
        ).affectedCount == 1
    }

    /// Removes the address of a user, and the unconfirmed one. The owner of the address is
    /// notified.
    ///
    /// - Throws: `ConfirmationLapsedError`.
    public func removeMailAddress(confirmedBy confirmation: Confirmation) async throws {
        _ = try await confirmed(by: confirmation, telling: nil) { transaction in
            try await transaction.query(MailQueries.remove, [.uuid(confirmation.userID)])
        }
    }

    /// Queues a link to set a new password, whether or not there is such an account.
    ///
    /// - Parameter account: A username or an address, at most 254 bytes.
    public func queueReset(of account: String) async throws(PostgresError) {
        try await database.query(MailQueries.queueReset, [.text(account)])
    }

    // MARK: Sending

    /// Stores the digest of a link that asks to confirm an address. Earlier ones for the same address
    /// stay valid: mail may arrive although it seemed not to be accepted.
    ///
    /// - Returns: `false` if the user has since chosen another address.
    public func addVerification(
        userID: UUID, address: MailAddress, tokenHash: [UInt8]
    ) async throws(PostgresError) -> Bool {
        try await database.query(
            MailQueries.addVerification,
            [.uuid(userID), .bytes(tokenHash), .text(address.description)]
        ).affectedCount == 1
    }

    /// Makes a link that sets a user's password. Earlier ones stay valid: mail may arrive late, or
    /// twice.
    ///
    /// - Parameter lifetime: In seconds.
    /// - Returns: `false`, with no link made, if the user no longer has the address.
    package func addReset(
        to recipient: MailRecipient, tokenHash: [UInt8], lifetime: Int
    ) async throws(PostgresError) -> Bool {
        try await database.query(
            MailQueries.addReset,
            [
                .bytes(tokenHash), .uuid(recipient.userID), .int(lifetime),
                .text(recipient.address.description),
            ], after: BoundStatement(Users.lock, [.uuid(recipient.userID)])
        ).affectedCount == 1
    }
}

extension MailQueries {
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

    /// Turning it on again doesn't end a wait.
    static let setReports = Statement(
        "set_report_mail", .write,
        """
        UPDATE mail_addresses a
        SET reports_after = CASE WHEN $2::boolean THEN coalesce(a.reports_after, now()) END
        FROM users u
        WHERE a.user_id = $1 AND u.id = a.user_id AND u.role <> 'user' AND u.disabled_at IS NULL
        """)

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
}

extension BulkStore {
    /// As `Store.queuedMail`.
    package func queuedMail() throws -> (count: Int, seconds: Int) {
        try session.row(MailQueries.queued)
    }
}
