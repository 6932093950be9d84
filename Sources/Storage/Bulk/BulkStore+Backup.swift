import Encodings
import Postgres

/// A table in a backup.
public struct BackedUpTable: Equatable, Sendable, Codable {
    public let name: String
    /// The table's columns, without generated ones.
    public let columns: [String]

    /// - Throws: `BackupError` if a name is not one of ours; a backup from elsewhere could contain
    ///   any name.
    public func check() throws(BackupError) {
        for name in [name] + columns {
            guard
                name.consists(
                    of: { $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "_") },
                    bytes: 1...63),
                name.utf8.first?.isASCIIDigit == false
            else { throw BackupError("It names a table or a column \"\(name)\".") }
        }
    }

    fileprivate var list: String { columns.joined(separator: ", ") }
}

/// Why a backup can't be made or restored, in a sentence for the operator.
public struct BackupError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension BulkStore {
    /// Tables that backups leave out, with the reason.
    static let notBackedUp = [
        "changes": "what servers have in memory doesn't survive a restore",
        "schema_migrations": "the migrations that a restore applies fill it",
        "schema_migration_steps": "of migrations that were interrupted",
        "maintenance": "when things were done to this database",
        "adult_games": "servers set it again when they start",
        "igdb_tokens": "a secret that is fetched again",
        "idempotency_records": "stored for a day, for requests that are repeated",
        "drafts": "stored for a day, for people who are signing up",
        "imports": "suggestions, which the same file fills again",
        "import_rows": "suggestions, which the same file fills again",
        "news_visits": "people may see the same news again",
        "administrator_links": "valid for a day, for the first administrator",
        "mail_verifications": "valid for a day, for people who are adding an address",
        "outgoing_mail": "stored for a day, until it is sent",
        "outgoing_webhooks": "stored for some days, until it is sent",
        "used_challenges": "stored for minutes, so that no response of a passkey is good twice",
        "password_resets": "valid for an hour, for people who have forgotten their password",
        "attempts": "stored for minutes, to limit attempts to sign in",
    ]

    /// The tables to back up, in an order where each follows the tables that it refers to.
    public func backedUpTables() throws -> [BackedUpTable] {
        let tables = try session.query(Self.tables).filter { Self.notBackedUp[$0.name] == nil }
        let references = try session.query(Self.references)
        var ordered: [BackedUpTable] = []
        var names: Set<String> = []
        while ordered.count < tables.count {
            let next = tables.filter { table in
                !names.contains(table.name)
                    && references.allSatisfy {
                        $0.from != table.name || $0.to == table.name || names.contains($0.to)
                            || Self.notBackedUp[$0.to] != nil
                    }
            }
            guard !next.isEmpty else { throw BackupError("The tables refer to each other.") }
            ordered += next
            names.formUnion(next.map(\.name))
        }
        return ordered
    }

    /// The number of the last migration that was applied, which may be newer than this program.
    public func appliedMigration() throws -> Int {
        try session.query("SELECT max(version) FROM schema_migrations")[0][0]
    }

    private static let tables = Query(
        "backed_up_tables", .read,
        Columns<BackedUpTable>([
            "c.relname::text",
            """
            ARRAY(SELECT a.attname::text FROM pg_attribute a
                  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                    AND a.attgenerated = '' ORDER BY a.attnum)
            """,
        ]) { row throws(PostgresError) in
            try BackedUpTable(name: row.next(), columns: row.next())
        }
    ) {
        """
        SELECT \($0) FROM pg_class c
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname
        """
    }

    private static let references = Query(
        "table_references", .read,
        Columns<(from: String, to: String)>(["f.relname::text", "t.relname::text"]) {
            row throws(PostgresError) in try (row.next(), row.next())
        }
    ) {
        """
        SELECT \($0) FROM pg_constraint k
        JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
        WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace
        """
    }

    /// Runs `body` with the tables to back up and one snapshot for everything that it reads.
    ///
    /// - Parameter schema: The number of the migration whose tables this program knows. It can't know
    ///   which tables of a newer schema to leave out.
    /// - Throws: `BackupError` if the database has another schema, or is being migrated.
    public func inSnapshot(
        ofSchema schema: Int, _ body: ([BackedUpTable]) throws -> Void
    ) throws {
        let tables = try backedUpTables()
        try session.withTransaction {
            try session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            // Before the snapshot: a table that a migration rewrites after that would look empty.
            try session.execute(
                "LOCK TABLE \(tables.map(\.name).joined(separator: ", ")) IN ACCESS SHARE MODE")
            let isBeingMigrated: Bool = try session.query(
                "SELECT EXISTS (SELECT FROM schema_migration_steps)")[0][0]
            let found = try appliedMigration()
            guard found == schema else {
                throw BackupError(
                    """
                    The database has the schema of migration \(found), and this program knows \
                    \(schema): no version could restore its backup. Use the fave-admin of the version \
                    that has migrated the database.
                    """)
            }
            guard try !isBeingMigrated && backedUpTables() == tables else {
                throw BackupError(
                    """
                    The database is being migrated. Try again when that is done; fave-admin migrate \
                    continues a migration that was interrupted.
                    """)
            }
            try body(tables)
        }
    }

    /// Reads a table's rows, each as a line in the text format of COPY.
    public func readRows(
        of table: BackedUpTable, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try session.copyOut("COPY \(table.name) (\(table.list)) TO STDOUT", body)
    }

    // MARK: Restoring

    /// The tables of a backup that hold rows in this database.
    public func tablesWithRows(_ tables: [BackedUpTable]) throws -> [String] {
        try tables.filter { table in
            let holdsRows: Bool = try session.query(
                "SELECT EXISTS (SELECT FROM \(table.name))")[0][0]
            return holdsRows
        }.map(\.name)
    }

    /// Loads rows as they were read. `body` runs in a transaction of its own.
    ///
    /// The triggers that update counts and enforce rules are switched off, because the backup holds
    /// their results. References are checked.
    public func restoring(_ tables: [BackedUpTable], _ body: () throws -> Void) throws {
        try session.withTransaction {
            for table in tables {
                try session.execute("ALTER TABLE \(table.name) DISABLE TRIGGER USER")
            }
            try body()
            for statement in try session.query(Self.continueNumbers, [.texts(tables.map(\.name))]) {
                try session.execute(statement)
            }
            // A table with pending checks can't be altered.
            try session.execute("SET CONSTRAINTS ALL IMMEDIATE")
            for table in tables {
                try session.execute("ALTER TABLE \(table.name) ENABLE TRIGGER USER")
            }
            // For servers that have cached responses of the empty database.
            try session.query(
                "INSERT INTO changes (keys) VALUES (ARRAY[$1])", [.text(ChangeKey.everything)])
        }
    }

    /// For each column that PostgreSQL numbers, a statement that makes the numbers continue from
    /// the highest one.
    private static let continueNumbers = Query(
        "continue_numbers", .read,
        column(
            """
            format('SELECT setval(%L, coalesce(max(%I), 0) + 1, false) FROM %I',
                   pg_get_serial_sequence(quote_ident(c.relname), a.attname), a.attname, c.relname)
            """, String.self)
    ) {
        """
        SELECT \($0) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1::text[])
          AND a.attidentity <> ''
        """
    }

    /// Loads rows into a table.
    ///
    /// - Parameter next: Returns the next lines; `nil` at the end.
    public func loadRows(of table: BackedUpTable, _ next: () throws -> [UInt8]?) throws {
        try session.copyIn("COPY \(table.name) (\(table.list)) FROM STDIN", next)
    }

    /// Loads rows of a version earlier than 1.0 into a table.
    ///
    /// - Parameter former: The same table with the columns of the rows, under their present names.
    public func loadRows(
        of table: BackedUpTable, from former: BackedUpTable, _ next: () throws -> [UInt8]?
    ) throws {
        guard table.name == "games" else { return try loadRows(of: former, next) }
        try session.execute(FormerSchema.makeFormerGames)
        try session.copyIn("COPY former_games (\(former.list)) FROM STDIN", next)
        try session.execute(
            "INSERT INTO games (\(table.list)) SELECT \(table.list) FROM former_games")
    }

    /// Ends everyone's sessions.
    ///
    /// - Returns: How many there were.
    public func endSessions() throws -> Int {
        try session.query("DELETE FROM sessions").affectedCount
    }

    public func rowCount(of table: BackedUpTable) throws -> Int {
        try session.query("SELECT count(*) FROM \(table.name)")[0][0]
    }
}
