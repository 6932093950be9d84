import Foundation
import Migrations
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import App

@Suite("fave-admin backup and restore", .blocking)
struct BackupProgramTests {
    /// A database with people, whose comments hold what COPY must escape.
    private func filled(in cluster: TestCluster = .shared) async throws -> TestDatabase {
        let database = try TestDatabase(in: cluster)
        let session = try database.session()
        try session.execute(
            #"""
            INSERT INTO users (username, display_name, visibility)
            SELECT name, 'Æ "' || name || '"', visibility
            FROM (VALUES ('ada', 'public'), ('bob', 'unlisted'), ('cyd', 'private')) v (name, visibility);
            INSERT INTO entries (user_id, position, game_id, platform_id, comment)
            SELECT id, 1, 71, 6, E'tab\there, line\nfeed, \\. and \\N, 日本' FROM users;
            INSERT INTO passwords (user_id, hash) SELECT id, '$scrypt$' || username FROM users;
            INSERT INTO follows (follower_id, followed_id)
            SELECT a.id, b.id FROM users a, users b WHERE a.id <> b.id;
            INSERT INTO hearts (entry_id, user_id)
            SELECT e.id, u.id FROM entries e, users u WHERE u.id <> e.user_id;
            INSERT INTO blocks (blocker_id, blocked_id)
            SELECT a.id, b.id FROM users a, users b WHERE a.username = 'ada' AND b.username = 'cyd';
            INSERT INTO follow_feeds (user_id, token_hash)
            SELECT id, sha256(convert_to(username, 'UTF8')) FROM users;
            UPDATE users SET disabled_at = now() WHERE username = 'bob'
            """#)
        try await BackupProgramTests.succeed(["maintain"], database)
        return database
    }

    @discardableResult
    private static func succeed(
        _ arguments: [String], _ database: TestDatabase?
    ) async throws -> String {
        let outcome = try await Program.admin.run(arguments, database: database)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    /// What each backed-up table holds, as one text.
    private func rows(_ database: TestDatabase) throws -> [String: String] {
        let session = try database.session()
        var rows: [String: String] = [:]
        for table in try Self.tables(session) where BulkStore.notBackedUp[table] == nil {
            rows[table] = try session.query(
                "SELECT coalesce(string_agg(t::text, E'\n' ORDER BY t::text), '') FROM \(table) t")[
                    0][0]
        }
        return rows
    }

    private static func tables(_ session: BlockingSession) throws -> [String] {
        try session.query("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
            .map { try $0[0] }
    }

    /// The definitions of everything in a database, as pg_dump writes them. PostgreSQL drops needless
    /// brackets when it reads them again.
    private func schema(_ database: TestDatabase) throws -> String {
        var text = ""
        try PostgresProgram(
            "pg_dump", forServer: BulkStore(database.session()).serverVersion()
        ).run(["--schema-only", "--dbname=\(database.url)"]) {
            text += String(decoding: $0, as: UTF8.self)
        }
        // Newer versions of pg_dump write a random key.
        text.replace(/(?m)^\\(un)?restrict .*$/, with: "")
        return text.filter { !"()".contains($0) }
    }

    /// An archive with a checksum, whatever is in it.
    private func write(_ archive: some Sequence<UInt8>, to path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        let writer = try BackupFile(creating: path)
        try Array(archive).withUnsafeBytes { try writer.write($0) }
        try writer.finish()
    }

    @Test("bring all rows to another database, which then is the same")
    func roundTrip() async throws {
        let original = try await filled()
        let copy = try TestDatabase(.empty)
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/first"
            let made = try await Self.succeed(["backup", file], original)
            #expect(made.contains(/^Backed up \d+ tables to .+ in \d+ s\.\n$/), "\(made)")
            let permissions = try FileManager.default.attributesOfItem(atPath: file)[
                .posixPermissions]
            #expect(permissions as? Int == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["first"])
            let checked = try await Self.succeed(["restore", "--check", file], original)
            #expect(checked.hasPrefix("The backup can be restored: "))
            let restored = try await Self.succeed(["restore", file], copy)
            #expect(restored.contains("with 3 users, from 20"), "\(restored)")
            #expect(restored.contains("All counts are correct."))
            try await Self.succeed(["recount", "--check"], copy)
        }
        let (before, after) = (try rows(original), try rows(copy))
        #expect(before["entries"]?.contains(#"tab"#) == true)
        #expect(before == after)
        #expect(try schema(original) == schema(copy))
        #expect(try copy.brokenRules() == [])
        // Triggers work again, and servers forget what they knew of the empty database.
        let session = try copy.session()
        let everything: Bool = try session.query(
            "SELECT EXISTS (SELECT FROM changes WHERE keys = '{*}')")[0][0]
        #expect(everything)
        try session.execute("DELETE FROM entries")
        #expect(try session.query("SELECT sum(count) FROM included_by")[0][0] == 0)
        let last: Bool = try original.session().query(
            "SELECT succeeded_at > now() - interval '5 min' FROM maintenance WHERE task = 'backup'")[
                0][0]
        #expect(last)
    }

    @Test("derive counts and the order of names again, which something has changed before")
    func drift() async throws {
        let original = try await filled()
        let copy = try TestDatabase(.empty)
        try original.session().execute(
            """
            UPDATE included_by SET sort_name = 'former name';
            INSERT INTO included_by (platform_id, game_id, sort_name, count)
            SELECT platform_id, game_id, 'x', 3 FROM game_platforms
            WHERE game_id = 72 ORDER BY platform_id LIMIT 1
            """)
        let doctor = try await Program.admin.run(["doctor"], database: original)
        #expect(doctor.output.contains("note  counts: 2 of rankings don't match the entries"))
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/backup"
            try await Self.succeed(["backup", file], original)
            let words = "2 counts were not those of the entries, and corrected."
            let checked = try await Self.succeed(["restore", "--check", file], original)
            #expect(checked.contains(words), "\(checked)")
            let restored = try await Self.succeed(["restore", file], copy)
            #expect(restored.contains(words), "\(restored)")
        }
        #expect(try copy.brokenRules() == [])
        try await Self.succeed(["maintain"], original)
        #expect(try original.brokenRules() == [])
    }

    @Test("bring sessions back, unless all are to be ended")
    func sessions() async throws {
        let original = try await filled()
        try original.session().execute(
            """
            INSERT INTO sessions (user_id, kind, token_hash, expires_at)
            SELECT id, 'browser', sha256(convert_to(username, 'UTF8')), now() + interval '1 day'
            FROM users
            """)
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/backup"
            try await Self.succeed(["backup", file], original)
            // Signing out after the backup.
            try original.session().execute("DELETE FROM sessions")
            for (options, count, said) in [
                ([], 3, "All counts are correct.\n"),
                (["--end-sessions"], 0, "All counts are correct. All sessions are ended.\n"),
            ] {
                let copy = try TestDatabase(.empty)
                let restored = try await Self.succeed(["restore", file] + options, copy)
                #expect(restored.hasSuffix(said), "\(restored)")
                let session = try copy.session()
                #expect(try session.query("SELECT count(*) FROM sessions")[0][0] == count)
                #expect(try session.query("SELECT count(*) FROM passwords")[0][0] == 3)
            }
        }
    }

    @Test("hold the state of one moment, while people write")
    func consistent() async throws {
        let original = try await filled()
        let copy = try TestDatabase(.empty)
        let isOver = Recorder<Bool>()
        let writer = Thread {
            do {
                let session = try original.session()
                while isOver.elements.isEmpty {
                    try session.execute(
                        """
                        DELETE FROM entries;
                        INSERT INTO entries (user_id, position, game_id, platform_id)
                        SELECT id, 1, 71, 6 FROM users
                        """)
                }
            } catch {
                Issue.record(error)
            }
        }
        writer.start()
        defer { isOver.record(true) }
        try await TemporaryFolder.with { folder in
            for number in 1...5 {
                try await Self.succeed(["backup", "\(folder.path)/\(number)"], original)
            }
            // A restore fails if a count isn't that of the entries.
            try await Self.succeed(["restore", "\(folder.path)/5"], copy)
        }
    }

    /// An old snapshot sees nothing of a table that is written anew.
    @Test("hold the rows of a table that a migration rewrites meanwhile")
    func rewritten() async throws {
        let original = try await filled()
        let copy = try TestDatabase(.empty)
        let migrating = try original.session()
        try migrating.execute(
            "BEGIN; ALTER TABLE passwords ALTER COLUMN hash TYPE text USING hash || ''")
        try await TemporaryFolder.with { folder in
            let backup = try Program.admin.start(
                ["backup", folder.path + "/x"], database: original)
            try await eventually {
                try migrating.query(
                    "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'passwords'::regclass)"
                )[0][0]
            }
            try migrating.execute("COMMIT")
            #expect(try await backup.end().status == 0)
            try await Self.succeed(["restore", folder.path + "/x"], copy)
        }
        #expect(try copy.session().query("SELECT count(*) FROM passwords")[0][0] == 3)
    }

    @Test("are refused if a byte of them is missing or another one")
    func checksum() async throws {
        let original = try await filled()
        try await TemporaryFolder.with { folder in
            let (good, bad) = (folder.path + "/good", folder.path + "/bad")
            try await Self.succeed(["backup", good], original)
            let whole = try Array(Data(contentsOf: URL(fileURLWithPath: good)))
            try BackupFile(reading: good).check()
            let places =
                Array(stride(from: 0, to: whole.count, by: whole.count / 60))
                + stride(from: 1, through: 80, by: 3).map { whole.count - $0 }
            for place in places {
                var changed = whole
                changed[place] ^= 1 << UInt8(place % 8)
                for bytes in [Array(whole[..<place]), changed] {
                    try Data(bytes).write(to: URL(fileURLWithPath: bad))
                    #expect(throws: OperatorError.self, "at \(place)") {
                        try BackupFile(reading: bad).check()
                    }
                }
            }
        }
    }

    @Test("refuse what is damaged, cut off or no backup, and leave nothing behind")
    func damage() async throws {
        // Not the cluster of other tests, which check backups, too.
        let cluster = try TestCluster()
        let original = try await filled(in: cluster)
        let copy = try TestDatabase(.empty, in: cluster)
        try await TemporaryFolder.with { folder in
            let good = folder.path + "/good"
            try await Self.succeed(["backup", good], original)
            let whole = try Array(Data(contentsOf: URL(fileURLWithPath: good)))
            let archive = whole.dropLast(74)
            for (name, contents, message) in [
                ("cut", Array(whole.dropLast(500)), "checksum at its end is missing"),
                ("unsigned", Array(archive), "checksum at its end is missing"),
                ("changed", whole.map { $0 == 10 ? 11 : $0 }, "at its end is missing"),
                ("empty", [], "not a backup"), ("other", Array("Hello\n".utf8), "not a backup"),
            ] {
                try folder.write(name, Data(contents))
                for options in [[], ["--check"]] {
                    let outcome = try await Program.admin.run(
                        ["restore", "\(folder.path)/\(name)"] + options, database: copy)
                    #expect(outcome.status == 1 && outcome.output == "", "\(name)")
                    #expect(outcome.errors.contains(message), "\(name): \(outcome.errors)")
                }
            }
            // As if the checksum had been made of what was damaged before: then pg_restore fails, at the
            // list, among the rows, or at their end.
            for place in [5, archive.count / 2, archive.count - 40] {
                var damaged = Array(archive)
                for index in place..<place + 3 { damaged[index] ^= 0xFF }
                try write(damaged, to: folder.path + "/damaged")
                let outcome = try await Program.admin.run(
                    ["restore", folder.path + "/damaged"], database: copy)
                #expect(outcome.status == 1, "\(place)")
                #expect(outcome.errors.contains("pg_restore failed: "), "\(outcome.errors)")
                let session = try copy.session()
                #expect(try BulkStore(session).relations() == [], "\(place)")
            }
            let left: Int = try original.session().query(
                "SELECT count(*) FROM pg_database WHERE datname LIKE 'fave_check_%'")[0][0]
            #expect(left == 0, "a check leaves its database behind")
            // After all that, the database is still one to restore into.
            try await Self.succeed(["restore", good], copy)
            let again = try await Program.admin.run(["restore", good], database: copy)
            #expect(again.status == 1 && again.errors.contains("The database is not empty"))
            let exists = try await Program.admin.run(["backup", good], database: original)
            #expect(exists.status == 1 && exists.errors.contains("already exists"))
        }
    }

    @Test("are made and checked whatever else is in the database, and in the cluster")
    func surroundings() async throws {
        let original = try await filled()
        try original.session().execute(
            "CREATE SCHEMA extensions; CREATE EXTENSION hstore SCHEMA extensions")
        let other = try BlockingSession(
            connectionString: original.url.replacing(
                "dbname=\(original.name)", with: "dbname=template1"))
        try await TemporaryFolder.with { folder in
            try await Self.succeed(["backup", folder.path + "/x"], original)
            try await Self.succeed(["restore", "--check", folder.path + "/x"], original)
        }
        withExtendedLifetime(other) {}
    }

    @Test("are checked in a database of the same encoding and locale")
    func locale() throws {
        let database = try TestDatabase(.empty)
        let session = try database.session()
        let (first, second) = (database.name + "_first", database.name + "_second")
        var options = ["ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'POSIX'"]
        if try BulkStore(session).serverVersion() >= 15 {
            options.append("LOCALE_PROVIDER icu ICU_LOCALE 'sv' LC_COLLATE 'C'")
        }
        for options in options {
            try session.execute("CREATE DATABASE \(first) TEMPLATE template0 \(options)")
            defer { try? session.execute("DROP DATABASE \(first)") }
            let creation = try BulkStore(
                BlockingSession(connectionString: database.url, database: first)
            ).creation(ofDatabase: second)
            try session.execute(creation)
            defer { try? session.execute("DROP DATABASE \(second)") }
            let kinds: Int = try session.query(
                """
                SELECT count(DISTINCT to_jsonb(d) - '{oid,datname,datfrozenxid,datminmxid}'::text[])::integer
                FROM pg_database d WHERE datname IN ('\(first)', '\(second)')
                """)[0][0]
            #expect(kinds == 1, "\(creation)")
        }
    }

    /// Here, another version only differs in the number of the format that it writes.
    @Test("of a newer pg_dump are read by a newer pg_restore")
    func newerProgram() async throws {
        let original = try await filled()
        let present = try PostgresProgram(
            "pg_restore", forServer: BulkStore(original.session()).serverVersion())
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/x"
            try await Self.succeed(["backup", file], original)
            var archive = try Data(contentsOf: URL(fileURLWithPath: file)).dropLast(74)
            let format = archive[6]
            archive[6] = 99
            try write(archive, to: file)
            let refused = try await Program.admin.run(
                ["restore", "--check", file], database: original)
            #expect(refused.errors.contains("unsupported version (1.99)"), "\(refused.errors)")
            try folder.write(
                "pg_restore",
                Data(
                    """
                    #!/bin/sh
                    if [ "$1" = --version ]; then echo 'pg_restore (PostgreSQL) 99.1'; exit; fi
                    {
                        dd bs=1 count=6; dd bs=1 count=1 of=/dev/null
                        printf '\\\(String(format, radix: 8))'; cat
                    } 2>/dev/null | exec '\(present.path)' "$@"

                    """.utf8))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/pg_restore")
            let checked = try await Program.admin.run(
                ["restore", "--check", file], database: original,
                environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
            #expect(checked.status == 0, "\(checked.errors)")
        }
    }

    @Test("name the file that has no room, when they are restored")
    func fullTemporaryFolder() async throws {
        let database = try await filled()
        try await TemporaryFolder.with { folder in
            try await Self.succeed(["backup", folder.path + "/x"], database)
            for (words, script) in [
                (
                    "written: File too large",
                    "trap '' XFSZ; cat x | (ulimit -f 1; exec \"$0\" restore -)"
                ),
                (
                    "created: No such file or directory",
                    "TMPDIR=$PWD/none exec \"$0\" restore --check x"
                ),
            ] {
                let outcome = try await Program(name: "sh", folder: "/bin").run(
                    ["-c", "cd '\(folder.path)'; \(script)", try Program.admin.path],
                    database: database, environment: ["TMPDIR": folder.path])
                #expect(outcome.status == 1)
                let pattern = try Regex(
                    "\(folder.path)/(none/)?fave-restore-\\S+ can't be \(words)")
                #expect(outcome.errors.contains(pattern), "\(outcome.errors)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
        }
    }

    @Test("go through pipes, too")
    func pipes() async throws {
        let original = try await filled()
        let copy = try TestDatabase(.empty)
        try await TemporaryFolder.with { folder in
            let shell = Program(name: "sh", folder: "/bin")
            let admin = try Program.admin.path
            let made = try await shell.run(
                ["-c", "'\(admin)' backup - | cat >'\(folder.path)/x'"], database: original)
            #expect(made.output == "" && made.errors == "")
            let restored = try await shell.run(
                ["-c", "cat '\(folder.path)/x' | '\(admin)' restore -"], database: copy)
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try rows(original) == rows(copy))
        }
    }

    @Test("leave no part of a file that could not be written to its end")
    func fullDisk() async throws {
        let database = try await filled()
        try await TemporaryFolder.with { folder in
            // A write past the limit fails like one to a full disk.
            let outcome = try await Program(name: "sh", folder: "/bin").run(
                [
                    "-c",
                    "trap '' XFSZ; ulimit -f 16; exec '\(try Program.admin.path)' backup '\(folder.path)/x'",
                ], database: database)
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains("can't be written: File too large"), "\(outcome.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    /// By a role that is no superuser, at the second of two hosts, with settings that would make pg_dump
    /// and pg_restore fail, or write and read other values.
    @Test("don't depend on settings of the role")
    func role() async throws {
        let original = try await filled()
        let copy = try TestDatabase(.empty)
        let role = "\(original.name)_role"
        let administrator = try original.session()
        try administrator.execute("CREATE ROLE \(role) LOGIN IN ROLE fave")
        for (name, value) in [
            ("statement_timeout", "1"), ("lock_timeout", "1"), ("search_path", "nowhere"),
            ("idle_in_transaction_session_timeout", "1"), ("DateStyle", "German, DMY"),
            ("TimeZone", "Pacific/Kiritimati"), ("bytea_output", "escape"),
            ("extra_float_digits", "-15"), ("client_encoding", "LATIN1"), ("array_nulls", "off"),
            ("default_transaction_isolation", "serializable"), ("transform_null_equals", "on"),
            ("quote_all_identifiers", "on"), ("standard_conforming_strings", "off"),
            ("row_security", "off"), ("xmloption", "document"), ("jit", "on"),
        ] {
            try administrator.execute("ALTER ROLE \(role) SET \(name) = '\(value)'")
        }
        func environment(_ database: TestDatabase) -> [String: String] {
            let url = database.url.replacing("user=fave", with: "user=\(role)")
            return ["DATABASE_URL": url.replacing("host=", with: "host=/nonexistent,")]
        }
        try await TemporaryFolder.with { folder in
            let made = try await Program.admin.run(
                ["backup", folder.path + "/x"], environment: environment(original))
            #expect(made.status == 0, "\(made.errors)")
            let restored = try await Program.admin.run(
                ["restore", folder.path + "/x"], environment: environment(copy))
            #expect(restored.status == 0, "\(restored.errors)")
        }
        #expect(try rows(original) == rows(copy))
        #expect(try copy.brokenRules() == [])
        try copy.session().execute("REASSIGN OWNED BY \(role) TO fave")
        try administrator.execute("DROP OWNED BY \(role); DROP ROLE \(role)")
    }

    @Test("are made of any schema, but restored only by a program that knows it")
    func newerSchema() async throws {
        let database = try await filled()
        let copy = try TestDatabase(.empty)
        let session = try database.session()
        try await TemporaryFolder.with { folder in
            let known = try Migration.embedded().count
            try session.execute(
                """
                INSERT INTO schema_migration_steps (version, step, checksum, oldest_server)
                VALUES (\(known + 1), 1, 'x', \(known))
                """)
            let migrating = try await Program.admin.run(
                ["backup", folder.path + "/x"], database: database)
            #expect(migrating.status == 1 && migrating.errors.contains("is being migrated"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            for (change, words) in [
                (
                    """
                    INSERT INTO schema_migrations (version, name, checksum, oldest_server)
                    VALUES (\(known + 1), 'secrets', 'x', \(known))
                    """, "was made by a newer version: its schema is that of migration \(known + 1)"
                ),
                (
                    """
                    DELETE FROM schema_migrations WHERE version > \(known);
                    UPDATE schema_migrations SET checksum = 'x' WHERE version = 3
                    """, "has a schema that this program doesn't know: its migration 3 (people)"
                ),
            ] {
                try session.execute("DELETE FROM schema_migration_steps; \(change)")
                let file = "\(folder.path)/\(UUID().uuidString)"
                try await Self.succeed(["backup", file], database)
                let refused = try await Program.admin.run(["restore", file], database: copy)
                #expect(refused.status == 1 && refused.errors.contains(words), "\(refused.errors)")
                #expect(try BulkStore(copy.session()).relations() == [])
            }
        }
    }

    @Test("of an older schema are migrated once they are restored")
    func olderSchema() async throws {
        let migrations = try Migration.embedded()
        let original = try TestDatabase(.empty)
        let copy = try TestDatabase(.empty)
        let session = try original.session()
        _ = try Migrator(session, Array(migrations.dropLast())).migrate()
        try session.execute("INSERT INTO users (username, display_name) VALUES ('ada', 'Ada')")
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/x"
            try await Self.succeed(["backup", file], original)
            try await Self.succeed(["restore", file], copy)
        }
        try Migrator(copy.session(), migrations).check()
        #expect(try copy.brokenRules() == [])
        #expect(try copy.session().query("SELECT count(*) FROM users")[0][0] == 1)
    }

    /// Backups of demonstration data, one for the schema of each release.
    private static let releases = TestDatabase.repository + "/Tests/AppTests/Releases"

    @Test("bring what each release has stored to the schema of today")
    func older() async throws {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: Self.releases)) ?? []
        for file in files where file.hasSuffix(".dump") {
            let copy = try TestDatabase(.empty)
            try await Self.succeed(["restore", Self.releases + "/" + file], copy)
            #expect(try copy.brokenRules() == [], "\(file)")
            let entries: Int = try copy.session().query("SELECT count(*) FROM entries")[0][0]
            #expect(entries > 100, "\(file)")
        }
    }

    @Test("leave out rows that no others need")
    func tables() async throws {
        let database = try TestDatabase(.migrated)
        let session = try database.session()
        let leftOut = BulkStore.notBackedUp.keys
        #expect(try Set(leftOut).subtracting(Self.tables(session)) == [])
        let references: [String] = try session.query(
            """
            SELECT DISTINCT f.relname || ' ' || t.relname
            FROM pg_constraint k
            JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
            WHERE k.contype = 'f'
            """
        ).map { try $0[0] }
        for reference in references {
            let (from, to) = (
                String(reference.split(separator: " ")[0]),
                String(reference.split(separator: " ")[1])
            )
            #expect(!leftOut.contains(to) || leftOut.contains(from), "\(from) refers to \(to)")
        }
        withExtendedLifetime(database) {}
    }
}
