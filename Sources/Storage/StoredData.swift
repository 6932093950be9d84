import FaveGames

/// The data that is stored about people, each kind declared once. The table in
/// docs/stored-data.md is made from this. Tests compare it with the page on privacy, with the export and
/// with the database's tables.
public struct StoredData: Sendable {
    /// The id of its item on the page on privacy.
    public let id: String
    /// Whether it is stored only if the site has a mail server.
    public let needsMail: Bool
    public let parts: [Part]

    /// Data that belongs together for operators.
    public struct Part: Sendable {
        public let tables: [String]
        public let what: String
        /// How long it is stored.
        public let term: String
        public let export: Export

        init(_ tables: String..., what: String, term: String, export: Export) {
            self.tables = tables
            self.what = what
            self.term = term
            self.export = export
        }
    }

    /// Whether people get it when they download what is stored about them.
    public enum Export: Sendable {
        /// In these members of the document.
        case members(Set<String>)
        case leftOut(as: LeftOut)
    }

    /// The reason why something is not in the export.
    public enum LeftOut: Sendable {
        /// Only a digest, and when it was made or used.
        case digest
        /// It is gone in a day or less.
        case brief
        /// It says what is still to be sent, and is gone then, or in some days.
        case pending
        /// Its owner is unknown.
        case nobodys
        /// Others must be able to speak freely.
        case confidential
    }

    private init(
        _ id: String, needsMail: Bool = false, _ parts: Part...
    ) {
        self.id = id
        self.needsMail = needsMail
        self.parts = parts
    }

    /// The tables with nothing about people in them: games, counts, keys and upkeep.
    public static let otherTables: Set<String> = [
        "platforms", "games", "adult_games", "game_names", "game_platforms", "igdb_tokens",
        "included_by",
        "past_ranks",
        "heart_counts", "signing_keys", "maintenance", "maintenance_mode", "changes",
        "schema_migrations",
        "schema_migration_steps",
    ]

    public static let all: [StoredData] = [
        StoredData(
            "users",
            Part(
                "users", "lists", "entries",
                what:
                    "usernames, display names, descriptions, lists with reasons, ratings and tags",
                term: "until the person changes or deletes them",
                export: .members(["user", "list"]))),
        StoredData(
            "former-usernames",
            Part(
                "former_usernames", what: "former usernames, so that old links keep working",
                term: "until the person gives them up, or the account is deleted",
                export: .members(["user"])),
            Part(
                "retired_usernames",
                what:
                    "digests of usernames of deleted accounts, so that no one takes them, and of those "
                    + "that someone left before ten others",
                term: "\(Retention.usernameDays) days", export: .leftOut(as: .digest))),
        StoredData(
            "snapshots",
            Part(
                "snapshots", "snapshot_entries", what: "snapshots: lists as they were",
                term: "until the person deletes them, or the account",
                export: .members(["snapshots"]))),
        StoredData(
            "passwords",
            Part(
                "passwords", what: "a hash of a password (scrypt)",
                term: "until the account is deleted", export: .members(["password"]))),
        StoredData(
            "identities",
            Part(
                "identities",
                what: "the issuer and subject of a sign-in with OpenID Connect",
                term: "until it is removed or the account deleted",
                export: .members(["identities"])),
            Part(
                "retired_identities",
                what: "a digest of these, so that no one else takes a deleted account's place",
                term: "\(Retention.retiredIdentityDays) days after the account is deleted",
                export: .leftOut(as: .digest))),
        StoredData(
            "known-devices",
            Part(
                "known_devices",
                what:
                    "digests of secrets of the browsers and programs that someone has signed in with",
                term: "\(Retention.deviceDays) days without use, or until the password is set",
                export: .members(["knownBrowsers"]))),
        StoredData(
            "recovery-codes",
            Part(
                "recovery_codes", what: "digests of recovery codes, and when they were made",
                term: "until one is used, a link sets the password, or the account is deleted",
                export: .members(["recoveryCodes"])),
            Part(
                "password_resets", what: "digests of links to set a new password",
                term: "an hour, or until the password is set", export: .leftOut(as: .digest))),
        StoredData(
            "passkeys",
            Part(
                "passkeys",
                what:
                    "public keys and names of passkeys, with the times of their first and last use",
                term: "until they are removed or the account deleted",
                export: .members(["passkeys"])),
            Part(
                "used_challenges", what: "digests of challenges that passkeys have responded to",
                term: "five minutes", export: .leftOut(as: .digest)),
            Part(
                "personal_tokens",
                what:
                    "names, scopes and times of people's API tokens, with digests of them",
                term:
                    "until they are revoked, or \(Retention.expiredTokenDays) days after they expire",
                export: .members(["tokens"]))),
        StoredData(
            "mail-addresses",
            needsMail: true,
            Part(
                "mail_addresses", what: "email addresses that people have added and confirmed",
                term: "until they are removed or the account deleted",
                export: .members(["mailAddresses"])),
            Part(
                "mail_verifications", what: "email addresses that wait to be confirmed",
                term: "a day", export: .members(["mailAddresses"])),
            Part(
                "outgoing_mail", what: "what is to be sent by email",
                term: "until it is sent, or a day", export: .leftOut(as: .brief))),
        StoredData(
            "follows",
            Part(
                "follows", what: "who follows whom, since when",
                term: "until one of the two ends it or deletes their account",
                export: .members(["following", "followers"])),
            Part(
                "follow_feeds", what: "a digest of the secret address of someone's private feed",
                term: "until it is renewed or removed, or the account deleted",
                export: .members(["followFeed"]))),
        StoredData(
            "blocks",
            Part(
                "blocks", what: "who has blocked whom, since when",
                term: "until they unblock them, or one of the two deletes their account",
                export: .members(["blocks"]))),
        StoredData(
            "hearts",
            Part(
                "hearts", what: "who says “me too” to which reasons",
                term:
                    "until it is taken back, the reason or its game changes, or either account "
                    + "is deleted",
                export: .members(["hearts"]))),
        StoredData(
            "news-visits",
            Part(
                "news_visits", what: "when someone last looked at what is new for them",
                term: "until the account is deleted", export: .members(["user"]))),
        StoredData(
            "circles",
            Part(
                "circles", what: "names, addresses and descriptions of circles",
                term: "until the owner deletes them, or the last member is gone",
                export: .members(["circles"])),
            Part(
                "circle_members", what: "who is in a circle, and since when",
                term: "until they leave, are removed or delete their account",
                export: .members(["circles"])),
            Part(
                "circle_invitations",
                what: "digests of invitations to circles, with how often they can still be used",
                term: "\(Retention.expiredTokenDays) days after they expire, or until someone is "
                    + "removed or the circle changes hands",
                export: .members(["circles"]))),
        StoredData(
            "circle-webhooks",
            Part(
                "circle_webhooks",
                what: "addresses that owners have the changes in their circles sent to, with the "
                    + "secrets that sign them",
                term: "until they are removed, the circle changes hands or is deleted",
                export: .members(["webhooks"])),
            Part(
                "outgoing_webhooks", what: "what is to be sent to webhooks",
                term: "until it is sent, or \(Retention.webhookDays) days",
                export: .leftOut(as: .pending))),
        StoredData(
            "invitations",
            Part(
                "invitations",
                what: "digests of invitations, with how often they can still be used",
                term: "\(Retention.expiredTokenDays) days after they expire",
                export: .members(["invitations"])),
            Part(
                "administrator_links",
                what: "a digest of the link for the first administrator", term: "a day",
                export: .leftOut(as: .nobodys))),
        StoredData(
            "reports",
            Part(
                "reports",
                what: "reports, with what reporters wrote and a digest of the network of those who "
                    + "weren't signed in",
                term:
                    "\(Retention.caseDays) days after they were decided; the digest until then, or "
                    + "\(Retention.reporterDays) days",
                export: .members(["reports"])),
            Part(
                "cases", what: "what was reported, and whom it concerns",
                term: "\(Retention.caseDays) days after it was decided",
                export: .leftOut(as: .confidential))),
        StoredData(
            "moderation-actions",
            Part(
                "moderation_actions", "hidden_comments", "hidden_circles",
                what:
                    "what moderators did and why, and the reasons and names of circles that they "
                    + "hid",
                term: "without limit; without names once the accounts are deleted",
                export: .members(["notices"]))),
        StoredData(
            "sessions",
            Part(
                "sessions",
                what:
                    "digests of session and refresh tokens, with the times of their first and last "
                    + "use, the browser's or program's name, the app that they were given to and what "
                    + "it may do, and the network (/24 or /48) they were opened from",
                term:
                    "until the person signs out, `SESSION_IDLE_DAYS` without use, or `SESSION_DAYS`",
                export: .members(["sessions"])),
            Part(
                "apps", what: "names and addresses of apps that people have registered",
                term: "until they are removed or the account deleted",
                export: .members(["apps"]))),
        StoredData(
            "attempts",
            Part(
                "attempts",
                what:
                    "how often someone tried something that is limited, such as to sign in: digests "
                    + "of names and network addresses, made with a key of the server",
                term: "up to an hour for signing in and up; up to a day for other things",
                export: .leftOut(as: .brief))),
        StoredData(
            "idempotency-records",
            Part(
                "idempotency_records",
                what:
                    "responses to requests of the API with an `Idempotency-Key`, encrypted, with "
                    + "digests of network addresses", term: "a day",
                export: .leftOut(as: .brief))),
        StoredData(
            "drafts",
            Part(
                "drafts", what: "lists that people start before they sign up", term: "a day",
                export: .leftOut(as: .brief))),
        StoredData(
            "imports",
            Part(
                "imports", "import_rows",
                what: "rows of files with games from elsewhere, as suggestions",
                term: "\(GameImport.days) days, or until the person deletes them or brings another "
                    + "file",
                export: .members(["import"]))),
        StoredData(
            "game-searches",
            Part(
                "game_searches", what: "what people search for, but not who did",
                term: "\(Retention.searchDays) days after IGDB last responded to it",
                export: .leftOut(as: .nobodys))),
    ]
}
