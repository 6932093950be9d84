import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

@testable import App

@Suite("fave-admin, when a signal ends it", .blocking)
struct InterruptionTests {
    private static let isBlocked = """
        SELECT EXISTS (
            SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE d.datname = current_database() AND NOT l.granted)
        """

    @Test("leaves no part of a backup, and no pg_dump", arguments: [SIGHUP, SIGINT, SIGTERM])
    func backup(signal: Int32) async throws {
        let database = try TestDatabase()
        let blocking = try database.session()
        try await TemporaryFolder.with { folder in
            // The backup's own session locks only tables. So pg_dump waits, once it has written some.
            let sequence: String = try blocking.query(
                """
                SELECT relname::text FROM pg_class
                WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace LIMIT 1
                """)[0][0]
            try blocking.execute("BEGIN; ALTER SEQUENCE \(sequence) RENAME TO another")
            // Tests that run in the background ignore SIGINT, and their children inherit that.
            let backup = try Program(name: "env", folder: "/usr/bin").start(
                ["--default-signal", try Program.admin.path, "backup", folder.path + "/x"],
                database: database)
            func files() -> [String]? {
                try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            }
            try await eventually { try blocking.query(Self.isBlocked)[0][0] }
            #expect(files() == ["x.partial"])
            backup.send(signal: signal)
            #expect(try await backup.end().status == -1)
            #expect(files() == [])
            try await eventually { try !blocking.query(Self.isBlocked)[0][0] }
            try blocking.execute("ROLLBACK")
        }
    }

    @Test("goes on under nohup when the terminal closes")
    func nohup() async throws {
        let database = try TestDatabase()
        let blocking = try database.session()
        try await TemporaryFolder.with { folder in
            try blocking.execute("BEGIN; LOCK TABLE entries")
            let backup = try Program(name: "nohup", folder: "/usr/bin").start(
                [try Program.admin.path, "backup", folder.path + "/x"], database: database)
            try await eventually { try blocking.query(Self.isBlocked)[0][0] }
            backup.send(signal: SIGHUP)
            try blocking.execute("ROLLBACK")
            #expect(try await backup.end().status == 0)
            #expect(FileManager.default.fileExists(atPath: folder.path + "/x"))
        }
    }

    @Test("waits until the temporary database is there, to drop it")
    func creation() async throws {
        // Not the one of other tests, some of which would wait, too.
        let database = try TestDatabase(in: TestCluster())
        // A transaction sees the others' activity only as it once was.
        let (blocking, session) = (try database.session(), try database.session())
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/x"
            let made = try await Program.admin.run(["backup", file], database: database)
            #expect(made.status == 0, "\(made.errors)")
            // Whoever makes or drops a database waits.
            try blocking.execute("BEGIN; LOCK TABLE pg_database IN SHARE MODE")
            defer { try? blocking.execute("ROLLBACK") }
            let label = "interrupted-\(UUID().uuidString)"
            let check = try Program.admin.start(
                ["restore", "--check", file], database: database, environment: ["PGAPPNAME": label])
            var statement: String?
            try await eventually {
                statement = try session.query(
                    """
                    SELECT max(query) FROM pg_stat_activity
                    WHERE application_name = '\(label)' AND wait_event_type = 'Lock'
                    """)[0][0]
                return statement != nil
            }
            let name = try #require(statement?.firstMatch(of: /^CREATE DATABASE (\w+)/)?.1)
            check.send(signal: SIGTERM)
            try await eventually { try !check.catches(SIGTERM) }
            try blocking.execute("COMMIT")
            #expect(try await check.end().status == -1)
            try await eventually {
                try session.query(
                    """
                    SELECT NOT EXISTS (
                        SELECT FROM pg_stat_activity WHERE application_name = '\(label)')
                    """)[0][0]
            }
            let databases: Int = try session.query(
                "SELECT count(*)::integer FROM pg_database WHERE datname = '\(name)'")[0][0]
            #expect(databases == 0)
        }
    }

    @Test("leaves no temporary database and no file behind")
    func check() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/x"
            let made = try await Program.admin.run(["backup", file], database: database)
            #expect(made.status == 0, "\(made.errors)")
            let label = "interrupted-\(UUID().uuidString)"
            let check = try Program.admin.start(
                ["restore", "--check", file], database: database,
                environment: ["PGAPPNAME": label, "TMPDIR": folder.path])
            func temporary() throws -> [String] {
                try session.query(
                    """
                    SELECT datname::text FROM pg_stat_activity
                    WHERE application_name = '\(label)' AND datname LIKE 'fave_check_%'
                      AND query ~ '^(CREATE|ALTER|COPY)'
                    """
                ).map { try $0[0] }
            }
            try await eventually { try !temporary().isEmpty }
            let name = try #require(try temporary().first)
            check.send(signal: SIGTERM)
            #expect(try await check.end().status != 0)
            let databases: Int = try session.query(
                "SELECT count(*)::integer FROM pg_database WHERE datname = '\(name)'")[0][0]
            #expect(databases == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["x"])
        }
    }
}
