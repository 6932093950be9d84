/// What `ReadPlanTests` lets pass, and why.
enum ReadPlan {
    /// How many rows may be read for one statement. A rank is counted up to a thousand, and a search
    /// looks at two thousand names or entries. There are four thousand of everything.
    static let rows = 2_500

    /// Tables with few rows, however many people there are.
    static let smallTables: Set = [
        // Of the site itself.
        "platforms", "adult_games", "igdb_tokens", "signing_keys", "maintenance",
        "maintenance_mode", "schema_migrations", "schema_migration_steps", "administrator_links",
        // Emptied all the time; only maintenance and senders read them.
        "changes", "outgoing_mail", "outgoing_webhooks",
    ]

    struct Exception {
        /// How the statement's name begins; of a statement in a function, its text or its plan.
        let name: String
        let rows: Int
        let reason: String
    }

    /// Statements that may read more.
    static let exceptions =
        [
            Exception(
                name: "sitemap_lists", rows: 15_000,
                reason: "A part has the lists of forty pages of the table of users."),
            Exception(
                name: "WITH with_text AS MATERIALIZED", rows: 10_000,
                reason: """
                    A search for games. PostgreSQL rather reads four thousand names than its index
                    of them; `PlanTests` asks among forty thousand.
                    """),
            Exception(
                name: "moderation_log", rows: 10_000,
                reason: """
                    It asks of two hundred actions whether they are in force. While there are few
                    people, PostgreSQL rather reads all that are hidden at once.
                    """),
        ]
        + [
            "note_ranks", "ARRAY(SELECT d.game_id FROM public.count_differences",
            "Update on platforms p",
        ].map {
            Exception(name: $0, rows: .max, reason: "Upkeep, which no request waits for.")
        }

    /// Reads that no request of the test makes, and why.
    static let notRun: [(reason: String, names: [String])] = [
        (
            "Operators' and programs', not requests'.",
            [
                "account", "accounts", "backed_up_extensions", "backed_up_tables",
                "count_differences", "games_named", "has_administrator", "is_empty", "platform_ids",
                "present_relations", "stale_games",
            ]
        ),
        (
            "Of mail and webhooks that are sent in the background; that of reports counts open cases.",
            ["case_notice", "queued_mail", "report_mail", "told_games"]
        ),
        (
            "Only if there is IGDB, by keys, and of the few games that an operator has added.",
            ["cached_search", "games_found_elsewhere", "held_games", "igdb_token", "is_cover"]
        ),
        (
            "Of letting in an app, and signing in with a passkey, a code or another service, by keys.",
            [
                "credential_ids", "has_another_way_to_sign_in", "identity_is_of", "is_known_device",
                "is_retired", "mail_verification", "open_session_by_identity",
                "open_session_by_passkey", "open_session_for_app", "passkey", "reset_owner",
                "user_by_identity",
            ]
        ),
        (
            "Of forms, by the keys of what was sent.",
            [
                "draft", "games_on_list", "import_rows_at_places", "invitation_is_valid",
                "report_entry",
            ]
        ),
        (
            "Asked why something was refused, by keys.",
            ["refreshed_just_now", "suspension", "user_is_just_made"]
        ),
        (
            "Of a page that only a longer import has, by the key of the page.",
            ["import_rows_before"]
        ),
        (
            """
            Counts the games that share a rank, however many they are, if a page of a ranking begins \
            among them and a thousand games precede it.
            """,
            ["ranking_tied"]
        ),
    ]
}
