import FaveGames
import Freshness
package import Postgres

/// Data that is stored only for a limited time: what is deleted, when, and by which statement.
package struct ExpiringData: Sendable {
    /// The most rows that one statement deletes.
    package static let batch = 1000

    /// The end of the name of its task.
    package let name: String
    /// What is deleted, and when, in words.
    package let rule: String
    package let deletion: Statement
    package let batch: Int

    private init(
        _ name: String, _ rule: String, from table: String? = nil, where condition: String,
        batch: Int = batch
    ) {
        let table = table ?? name
        self.init(
            name, rule, batch: batch,
            """
            DELETE FROM \(table) WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM \(table) WHERE \(condition)
                LIMIT \(batch) FOR UPDATE SKIP LOCKED))
            """)
    }

    private init(_ name: String, _ rule: String, batch: Int, _ sql: String) {
        self.name = name
        self.rule = rule
        self.batch = batch
        deletion = Statement("delete_\(name)", .write, sql)
    }

    package static let all = [
        sessions, attempts, retiredIdentities, retiredUsernames, searches, pastRanks,
        idempotencyRecords, drafts,
        passwordResets, knownDevices, personalTokens, cases, reporters, invitations,
        circleInvitations, administratorLinks, mailVerifications, outgoingMail, usedChallenges,
        imports, outgoingWebhooks,
    ]

    package static let sessions = Self(
        "sessions", "sessions that have expired", where: "expires_at < now()")

    package static let attempts = Self(
        "attempts", "counts of attempts to sign in or sign up that have expired",
        where: "empty_at < now()")

    static let retiredIdentities = Self(
        "retired_identities",
        "digests that prevent others from taking a deleted account's sign-in, after "
            + "\(Retention.retiredIdentityDays) days",
        where: "retired_at < now() - interval '\(Retention.retiredIdentityDays) days'")

    static let retiredUsernames = Self(
        "retired_usernames",
        "digests that prevent others from taking a deleted account's usernames, after "
            + "\(Retention.usernameDays) days",
        where: "retired_at < now() - interval '\(Retention.usernameDays) days'")

    /// The next such search asks IGDB again.
    static let searches = Self(
        "searches",
        "searches that IGDB last responded to more than \(Retention.searchDays) days ago",
        from: "game_searches",
        where: "received_at < now() - interval '\(Retention.searchDays) days'")

    static let pastRanks = Self(
        "past_ranks", "ranks that are older than \(PastRankings.days) days",
        where: "taken_on < \(Today.sql) - \(PastRankings.days)")

    static let idempotencyRecords = Self(
        "idempotency_records",
        "responses to requests with an Idempotency-Key, after \(Retention.idempotencyRecordDays) day",
        where: "made_at < now() - interval '\(Retention.idempotencyRecordDays) day'")

    static let drafts = Self(
        "drafts", "lists that people started before signing up, after \(Retention.draftDays) day",
        where: "made_at < now() - interval '\(Retention.draftDays) day'")

    static let passwordResets = Self(
        "password_resets", "links to set a new password that have expired",
        where: "expires_at < now()")

    static let knownDevices = Self(
        "known_devices",
        "browsers that someone has signed in with, after \(Retention.deviceDays) days without use",
        where: "seen_at < now() - interval '\(Retention.deviceDays) days'")

    static let personalTokens = Self(
        "personal_tokens", "personal tokens, \(Retention.expiredTokenDays) days after they expired",
        where: "expires_at < now() - interval '\(Retention.expiredTokenDays) days'")

    static let cases = Self(
        "cases", "reports that were decided, after \(Retention.caseDays) days",
        where: "closed_at < now() - interval '\(Retention.caseDays) days'")

    /// The reports stay. From then on, a second report from the same network is counted again.
    static let reporters = Self(
        "report_networks",
        "digests of the networks that reports came from, after \(Retention.reporterDays) days",
        batch: batch,
        """
        UPDATE reports SET reporter = gen_random_uuid() WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM reports
            WHERE char_length(reporter) < 36
              AND made_at < now() - interval '\(Retention.reporterDays) days'
            LIMIT \(batch) FOR UPDATE SKIP LOCKED))
        """)

    static let invitations = Self(
        "invitations", "invitations, \(Retention.expiredTokenDays) days after they expired",
        where: "expires_at < now() - interval '\(Retention.expiredTokenDays) days'")

    static let circleInvitations = Self(
        "circle_invitations",
        "invitations to circles, \(Retention.expiredTokenDays) days after they expired",
        where: "expires_at < now() - interval '\(Retention.expiredTokenDays) days'")

    static let administratorLinks = Self(
        "administrator_links", "links for the first administrator that have expired",
        where: "expires_at < now()")

    static let mailVerifications = Self(
        "mail_verifications", "email addresses that were not confirmed within a day",
        where: "expires_at < now()")

    /// For servers without SMTP_URL: only a server that sends mail deletes undeliverable mail.
    static let outgoingMail = Self(
        "outgoing_mail", "mail that could not be sent for a day",
        where: "made_at < now() - interval '1 day'")

    static let usedChallenges = Self(
        "used_challenges",
        "digests of challenges that passkeys have responded to, once they expire",
        where: "expires_at < now()")

    /// Each has thousands of rows.
    static let imports = Self(
        "imports", "lists from elsewhere that people brought, after \(GameImport.days) days",
        where: "made_at < now() - interval '\(GameImport.days) days'", batch: 20)
}

extension ExpiringData {
    /// For servers without MODERATION_WEBHOOK_URL, and what waits behind a message that can't be
    /// delivered.
    static let outgoingWebhooks = Self(
        "outgoing_webhooks",
        "what could not be sent to webhooks for \(Retention.webhookDays) days",
        where: "made_at < now() - interval '\(Retention.webhookDays) days'")
}
