import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("The steps of a migration", .blocking)
struct MigrationStepsTests {
    private let database: TestDatabase
    private let session: BlockingSession

    init() throws {
        database = try TestDatabase(.empty)
        session = try database.session()
        try session.execute("CREATE TABLE t (x integer, y integer)")
        try session.execute("INSERT INTO t SELECT n FROM generate_series(1, 1000) AS g (n)")
    }

    private func migrations(_ files: String...) throws -> [Migration] {
        try Migration.sequence(
            files.enumerated().map { ("000\($0 + 1)_a.sql", Data($1.utf8)) }, of: "a folder")
    }

    private func count(_ what: String) throws -> Int {
        try session.query("SELECT count(*) FROM \(what)")[0][0]
    }

    @Test("are done one by one, and an interrupted migration goes on where it stopped")
    func resumption() throws {
        let begin = """
            -- Why.
            -- oldest-server: 1
            -- step: Log
            CREATE TABLE log (step integer);
            INSERT INTO log VALUES (1);
            -- step (outside a transaction): An index
            CREATE INDEX CONCURRENTLY IF NOT EXISTS t_x ON t (x);
            -- step: More
            INSERT INTO log VALUES (3);

            """
        let bad = try migrations(begin + "INSERT INTO log VALUES (1 / 0);")
        let error = failure { _ = try Migrator(session, bad).migrate() }
        #expect(error?.code == .failed)
        #expect(error?.description.contains("Step 3 of 0001_a.sql") == true)
        #expect(try count("log") == 1)
        #expect(failure { try Migrator(session, bad).check() }?.code == .databaseIsOlder)

        let changed = try migrations(begin.replacing("step integer", with: "step bigint"))
        let refusal = failure { _ = try Migrator(session, changed).migrate() }
        #expect(refusal?.code == .changed)
        #expect(refusal?.description.contains("Step 1") == true)

        let mended = try migrations(begin + "INSERT INTO log VALUES (4);")
        var told: [Int] = []
        _ = try Migrator(session, mended).migrate {
            if case .step(_, let number, _) = $0 { told.append(number) }
        }
        #expect(told == [3])
        #expect(try count("log") == 3)
        #expect(try count("pg_index WHERE indexrelid = 't_x'::regclass AND indisvalid") == 1)
        #expect(try count("schema_migration_steps") == 0)
        try Migrator(session, mended).check()
    }

    @Test("that are taken out of an interrupted migration leave it applied")
    func removedStep() throws {
        let step = "-- step: One\nCREATE TABLE one (x integer);\n"
        let bad = try migrations(step + "\n-- step: Two\nSELECT 1 / 0;\n")
        #expect(failure { _ = try Migrator(session, bad).migrate() }?.code == .failed)
        let mended = try migrations(step)
        #expect(try Migrator(session, mended).migrate().count == 1)
        #expect(try Migrator(session, mended).migrate().count == 0)
        try Migrator(session, mended).check()
    }

    @Test("of an unfinished migration stop older servers, unless these can go on")
    func unfinishedMigration() throws {
        let old = try migrations("SELECT 1;")
        _ = try Migrator(session, old).migrate()
        let steps = "-- step: One\nSELECT 1;\n-- step: Two\nSELECT 1 / 0;"
        let fine = try migrations("SELECT 1;", "-- oldest-server: 1\n" + steps)
        #expect(failure { _ = try Migrator(session, fine).migrate() }?.code == .failed)
        try Migrator(session, old).check()
        #expect(failure { try Migrator(session, fine).check() }?.code == .databaseIsOlder)
        try session.execute("DELETE FROM schema_migration_steps")
        let breaking = try migrations("SELECT 1;", steps)
        #expect(failure { _ = try Migrator(session, breaking).migrate() }?.code == .failed)
        #expect(failure { try Migrator(session, old).check() }?.code == .databaseIsNewer)
        #expect(failure { _ = try Migrator(session, old).migrate() }?.code == .databaseIsNewer)
    }

    @Test("make an index anew that was left unfinished")
    func unfinishedIndex() throws {
        try session.execute("INSERT INTO t VALUES (7)")
        let files = try migrations(
            """
            -- step (outside a transaction): An index
            CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS t_x ON t (x);
            """)
        #expect(failure { _ = try Migrator(session, files).migrate() }?.code == .failed)
        #expect(try count("pg_index WHERE NOT indisvalid") == 1)
        try session.execute("DELETE FROM t WHERE x = 7")
        _ = try Migrator(session, files).migrate()
        #expect(try count("pg_index WHERE indexrelid = 't_x'::regclass AND indisvalid") == 1)
    }

    @Test("outside a transaction are one statement each")
    func oneStatement() throws {
        let files = try migrations(
            """
            -- step (outside a transaction): Two
            CREATE INDEX CONCURRENTLY t_x ON t (x);
            CREATE INDEX CONCURRENTLY t_y ON t (y);
            """)
        #expect(failure { _ = try Migrator(session, files).migrate() }?.code == .failed)
        #expect(try count("pg_class WHERE relname IN ('t_x', 't_y')") == 0)
    }

    @Test("in batches are repeated until nothing is left, each in a transaction")
    func batches() throws {
        let files = try migrations(
            """
            -- step (in batches): Fill y
            UPDATE t SET y = pg_current_xact_id()::text::bigint % 1000000000
            WHERE ctid = ANY (ARRAY(SELECT ctid FROM t WHERE y IS NULL LIMIT 300));
            """)
        var rows: [Int] = []
        _ = try Migrator(session, files).migrate {
            if case .rows(let count) = $0 { rows.append(count) }
        }
        #expect(rows == [300, 600, 900, 1000])
        let transactions: Int = try session.query("SELECT count(DISTINCT y) FROM t")[0][0]
        #expect(transactions == 4)
    }

    private static func migrate(
        _ database: TestDatabase, _ files: [Migration], _ waits: Recorder<Bool>
    ) async throws -> [Int] {
        try await resultsOnThreads(1) { _ in
            try Migrator(database.session(), files).migrate {
                if case .waiting = $0 { waits.record(true) }
            }.count
        }
    }

    @Test("let others through while they wait for a lock, and try again")
    func lock() async throws {
        let files = try migrations("ALTER TABLE t ADD COLUMN z integer;")
        let holder = try database.session()
        try holder.execute("BEGIN; SELECT count(*) FROM t")
        let hasWaited = Recorder<Bool>()
        let database = database
        async let migrated = Self.migrate(database, files, hasWaited)
        try await eventually("the migrator waits") { hasWaited.count >= 2 }
        // Nobody waits for good behind a step that waits.
        #expect(try count("t") == 1000)
        try holder.execute("COMMIT")
        #expect(try await migrated == [1])
        #expect(try count("information_schema.columns WHERE column_name = 'z'") == 1)
    }

    @Test("give up when others keep their locks for too long, and say what to do")
    func blocked() throws {
        let files = try migrations("ALTER TABLE t ADD COLUMN z integer;")
        let holder = try database.session()
        try holder.execute("BEGIN; SELECT count(*) FROM t")
        let error = failure {
            _ = try Migrator(session, files, patience: .zero).migrate()
        }
        #expect(error?.code == .blocked)
        #expect(error?.description.contains("pg_stat_activity") == true)
        try holder.execute("COMMIT")
        #expect(try Migrator(session, files).migrate().count == 1)
    }

    @Test("leave servers of the version before running only if they say so")
    func servers() throws {
        let old = try migrations("SELECT 1;")
        let fine = try migrations("SELECT 1;", "-- oldest-server: 1\nSELECT 2;")
        let breaking = try migrations(
            "SELECT 1;", "-- oldest-server: 1\nSELECT 2;", "SELECT 3;")
        let server = try BlockingSession(
            connectionString: database.url, applicationName: "fave-server")
        // There is nothing that a server could be running on.
        _ = try Migrator(session, old).migrate()
        _ = try Migrator(session, fine).migrate()
        try Migrator(session, old).check()
        // The way back: the older version has nothing to migrate, and nothing to complain about.
        #expect(try Migrator(session, old).migrate().isEmpty)
        #expect(try count("schema_migrations") == 2)

        let refusal = failure { _ = try Migrator(session, breaking).migrate() }
        #expect(refusal?.code == .serversRunning)
        #expect(refusal?.description.contains("0003_a.sql") == true)
        try server.execute("SET application_name = 'fave-server 3'")
        #expect(
            failure { _ = try Migrator(session, breaking).migrate() }?.code == .serversRunning,
            "it can't know what the database does not have")
        #expect(try count("schema_migrations") == 2)
        try server.execute("SELECT 1")
        _ = try Migrator(session, breaking).migrate(ignoringServers: true)
        #expect(failure { try Migrator(session, fine).check() }?.code == .databaseIsNewer)
        #expect(failure { try Migrator(session, old).check() }?.code == .databaseIsNewer)
        #expect(failure { _ = try Migrator(session, old).migrate() }?.code == .databaseIsNewer)
    }

    @Test(
        "are refused if a directive is misspelt",
        arguments: [
            "-- step Do it\nSELECT 1;", "-- step (in batchs): Do it\nSELECT 1;", "-- steps: x",
            "SELECT 1;\n-- step: Do it\nSELECT 2;", "-- oldest-server: x\nSELECT 1;",
            "-- oldest-server: 1\n-- oldest-server: 1\n", "-- step: a\n-- oldest-server: 1\n",
        ])
    func malformed(file: String) {
        let error = failure { _ = try Migrator(session, migrations(file)).migrate() }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains("0001_a.sql") == true)
    }
}
