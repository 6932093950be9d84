import Foundation
public import Postgres

/// Migrates a database's schema forward, while servers are using it.
///
/// No step waits for a lock for longer than `lockTimeout`, because later transactions would queue
/// behind it. Instead, it gives up, lets them through, and tries again.
///
/// Its calls block, so they must not be made on a loop's thread. Concurrent migrators wait for each
/// other by means of an advisory lock.
public struct Migrator {
    /// What a migrator is doing.
    public enum Progress: Sendable {
        case migration(Migration)
        /// A step begins. Steps are counted from 1.
        case step(MigrationStep, Int, of: Int)
        /// A statement of a step in batches has changed this many rows so far.
        case rows(Int)
        /// Another migrator is at work, or other transactions have the locks that a step needs.
        case waiting
    }

    let session: BlockingSession
    private let migrations: [Migration]
    /// How long a step tries to get its locks.
    private let patience: Duration

    public init(
        _ session: BlockingSession, _ migrations: [Migration], patience: Duration = .seconds(600)
    ) {
        self.session = session
        self.migrations = migrations
        self.patience = patience
    }

    /// Any number that nothing else locks in this database.
    private static let lockKey = 7_236_501
    /// In milliseconds. Requests wait for this long at most behind a step that waits.
    private static let lockTimeout = 400

    /// Applies the pending migrations. There are none if a newer version has migrated the database and
    /// the code works with that.
    ///
    /// - Parameters:
    ///   - ignoringServers: Whether to migrate while servers are running that won't work afterwards.
    ///   - progress: Called before each migration and step.
    /// - Returns: The migrations applied, in order; empty if there were none.
    /// - Throws: `MigrationError`, or `PostgresError` if the database can't be reached.
    public func migrate(
        ignoringServers: Bool = false, progress: (Progress) -> Void = { _ in }
    ) throws -> [Migration] {
        try checkLocale()
        // Polls: a statement that waited for the lock in PostgreSQL would hold a snapshot, and the other
        // migrator's CREATE INDEX CONCURRENTLY would wait for that.
        while try !query("SELECT pg_try_advisory_lock($1)", [.int(Self.lockKey)]) {
            progress(.waiting)
            Thread.sleep(forTimeInterval: 0.2)
        }
        defer { _ = try? session.query("SELECT pg_advisory_unlock($1)", [.int(Self.lockKey)]) }
        try makeTables(progress)
        // All are read before the first is applied.
        let pending = try pendingMigrations().map { ($0, try $0.script()) }
        if !ignoringServers { try checkServers(before: pending) }
        for (migration, script) in pending {
            progress(.migration(migration))
            try apply(migration, script, progress)
        }
        return pending.map(\.0)
    }

    private func makeTables(_ progress: (Progress) -> Void) throws {
        let isDone: Bool = try query(
            "SELECT to_regclass('schema_migration_steps') IS NOT NULL")
        guard !isDone else { return }
        try inTransaction("The table of migrations", progress) {
            try session.execute(
                """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                    version    integer     PRIMARY KEY,
                    name       text        NOT NULL,
                    checksum   text        NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now()
                );
                ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS oldest_server integer;
                -- Of migrations that were interrupted.
                CREATE TABLE schema_migration_steps (
                    version       integer,
                    step          integer,
                    checksum      text NOT NULL,
                    oldest_server integer,
                    PRIMARY KEY (version, step)
                );
                """)
        }
    }

    /// - Throws: `.serversRunning` if a server is running that won't work after a migration.
    private func checkServers(before pending: [(Migration, MigrationScript)]) throws {
        guard let first = pending.first?.0, first.version > 1 else { return }
        // Servers say in their names which schema they know. Old servers don't, and know the ninth at
        // most.
        let row = try session.query(
            """
            SELECT count(*),
                   min(coalesce(substring(application_name FROM ' ([0-9]+)$')::integer, 9))
            FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
              AND application_name ~ '^fave-server( |$)'
            """)[0]
        let connections: Int = try row[0]
        guard connections > 0, let oldest: Int = try row[1] else { return }
        let version = min(oldest, first.version - 1)
        guard
            let breaking = pending.first(where: { ($1.oldestServer ?? $0.version) > version })?.0
        else { return }
        throw MigrationError(
            .serversRunning,
            """
            fave-server is running, with \(connections) connections to this database, and won't \
            work after \(breaking.fileName). Stop it, migrate, and start the new version. (To go \
            ahead anyway: --ignore-servers)
            """)
    }

    // MARK: Steps

    private func apply(
        _ migration: Migration, _ script: MigrationScript, _ progress: (Progress) -> Void
    ) throws {
        let count = script.steps.count
        let done = try stepsDone(of: migration, script)
        if done == count {
            // The steps that it had left were taken out of the file.
            try session.withTransaction { try record(migration, script, done - 1) }
        }
        for (index, step) in script.steps.enumerated() where index >= done {
            if count > 1 { progress(.step(step, index + 1, of: count)) }
            let place =
                count == 1 ? migration.fileName : "Step \(index + 1) of \(migration.fileName)"
            do {
                switch step.kind {
                case .transaction:
                    try inTransaction(place, progress) {
                        try session.execute(step.sql)
                    } finally: {
                        try record(migration, script, index)
                    }
                case .batches:
                    try repeatStep(step, place, progress)
                    try session.withTransaction { try record(migration, script, index) }
                case .outsideTransaction:
                    try runOutsideTransaction(step)
                    try session.withTransaction { try record(migration, script, index) }
                }
            } catch let error as PostgresError {
                throw MigrationError(
                    .failed,
                    """
                    \(place) failed and was rolled back: \
                    \(error.debugDescription)
                    """)
            }
        }
    }

    /// The number of steps of an interrupted migration that were done.
    private func stepsDone(of migration: Migration, _ script: MigrationScript) throws -> Int {
        let rows = try session.query(
            "SELECT checksum FROM schema_migration_steps WHERE version = $1 ORDER BY step",
            [.int(migration.version)])
        for (index, row) in rows.enumerated() {
            let checksum: String = try row[0]
            guard index < script.steps.count, script.steps[index].checksum == checksum else {
                throw MigrationError(
                    .changed,
                    """
                    Step \(index + 1) of \(migration.fileName) has changed since it was applied. \
                    Restore it; the steps after it may change.
                    """)
            }
        }
        return rows.count
    }

    private func record(_ migration: Migration, _ script: MigrationScript, _ index: Int) throws {
        guard index == script.steps.count - 1 else {
            try session.query(
                """
                INSERT INTO schema_migration_steps (version, step, checksum, oldest_server)
                VALUES ($1, $2, $3, $4)
                """,
                [
                    .int(migration.version), .int(index + 1),
                    .text(script.steps[index].checksum),
                    script.oldestServer.map { .int($0) } ?? nil,
                ])
            return
        }
        try session.query(
            "DELETE FROM schema_migration_steps WHERE version = $1", [.int(migration.version)])
        try session.query(
            """
            INSERT INTO schema_migrations (version, name, checksum, oldest_server)
            VALUES ($1, $2, $3, $4)
            """,
            [
                .int(migration.version), .text(migration.name), .text(migration.checksum),
                script.oldestServer.map { .int($0) } ?? nil,
            ])
    }

    /// Runs a migration's SQL in a transaction that waits for no lock for long. Repeats it until it gets
    /// its locks.
    ///
    /// - Parameters:
    ///   - place: The name of the file or step, for error messages.
    ///   - end: Called in the same transaction, once it is known to be the same.
    private func inTransaction<Result>(
        _ place: String, _ progress: (Progress) -> Void,
        _ body: () throws -> Result, finally end: () throws -> Void = {}
    ) throws -> Result {
        let start = ContinuousClock.now
        var pause = 0.1
        while true {
            do {
                return try session.withTransaction {
                    try session.execute("SET LOCAL lock_timeout = \(Self.lockTimeout)")
                    let transaction: String = try query("SELECT pg_current_xact_id()::text")
                    let result = try body()
                    guard session.isInTransaction,
                        try query("SELECT pg_current_xact_id()::text") == transaction
                    else {
                        throw MigrationError(
                            .failed,
                            "\(place) must not begin or end a transaction.")
                    }
                    try end()
                    return result
                }
            } catch let error as PostgresError where error.isLockFailure {
                guard ContinuousClock.now - start < patience else {
                    throw MigrationError(
                        .blocked,
                        """
                        \(place) did not get its locks: other transactions \
                        held them. pg_stat_activity shows which (look at xact_start). End them, \
                        and run fave-admin migrate again to continue with this step.
                        """)
                }
                progress(.waiting)
                Thread.sleep(forTimeInterval: pause * .random(in: 0.5...1))
                pause = min(pause * 2, 5)
            }
        }
    }

    private func repeatStep(
        _ step: MigrationStep, _ place: String, _ progress: (Progress) -> Void
    ) throws {
        var total = 0
        while true {
            let count = try inTransaction(place, progress) {
                try session.query(step.sql).affectedCount
            }
            guard count > 0 else { return }
            total += count
            progress(.rows(total))
        }
    }

    private func runOutsideTransaction(_ step: MigrationStep) throws {
        let pattern = /(?i)\bINDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS\s+([a-z0-9_]+)/
        guard let name = step.sql.firstMatch(of: pattern)?.1 else {
            try session.query(step.sql)
            return
        }
        // An interruption leaves an invalid index behind.
        let isUnfinished: Bool = try query(
            """
            SELECT EXISTS (SELECT FROM pg_index
                           WHERE indexrelid = to_regclass($1) AND NOT indisvalid)
            """, [.text(String(name))])
        if isUnfinished { try session.query("DROP INDEX CONCURRENTLY \(name)") }
        try session.query(step.sql)
    }

    private func query<Value: PostgresDecodable>(
        _ sql: String, _ parameters: [PostgresParameter] = []
    ) throws -> Value {
        try session.query(sql, parameters)[0][0]
    }

    // MARK: Checking

    /// Checks that the code works with the database's schema: the one it expects, or a compatible newer
    /// one.
    ///
    /// - Throws: `MigrationError`, which says what is wrong and what to run.
    public func check() throws {
        let pending = try pendingMigrations()
        guard let first = pending.first else { return }
        throw MigrationError(
            .databaseIsOlder,
            """
            The database is missing \(pending.count) migration\(pending.count == 1 ? "" : "s"), \
            starting with \(first.fileName). Run: fave-admin migrate
            """)
    }

    /// Compares the applied migrations with the files, and returns the pending ones. The database may
    /// have migrations that the code doesn't know, if they say that the code still works.
    private func pendingMigrations() throws -> [Migration] {
        guard try query("SELECT to_regclass('schema_migrations') IS NOT NULL") else {
            return migrations
        }
        // The last column is missing before the first migration that this version applies.
        let rows = try session.query(
            """
            SELECT version, name, checksum, (to_jsonb(m) ->> 'oldest_server')::integer
            FROM schema_migrations m ORDER BY version
            """)
        // Of a migration that the code doesn't know, a part may be applied.
        guard try !hasUnknownStep() else {
            throw MigrationError(
                .databaseIsNewer,
                """
                A newer version is migrating the database, and this version won't work with it. \
                Install the newer one.
                """)
        }
        for (index, row) in rows.enumerated() {
            let version: Int = try row[0]
            let name: String = try row[1]
            let checksum: String = try row[2]
            guard index < migrations.count else {
                let oldestServer: Int? = try row[3]
                if let oldestServer, oldestServer <= migrations.count { continue }
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

    /// Whether a step was applied of a migration that the code doesn't work with.
    private func hasUnknownStep() throws -> Bool {
        guard try query("SELECT to_regclass('schema_migration_steps') IS NOT NULL") else {
            return false
        }
        return try query(
            """
            SELECT EXISTS (SELECT FROM schema_migration_steps
                           WHERE version > $1 AND coalesce(oldest_server, version) > $1)
            """, [.int(migrations.count)])
    }
}

extension PostgresError {
    /// Whether a lock was not available. The same transaction may then succeed in a moment.
    fileprivate var isLockFailure: Bool {
        sqlState == SQLState.lockNotAvailable || isRetryableConflict
    }
}
