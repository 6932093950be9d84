import Foundation
import Postgres
import TestSupport
import Testing

@testable import App

@Suite("fave-admin doctor", .blocking)
struct DoctorTests {
    /// The lines about some subjects, in the program's output.
    private static func lines(_ subjects: String..., in output: String) -> [String] {
        output.split(separator: "\n").map(String.init)
            .filter { line in subjects.contains { line.dropFirst(6).hasPrefix($0 + ": ") } }
    }

    @Test("sees that the role may only read, and says what to grant")
    func rights() async throws {
        let database = try TestDatabase()
        let role = "\(database.name)_reader"
        let session = try database.session()
        try session.execute("CREATE ROLE \(role) LOGIN")
        defer { try? session.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
        try session.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
        let outcome = try await Program.admin.run(
            ["doctor"],
            environment: ["DATABASE_URL": database.url.replacing("user=fave", with: "user=\(role)")]
        )
        #expect(outcome.status == 1)
        let found = Self.lines("rights", "a write", in: outcome.output)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("BAD   rights: \(role) may not read and write ") == true)
        #expect(
            found.first?.hasSuffix(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)")
                == true)
    }

    @Test("sees that a database is read-only, and otherwise leaves nothing of its write")
    func write() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        let good = try await Program.admin.run(["doctor"], database: database)
        #expect(good.status == 0, "\(good.output)")
        #expect(good.output.contains("ok    a write: works, and was taken back"))
        let count: Int = try session.query("SELECT count(*) FROM idempotency_records")[0][0]
        #expect(count == 0)
        try session.execute(
            "ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        let bad = try await Program.admin.run(["doctor"], database: database)
        #expect(bad.status == 1)
        #expect(bad.output.contains("BAD   a write: "), "\(bad.output)")
        #expect(bad.output.contains("read-only transaction"), "\(bad.output)")
    }

    @Test("sees that PostgreSQL's disk is full, and says what to do")
    func fullDisk() async throws {
        let database = try TestDatabase()
        // As PostgreSQL says it: a disk that is full needs root.
        try database.session().execute(
            """
            CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'could not extend file "base/5/16": No space left on device'
                USING ERRCODE = 'disk_full';
            END $$;
            CREATE TRIGGER fill BEFORE INSERT ON idempotency_records
            FOR EACH ROW EXECUTE FUNCTION fill();
            """)
        let outcome = try await Program.admin.run(["doctor"], database: database)
        #expect(outcome.status == 1)
        let lines = Self.lines("a write", in: outcome.output)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("BAD   a write: ") == true)
        #expect(lines.first?.contains("PostgreSQL's disk is full: make room") == true, "\(lines)")
    }

    @Test("says that people can only read, and how to end that")
    func maintenance() async throws {
        let database = try TestDatabase(.migrated)
        func run(_ arguments: String...) async throws -> Program.Outcome {
            try await Program.admin.run(arguments, database: database)
        }
        #expect(try await run("maintenance-mode").output == "Off: people can write.\n")
        for wrong in [
            ["--begin", " \u{200B} "], ["--begin", String(repeating: "x", count: 301)],
            ["--begin", "x", "--end"],
        ] {
            let outcome = try await Program.admin.run(
                ["maintenance-mode"] + wrong, database: database)
            #expect(outcome.status == 64, "\(wrong): \(outcome.errors)")
        }
        #expect(try await !run("doctor").output.contains("maintenance mode"))
        for message in ["We move.", "We move until 15:00."] {
            let begun = try await run("maintenance-mode", "--begin", message)
            #expect(begun.status == 0, "\(begun.errors)")
            #expect(begun.output.contains("“\(message)”"), "\(begun.output)")
        }
        let report = try await run("doctor").output
        let found = Self.lines("maintenance mode", in: report)
        #expect(found.count == 1 && found[0].hasPrefix("note  "), "\(found)")
        #expect(
            found[0].contains("“We move until 15:00.” To end it: fave-admin maintenance-mode --end")
        )
        #expect(try await run("maintenance-mode", "--json").object["message"] as? String != nil)
        #expect(try await run("maintenance-mode", "--end").output == "Off: people can write.\n")
        #expect(try await run("maintenance-mode", "--end").status == 0, "it is over already")
    }

    @Test("notices that there is no administrator and no backup, until there are")
    func firstSteps() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        let first = try await Program.admin.run(["doctor"], database: database)
        #expect(first.status == 0)
        #expect(first.output.contains("note  administrator: none yet"))
        #expect(first.output.contains("note  backups: none was ever made"))
        try session.execute(
            """
            INSERT INTO maintenance (task, succeeded_at) VALUES ('backup', clock_timestamp())
            ON CONFLICT (task) DO UPDATE SET succeeded_at = excluded.succeeded_at
            """)
        _ = try await Program.admin.run(
            ["users", "add", "rob"], database: database,
            input: Data("tulip staple 42\n".utf8))
        _ = try await Program.admin.run(
            ["users", "promote", "rob", "--role", "admin"], database: database)
        let later = try await Program.admin.run(["doctor"], database: database)
        #expect(later.output.contains("ok    administrator: "), "\(later.output)")
        #expect(later.output.contains("ok    backups: "))
        #expect(
            DatabaseCheck.backup(Date(timeIntervalSinceNow: -3 * 86_400)).0 == .bad)
    }

    @Test("compares the clocks of the two machines")
    func clocks() async throws {
        let database = try TestDatabase()
        #expect(DatabaseCheck.clocks(difference: -4).0 == .good)
        #expect(DatabaseCheck.clocks(difference: 30).0 == .notice)
        let (verdict, text) = DatabaseCheck.clocks(difference: -7200)
        #expect(verdict == .bad)
        #expect(text.hasPrefix("PostgreSQL's is 2 hours behind this machine's."), "\(text)")
        let url = try database.movingClock(hours: 2)
        let session = try BlockingSession(connectionString: url, applicationName: "test")
        let difference = try DatabaseCheck(session: session).clockDifference()
        #expect((7100...7300).contains(difference), "\(difference)")
    }

    @Test("sees that there are no fonts, and where covers can't be stored")
    func machine() async throws {
        let database = try TestDatabase()
        try await TemporaryFolder.with { folder in
            try folder.write("fonts.conf", Data("<fontconfig></fontconfig>".utf8))
            // No one may make a folder in a file, not even root.
            let outcome = try await Program.admin.run(
                ["doctor"], database: database,
                environment: [
                    "FONTCONFIG_FILE": folder.path + "/fonts.conf", "COVERS": "proxied",
                    "COVERS_FOLDER": folder.path + "/fonts.conf/covers",
                ])
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("BAD   fonts: "), "\(outcome.output)")
            #expect(outcome.output.contains("BAD   covers: cannot be stored in "))
        }
        #expect(MachineCheck.fonts().verdict == .good)
    }
}
