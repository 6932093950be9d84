import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("The migrator", .blocking)
struct MigratorTests {
    private let database: TestDatabase
    private let session: BlockingSession

    init() throws {
        database = try TestDatabase(.empty)
        session = try database.session()
    }

    private func migrate(_ files: [String: String]) throws -> [String] {
        try withMigrations(files) { migrations in
            try Migrator(session, migrations).migrate().map(\.fileName)
        }
    }

    private func tableExists(_ name: String) throws -> Bool {
        try session.query("SELECT to_regclass($1) IS NOT NULL", [.text(name)])[0][0]
    }

    @Test("applies files in order, and then has nothing to do")
    func inOrder() throws {
        let files = [
            "0002_second.sql": "INSERT INTO a VALUES (1);",
            "0001_first.sql": "CREATE TABLE a (x integer);",
        ]
        #expect(try migrate(files) == ["0001_first.sql", "0002_second.sql"])
        #expect(try migrate(files) == [])
        let more = files.merging(["0003_third.sql": "INSERT INTO a VALUES (2);"]) { $1 }
        #expect(try migrate(more) == ["0003_third.sql"])
        #expect(try session.query("SELECT sum(x) FROM a")[0][0] == 3)
        try withMigrations(more) { try Migrator(session, $0).check() }
    }

    @Test("keeps what came before a failing file and nothing of that file")
    func failingFile() throws {
        let files = [
            "0001_good.sql": "CREATE TABLE good (x integer);",
            "0002_bad.sql": "CREATE TABLE bad (x integer);\nINSERT INTO good VALUES (1 / 0);",
            "0003_never.sql": "CREATE TABLE never (x integer);",
        ]
        let error = failure { _ = try migrate(files) }
        #expect(error?.code == .failed)
        #expect(error?.description.contains("0002_bad.sql") == true)
        #expect(error?.description.contains("division by zero") == true)
        #expect(try tableExists("good"))
        #expect(try !tableExists("bad"))
        #expect(try !tableExists("never"))
        // Once it is mended it goes on from there.
        let mended = files.merging(["0002_bad.sql": "CREATE TABLE bad (x integer);"]) { $1 }
        #expect(try migrate(mended) == ["0002_bad.sql", "0003_never.sql"])
    }

    @Test("refuses a file that has changed since it was applied")
    func changedFile() throws {
        _ = try migrate(["0001_a.sql": "CREATE TABLE a (x integer);"])
        let changed = ["0001_a.sql": "CREATE TABLE a (x bigint);", "0002_b.sql": "SELECT 1;"]
        let error = failure { _ = try migrate(changed) }
        #expect(error?.code == .changed)
        #expect(error?.description.contains("0001_a.sql") == true)
        let check = failure { try withMigrations(changed) { try Migrator(session, $0).check() } }
        #expect(check?.code == .changed)
        #expect(try session.query("SELECT count(*) FROM schema_migrations")[0][0] == 1)
    }

    @Test("refuses a database that a newer version has set up")
    func newerDatabase() throws {
        let both = ["0001_a.sql": "SELECT 1;", "0002_b.sql": "SELECT 2;"]
        _ = try migrate(both)
        let error = failure { _ = try migrate(["0001_a.sql": "SELECT 1;"]) }
        #expect(error?.code == .databaseIsNewer)
        #expect(error?.description.contains("newer") == true)
        #expect(failure { _ = try migrate(both) } == nil)
    }

    @Test("checks without changing anything, and says which command to run")
    func check() throws {
        let files = ["0001_a.sql": "CREATE TABLE a (x integer);", "0002_b.sql": "SELECT 2;"]
        let error = failure { try withMigrations(files) { try Migrator(session, $0).check() } }
        #expect(error?.code == .databaseIsOlder)
        #expect(error?.description.contains("fave-admin migrate") == true)
        #expect(error?.description.contains("0001_a.sql") == true)
        #expect(try !tableExists("schema_migrations"))
        #expect(try !tableExists("a"))
    }

    @Test(
        "refuses a file that begins or ends a transaction",
        arguments: [
            "CREATE TABLE a (x integer); COMMIT;",
            "CREATE TABLE a (x integer); ROLLBACK;",
            "CREATE TABLE a (x integer); COMMIT; BEGIN;",
            "CREATE TABLE a (x integer); COMMIT AND CHAIN;",
        ])
    func transactionsInside(sql: String) throws {
        let error = failure { _ = try migrate(["0001_a.sql": sql]) }
        #expect(error?.code == .failed)
        #expect(error?.description.contains("transaction") == true)
        #expect(try session.query("SELECT count(*) FROM schema_migrations")[0][0] == 0)
        // The session is out of it, and the lock is free.
        #expect(!session.isInTransaction)
        #expect(try database.session().query("SELECT pg_try_advisory_lock(7236501)")[0][0] == true)
    }

    @Test("that others race with applies each file once")
    func racing() async throws {
        let files = [
            "0001_a.sql": "CREATE TABLE a (x integer); SELECT pg_sleep(0.1);",
            "0002_b.sql": "INSERT INTO a VALUES (1);",
            "0003_c.sql": "INSERT INTO a VALUES (1);",
        ]
        let applied = try await resultsOnThreads(6) { [database] _ in
            let session = try database.session()
            return try withMigrations(files) { try Migrator(session, $0).migrate().count }
        }
        #expect(applied.sorted() == [0, 0, 0, 0, 0, 3])
        #expect(try session.query("SELECT count(*) FROM a")[0][0] == 2)
    }

    @Test("tells of each migration before it applies it")
    func progress() throws {
        var told: [Int] = []
        try withMigrations(["0001_a.sql": "SELECT 1;", "0002_b.sql": "SELECT 2;"]) {
            _ = try Migrator(session, $0).migrate {
                if case .migration(let migration) = $0 { told.append(migration.version) }
            }
        }
        #expect(told == [1, 2])
    }

    @Test(
        "refuses a folder whose files are not numbered 0001, 0002, …",
        arguments: [
            ["1_a.sql"], ["0001-a.sql"], ["0001_A.sql"], ["0001_.sql"], ["0002_a.sql"],
            ["0001_a.sql", "0003_b.sql"], ["0001_a.sql", "0001_b.sql"], ["0000_a.sql"], [],
            ["README.md"],
        ])
    func fileNames(names: [String]) {
        let files = Dictionary(uniqueKeysWithValues: names.map { ($0, "SELECT 1;") })
        let error = failure { try withMigrations(files) { _ in } }
        #expect(error?.code == .unreadable)
        let offender = names.contains("README.md") ? nil : names.last
        if let offender { #expect(error?.description.contains(offender) == true) }
    }

    @Test("reads its folder, with other files beside it, and says if it cannot")
    func folder() throws {
        try withMigrations(["0001_a.sql": "SELECT 1;", "README.md": "x"]) {
            #expect($0.map(\.fileName) == ["0001_a.sql"])
        }
        #expect(throws: MigrationError.self) { try Migration.load(from: "/nonexistent") }
        let own = try Migration.load(from: TestDatabase.migrationsFolder)
        #expect(own.map(\.version) == Array(1...own.count))
    }
}

/// Runs `body` with the migrations of a folder that has these files.
private func withMigrations<Result>(
    _ files: [String: String], _ body: ([Migration]) throws -> Result
) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("fave-migrations-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, sql) in files {
        try Data(sql.utf8).write(to: folder.appendingPathComponent(name))
    }
    return try body(Migration.load(from: folder.path))
}

/// The `MigrationError` that `body` throws.
func failure(_ body: () throws -> Void) -> MigrationError? {
    do {
        try body()
        return nil
    } catch {
        return error as? MigrationError
    }
}
