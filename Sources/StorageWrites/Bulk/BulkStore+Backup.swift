import Freshness
package import Postgres
import Storage

/// Why a backup can't be made, in a sentence for the operator.
package struct BackupError: Error, CustomStringConvertible {
    package let description: String
}

/// What pg_dump has to know about the database.
package struct BackupPlan {
    /// The snapshot to read.
    package let snapshot: String
    /// Those that the owner of a database may install, in the schema that is backed up. Others, such as
    /// pg_stat_statements, are not ours.
    package let extensions: [String]
    /// The number of tables whose rows are backed up.
    package let tables: Int
}

extension BulkStore {
    /// Tables whose rows backups leave out, with the reason.
    package static let notBackedUp = [
        "changes": "what servers have in memory doesn't survive a restore",
        "maintenance": "when things were done to this database",
        "maintenance_mode": "it is about what is done to this database",
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

    /// Runs `body` while one snapshot stays readable for other sessions.
    ///
    /// - Throws: `BackupError` if the database is being migrated, or has no schema.
    package func inSnapshot(_ body: (BackupPlan) throws -> Void) throws {
        let tables = try session.query(Self.tables)
        guard tables.contains("schema_migrations") else {
            throw BackupError(
                description: "There is no schema in this database. Run: fave-admin migrate")
        }
        try session.withTransaction {
            try session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            // Before the snapshot: a table that a migration rewrites after that would look empty.
            try session.execute(
                "LOCK TABLE \(tables.joined(separator: ", ")) IN ACCESS SHARE MODE")
            let isBeingMigrated: Bool = try session.query(
                "SELECT EXISTS (SELECT FROM schema_migration_steps)")[0][0]
            guard !isBeingMigrated else {
                throw BackupError(
                    description: """
                        The database is being migrated. Try again when that is done; fave-admin \
                        migrate continues a migration that was interrupted.
                        """)
            }
            try body(
                BackupPlan(
                    snapshot: session.query("SELECT pg_export_snapshot()")[0][0],
                    extensions: session.query(Self.extensions),
                    tables: tables.count { Self.notBackedUp[$0] == nil }))
        }
    }

    private static let tables = Query(
        "backed_up_tables", .read, column("quote_ident(relname)", String.self)
    ) {
        """
        SELECT \($0) FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname
        """
    }

    private static let extensions = Query(
        "backed_up_extensions", .read, column("extname::text", String.self)
    ) {
        """
        SELECT \($0) FROM pg_extension
        WHERE extnamespace = 'public'::regnamespace
          AND extname IN (SELECT name FROM pg_available_extension_versions WHERE trusted)
        ORDER BY extname
        """
    }

    /// The number of the last migration that was applied, which may be newer than this program.
    package func appliedMigration() throws -> Int {
        try session.query("SELECT max(version) FROM schema_migrations")[0][0]
    }

    /// The major version of the server.
    package func serverVersion() throws -> Int {
        try session.query("SELECT current_setting('server_version_num')::integer / 10000")[0][0]
    }

    // MARK: Restoring

    /// The statement that creates an empty database with the encoding and locale of this one. Only
    /// template0 can be copied with others than its own, and no session is ever connected to it.
    package func creation(ofDatabase name: String) throws(PostgresError) -> String {
        // Each version has other columns.
        try session.query(
            """
            SELECT format('CREATE DATABASE %I TEMPLATE template0 ENCODING %L LC_COLLATE %L LC_CTYPE %L',
                          $1::text, getdatabaseencoding(), datcollate, datctype)
                || CASE to_jsonb(d) ->> 'datlocprovider'
                   WHEN 'c' THEN ' LOCALE_PROVIDER libc'
                   WHEN 'i' THEN format(' LOCALE_PROVIDER icu ICU_LOCALE %L',
                       coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale'))
                   WHEN 'b' THEN format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L',
                       to_jsonb(d) ->> 'datlocale')
                   ELSE '' END
            FROM pg_database d WHERE datname = current_database()
            """, [.text(name)])[0][0]
    }

    /// The relations in the schema public that belong to no extension: those that a backup would meet.
    package func relations() throws -> [String] { try session.query(Self.relations) }

    private static let relations = Query(
        "present_relations", .read, column("c.relname::text", String.self)
    ) {
        """
        SELECT \($0) FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
          AND NOT EXISTS (SELECT FROM pg_depend d
                          WHERE (d.classid, d.objid, d.deptype) = ('pg_class'::regclass, c.oid, 'e'))
        ORDER BY c.relname
        """
    }

    /// Notes that everything has changed, since backups leave out what servers compare.
    package func noteRestore() throws {
        try session.query(
            "INSERT INTO changes (keys) VALUES (ARRAY[$1])", [.text(ChangeKey.everything)])
    }
}
