import Postgres

/// Migrates a database's schema forward, with one transaction for each file.
///
/// Its calls block, so they must not be made on a loop's thread. Concurrent migrators wait for each
/// other by means of an advisory lock.
public struct Migrator {
    private let session: BlockingSession
    private let migrations: [Migration]

    public init(_ session: BlockingSession, _ migrations: [Migration]) {
        self.session = session
        self.migrations = migrations
    }

    /// Any number that nothing else locks in this database.
    private static let lockKey = 7_236_501

    /// Applies the pending migrations.
    ///
    /// - Parameter progress: Called before each migration.
    /// - Returns: The migrations applied, in order; empty if there were none.
    /// - Throws: `MigrationError`, or `PostgresError` if the database can't be reached.
    public func migrate(progress: (Migration) -> Void = { _ in }) throws -> [Migration] {
        try session.query("SELECT pg_advisory_lock($1)", [.int(Self.lockKey)])
        defer { _ = try? session.query("SELECT pg_advisory_unlock($1)", [.int(Self.lockKey)]) }
        try session.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migrations (
                version    integer     PRIMARY KEY,
                name       text        NOT NULL,
                checksum   text        NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            )
            """)
        let pending = try pendingMigrations()
        for migration in pending {
            progress(migration)
            try apply(migration)
        }
        return pending
    }

    private func apply(_ migration: Migration) throws {
        do {
            try session.withTransaction {
                let transaction = try currentTransaction()
                try session.execute(migration.sql)
                guard session.isInTransaction, try currentTransaction() == transaction else {
                    throw MigrationError(
                        .failed, "\(migration.fileName) must not begin or end a transaction.")
                }
                try session.query(
                    "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
                    [.int(migration.version), .text(migration.name), .text(migration.checksum)])
            }
        } catch let error as PostgresError {
            throw MigrationError(
                .failed,
                "\(migration.fileName) failed and was rolled back: \(error.debugDescription)")
        }
    }

    private func currentTransaction() throws(PostgresError) -> String {
        try session.query("SELECT pg_current_xact_id()::text")[0][0]
    }

    /// Checks that the database has exactly the schema that the code expects.
    ///
    /// - Throws: `MigrationError`, which says what is wrong and what to run.
    public func check() throws {
        let pending = try pendingMigrations()
        guard let first = pending.first else { return }
        throw MigrationError(
            .databaseIsOlder,
            """
            The database lacks \(pending.count) migration\(pending.count == 1 ? "" : "s"), \
            from \(first.fileName) on. Run: fave-admin migrate
            """)
    }

    /// Compares the applied migrations with the files, and returns those that are pending.
    private func pendingMigrations() throws -> [Migration] {
        let exists: Bool =
            try session.query("SELECT to_regclass('schema_migrations') IS NOT NULL")[0][0]
        guard exists else { return migrations }
        let rows = try session.query(
            "SELECT version, name, checksum FROM schema_migrations ORDER BY version")
        for (index, row) in rows.enumerated() {
            let version: Int = try row[0]
            let name: String = try row[1]
            let checksum: String = try row[2]
            guard index < migrations.count else {
                throw MigrationError(
                    .databaseIsNewer,
                    """
                    The database has migration \(version) (\(name)), which this version does not \
                    know: it was set up by a newer one. Install that version, or restore a backup \
                    made before the upgrade.
                    """)
            }
            let migration = migrations[index]
            guard migration.version == version, migration.checksum == checksum else {
                throw MigrationError(
                    .changed,
                    """
                    \(migration.fileName) is not the file that was applied as migration \
                    \(version) (\(name)). Applied migrations must not change: restore the file, \
                    and put the change into a new one.
                    """)
            }
        }
        return Array(migrations.dropFirst(rows.count))
    }
}
