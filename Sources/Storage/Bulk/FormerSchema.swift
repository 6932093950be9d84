/// The schema of the versions before 1.0, whose backups can be restored.
///
/// It has the tables of 1.0, some under other names. Its migrations had other numbers.
public enum FormerSchema {
    /// The number of its last migration.
    public static let lastMigration = 29
    /// The number of the corresponding migration of 1.0.
    public static let successor = 12

    private static let tables = [
        "kept_lists": "snapshots", "kept_entries": "snapshot_entries",
        "moderation_acts": "moderation_actions",
    ]

    private static let columns = [
        "act": "action", "act_id": "action_id", "answered_at": "received_at",
        "kept_at": "taken_at", "kept_id": "snapshot_id", "next_kept_year": "next_snapshot_year",
    ]

    /// The tables that it didn't have.
    public static let laterTables: Set<String> = [
        "game_names", "blocks", "circle_webhooks", "retired_usernames",
    ]

    /// A former table under its present name, with all its former columns.
    public static func renamed(_ table: BackedUpTable) -> BackedUpTable {
        BackedUpTable(
            name: tables[table.name] ?? table.name,
            columns: table.columns.map { columns[$0] ?? $0 })
    }

    /// Makes the table `former_games`, to load games with their former columns. One of these
    /// columns is gone, and PostgreSQL now generates another.
    static let makeFormerGames = """
        CREATE TEMPORARY TABLE former_games (LIKE games INCLUDING DEFAULTS, seen_at timestamptz) ON COMMIT DROP;
        ALTER TABLE former_games ALTER COLUMN sort_name DROP NOT NULL
        """
}
