public import FaveGames
public import Foundation
public import Postgres

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
        case passkeyAdded = "passkey-added"
        case passkeyRemoved = "passkey-removed"
        /// A provider was connected.
        case identityAdded = "identity-added"
        case identityRemoved = "identity-removed"
        /// Recovery codes were made.
        case codes
        /// A personal token was made.
        case tokenAdded = "token-added"
        case tokenRemoved = "token-removed"
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
package struct MailRecipient: Sendable {
    package let userID: UUID
    package let username: String
    package let address: MailAddress
}

extension Store {
    public func mailAddresses(userID: UUID) async throws(PostgresError) -> MailAddresses {
        try await database.row(MailQueries.ofUser, [.uuid(userID)])
    }

    /// Whether a moderator wants mail about new reports; `nil` without a confirmed address.
    public func wantsReportMail(userID: UUID) async throws(PostgresError) -> Bool? {
        try await database.query(MailQueries.wantsReports, [.uuid(userID)]).first
    }

    /// The user and the address that a link confirms; `nil` if it was used or has expired.
    public func mailVerification(
        tokenHash: [UInt8]
    ) async throws(PostgresError) -> (username: String, address: String)? {
        try await database.query(MailQueries.verification, [.bytes(tokenHash)]).first
            .map { (username: $0, address: $1) }
    }

    // MARK: Sending

    /// The recipients of a reset: the account with this username, or the accounts with this
    /// address.
    package func resetRecipients(of account: String) async throws(PostgresError) -> [MailRecipient]
    {
        let address = MailAddress(account)?.canonical
        let username = Username(account)?.description
        return try await database.query(
            MailQueries.resetRecipients, [.text(address), .text(username)]
        ).compactMap { $0 }
    }

    /// The recipient of a verification; `nil` if there is no longer an unconfirmed address.
    package func verificationRecipient(userID: UUID) async throws(PostgresError) -> MailRecipient? {
        try await database.query(MailQueries.verificationRecipient, [.uuid(userID)]).first ?? nil
    }

    /// Where a moderator's mail about reports goes, and how many cases are open, not counting those about
    /// the moderator; `nil` if there is none, or the moderator no longer wants mail.
    package func reportMail(
        userID: UUID
    ) async throws(PostgresError) -> (recipient: MailRecipient, cases: Int)? {
        let found = try await database.query(MailQueries.reports, [.uuid(userID)]).first
        guard let (possible, cases) = found, let recipient = possible, cases > 0 else { return nil }
        return (recipient, cases)
    }

    /// How many mails wait to be sent, and for how long the oldest has waited, in seconds.
    public func queuedMail() async throws(PostgresError) -> (count: Int, seconds: Int) {
        try await database.row(MailQueries.queued)
    }
}

package enum MailQueries {
    package static let queuedMail = Columns<QueuedMail>(
        [
            "id", "kind", "user_id", "subject", "attempts",
            "(extract(epoch FROM now() - made_at) * 1000)::bigint",
        ]
    ) { row throws(PostgresError) in
        try QueuedMail(
            id: row.next(), kind: row.next(), userID: row.next(), subject: row.next(),
            attempts: row.next(), age: .milliseconds(row.next() as Int))
    }

    static let ofUser = Query(
        "mail_addresses", .read,
        Columns<MailAddresses>([
            "(SELECT address FROM mail_addresses WHERE user_id = $1)",
            "(SELECT address FROM mail_verifications WHERE user_id = $1 AND expires_at > now())",
        ]) { row throws(PostgresError) in
            try MailAddresses(verified: row.next(), pending: row.next())
        }
    )

    static let verification = Query(
        "mail_verification", .read,
        columns(column("u.username", String.self), column("v.address", String.self)),
        unfiltered: "The browser may be signed in to another account than the mail's."
    ) {
        """
        SELECT \($0) FROM mail_verifications v JOIN users u ON u.id = v.user_id
        WHERE v.token_hashes @> ARRAY[$1::bytea] AND v.expires_at > now() AND u.disabled_at IS NULL
        """
    }

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

    package static let queued = Query(
        "queued_mail", .read,
        columns(
            column("count(*)", Int.self),
            column("coalesce(extract(epoch FROM now() - min(made_at)), 0)::bigint", Int.self))
    ) { "SELECT \($0) FROM (SELECT made_at FROM outgoing_mail LIMIT 10000) m" }
}
