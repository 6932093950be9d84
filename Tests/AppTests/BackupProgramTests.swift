import Foundation
import Migrations
import Postgres
@_spi(Writing) import Storage
import TestSupport
import Testing

@testable import App

@Suite("fave-admin backup and restore", .blocking)
struct BackupProgramTests {
    /// A database with people, whose comments hold what COPY must escape.
    private func filled() async throws -> TestDatabase {
        let database = try TestDatabase()
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

    /// The lines of a backup after its header.
    private func rows(_ path: String) throws -> String {
        let bytes = try Gunzip.decompress(Array(Data(contentsOf: URL(fileURLWithPath: path))))
        return String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)[2].description
    }

    @Test("bring all rows to another database, which then is the same")
    func roundTrip() async throws {
        let original = try await filled()
        let copy = try TestDatabase(.empty)
        try await TemporaryFolder.with { folder in
            let (first, second) = (folder.path + "/first.gz", folder.path + "/second.gz")
            let made = try await Self.succeed(["backup", first], original)
            #expect(made.contains("Backed up ") && made.contains(" rows of "))
            let permissions = try FileManager.default.attributesOfItem(atPath: first)[
                .posixPermissions]
            #expect(permissions as? Int == 0o600)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["first.gz"])
            let checked = try await Self.succeed(["restore", "--check", first], original)
            #expect(checked.hasPrefix("The backup can be restored: "))
            let restored = try await Self.succeed(["restore", first], copy)
            #expect(restored.contains("All counts are correct."))
            try await Self.succeed(["recount", "--check"], copy)
            try await Self.succeed(["backup", second], copy)
            #expect(try rows(first) == rows(second))
            #expect(try rows(first).contains(#"tab\there, line\nfeed, \\. and \\N, 日本"#))
        }
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
            let file = folder.path + "/backup.gz"
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
            let file = folder.path + "/backup.gz"
            try await Self.succeed(["backup", file], original)
            // Signing out after the backup.
            try original.session().execute("DELETE FROM sessions")
            for (options, count, said) in [
                ([], 3, "All counts are correct.\n"),
                (["--end-sessions"], 0, "All counts are correct. 3 sessions ended.\n"),
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
                try await Self.succeed(["backup", "\(folder.path)/\(number).gz"], original)
            }
            // A restore fails if a count isn't that of the entries.
            try await Self.succeed(["restore", "\(folder.path)/5.gz"], copy)
        }
    }

    @Test("refuse what is damaged, cut off or no backup, and leave nothing behind")
    func damage() async throws {
        let original = try await filled()
        let copy = try TestDatabase(.empty)
        try await TemporaryFolder.with { folder in
            let good = folder.path + "/good.gz"
            try await Self.succeed(["backup", good], original)
            let whole = try Gunzip.decompress(Array(Data(contentsOf: URL(fileURLWithPath: good))))
            let text = String(decoding: whole, as: UTF8.self)
            let damaged: [(String, String, String)] = [
                (
                    "changed", text.replacing("tab\\there", with: "tab\\tthere"),
                    "match their checksum"
                ),
                ("cut", String(text.dropLast(500)), "end is missing"),
                ("endless", String(text.dropLast(4)), "end is missing"),
                ("longer", text + "x\n", "end is missing"),
                ("newer", text.replacing("format 2\n", with: "format 3\n"), "by a newer version"),
                (
                    "later", text.replacing(/"schema":\d+/, with: "\"schema\":9999"),
                    "made by a newer version"
                ),
                ("old", text.replacing("format 2\n", with: "format 1\n"), "long before 1.0"),
                (
                    "injected",
                    text.replacing("\"name\":\"users\"", with: "\"name\":\"users; DROP TABLE x\""),
                    "is damaged"
                ),
                ("empty", "", "not a backup"), ("other", "Hello\n", "not a backup"),
            ]
            for (name, contents, message) in damaged {
                // zlib reads what is not compressed as it is.
                try folder.write(name, Data(contents.utf8))
                let outcome = try await Program.admin.run(
                    ["restore", "\(folder.path)/\(name)"], database: copy)
                #expect(outcome.status == 1, "\(name)")
                #expect(outcome.errors.contains(message), "\(name): \(outcome.errors)")
                let check = try await Program.admin.run(
                    ["restore", "--check", "\(folder.path)/\(name)"], database: original)
                #expect(check.status == 1 && check.output == "", "\(name)")
                #expect(check.errors == outcome.errors, "\(name): \(check.errors)")
            }
            let left: Int = try original.session().query(
                "SELECT count(*) FROM pg_database WHERE datname LIKE 'fave_check_%'")[0][0]
            #expect(left == 0, "a check leaves its database behind")
            let compressed = try Data(contentsOf: URL(fileURLWithPath: good))
            try folder.write("half.gz", compressed.prefix(compressed.count / 2))
            let half = try await Program.admin.run(
                ["restore", "\(folder.path)/half.gz"], database: copy)
            #expect(half.status == 1 && half.errors.contains("unexpected end"), "\(half.errors)")
            #expect(try copy.session().query("SELECT count(*) FROM users")[0][0] == 0)
            // After all that, the database is still one to restore into.
            try await Self.succeed(["restore", good], copy)
            let again = try await Program.admin.run(["restore", good], database: copy)
            #expect(again.status == 1 && again.errors.contains("The database is not empty"))
            let exists = try await Program.admin.run(["backup", good], database: original)
            #expect(exists.status == 1 && exists.errors.contains("already exists"))
        }
    }

    /// Of a table that a newer version has added, this one can't know whether backups have it.
    @Test("are not made of a schema that the program doesn't know, or that is being changed")
    func newerSchema() async throws {
        let database = try await filled()
        let session = try database.session()
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/backup.gz"
            func refused(_ words: String) async throws {
                let outcome = try await Program.admin.run(["backup", file], database: database)
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains(words), "\(outcome.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            }
            let known = try Migration.embedded().count
            try await Self.succeed(["migrate"], database)
            try session.execute(
                """
                INSERT INTO schema_migration_steps (version, step, checksum, oldest_server)
                VALUES (\(known + 1), 1, 'x', \(known))
                """)
            try await refused("is being migrated")
            try session.execute(
                """
                DELETE FROM schema_migration_steps;
                CREATE TABLE secrets (secret text);
                INSERT INTO schema_migrations (version, name, checksum, oldest_server)
                VALUES (\(known + 1), 'secrets', 'x', \(known))
                """)
            try await refused("has the schema of migration \(known + 1)")
        }
    }

    /// As the older versions made them which did not look at the schema.
    @Test("that hold other tables than their schema has are refused by a check, too")
    func otherTables() async throws {
        let database = try await filled()
        try await TemporaryFolder.with { folder in
            let file = folder.path + "/good.gz"
            try await Self.succeed(["backup", file], database)
            let bytes = try Gunzip.decompress(Array(Data(contentsOf: URL(fileURLWithPath: file))))
            let text = String(decoding: bytes, as: UTF8.self)
            let unlisted = text.replacing(
                "\"name\":\"users\"", with: "\"name\":\"people\"")
            let wrong = text.replacing("\ntable users\n", with: "\ntable people\n")
            for (name, contents) in [("unlisted", unlisted), ("wrong", wrong)] {
                try folder.write(name, Data(contents.utf8))
                let check = try await Program.admin.run(
                    ["restore", "--check", "\(folder.path)/\(name)"], database: database)
                #expect(check.status == 1, "\(name): \(check.output)")
                #expect(check.errors.contains("is damaged"), "\(name): \(check.errors)")
            }
        }
    }

    /// Backups of demonstration data: of the last version before 1.0, and a file for the schema of each
    /// release.
    private static let releases = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Releases").path

    @Test("bring what each release has stored to the schema of today")
    func older() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.releases)
        #expect(files.contains("before-1.0.gz"))
        let migrations = try Migration.load(from: TestDatabase.migrationsFolder)
        for file in files {
            let copy = try TestDatabase(.empty)
            try await Self.succeed(["restore", Self.releases + "/" + file], copy)
            let session = try copy.session()
            let version: Int = try session.query("SELECT max(version) FROM schema_migrations")[0][0]
            #expect(version == migrations.count, "\(file)")
            #expect(try copy.brokenRules() == [], "\(file)")
            let entries: Int = try session.query("SELECT count(*) FROM entries")[0][0]
            #expect(entries > 100, "\(file)")
        }
    }

    /// The rows of each table in a backup, as values by the names of their columns.
    private func contents(_ path: String) throws -> [String: [[String: String]]] {
        let bytes = try Gunzip.decompress(Array(Data(contentsOf: URL(fileURLWithPath: path))))
        var lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)[1...]
        let header = try BackupHeader.coder.decoder.decode(
            BackupHeader.self, from: Data((lines.popFirst() ?? "").utf8))
        var contents: [String: [[String: String]]] = [:]
        for table in header.tables {
            let name = lines.popFirst()
            #expect(name == "table \(table.name)")
            var rows: [[String: String]] = []
            while let line = lines.popFirst(), line != "\\." {
                let values = line.split(separator: "\t", omittingEmptySubsequences: false)
                rows.append(
                    Dictionary(
                        zip(table.columns, values.map { String($0) }), uniquingKeysWith: { $1 }))
            }
            lines = lines.dropFirst()
            contents[table.name] = rows
        }
        return contents
    }

    @Test("bring all that the last version before 1.0 has stored to the schema of today")
    func former() async throws {
        let names = [
            "kept_lists": "snapshots", "kept_entries": "snapshot_entries",
            "moderation_acts": "moderation_actions", "act": "action", "act_id": "action_id",
            "answered_at": "received_at", "kept_at": "taken_at", "kept_id": "snapshot_id",
            "next_kept_year": "next_snapshot_year",
        ]
        let copy = try TestDatabase(.empty)
        try await Self.succeed(["restore", Self.releases + "/before-1.0.gz"], copy)
        try await TemporaryFolder.with { folder in
            try await Self.succeed(["backup", folder.path + "/after.gz"], copy)
            let after = try contents(folder.path + "/after.gz")
            let before = try contents(Self.releases + "/before-1.0.gz")
            let tables = Set(before.keys.map { names[$0] ?? $0 })
            #expect(tables.union(FormerSchema.laterTables) == Set(after.keys))
            for (table, rows) in before {
                let expected = rows.map { row in
                    var row = Dictionary(
                        row.map { (names[$0.key] ?? $0.key, $0.value) }, uniquingKeysWith: { $1 })
                    // One was never read, the other is generated.
                    if table == "games" { (row["seen_at"], row["searched_name"]) = (nil, nil) }
                    return row
                }
                #expect(!rows.isEmpty, "there is nothing in \(table) to compare")
                let restored = (after[names[table] ?? table] ?? []).map { row in
                    var row = row
                    // It was not stored then.
                    if table == "recovery_codes" { row["made_at"] = nil }
                    if table == "mail_addresses" { row["reports_after"] = nil }
                    if table.hasSuffix("circles") { row["slug"] = nil }
                    if table == "cases" { row["circle_id"] = nil }
                    if table == "games" {
                        for column in ["adult_theme", "adult_rating", "adult_by_hand", "is_hidden"]
                        {
                            row[column] = nil
                        }
                    }
                    return row
                }
                #expect(Set(expected) == Set(restored), "\(table)")
            }
        }
        // What was generated is what it was.
        let games = try contents(Self.releases + "/before-1.0.gz")["games"] ?? []
        let session = try copy.session()
        for game in games.prefix(20) {
            let name: String = try session.query(
                "SELECT searched_name FROM games WHERE id = $1",
                [.int(Int(game["id"] ?? ""))])[0][0]
            #expect(name == game["searched_name"])
        }
    }

    @Test("are what a database from before 1.0 needs, as migrating it says")
    func migrating() async throws {
        let database = try TestDatabase(.empty)
        try database.session().execute(
            """
            CREATE TABLE schema_migrations (
                version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now(), oldest_server integer);
            INSERT INTO schema_migrations (version, name, checksum)
            SELECT n, CASE n WHEN 1 THEN 'lists_and_rankings' ELSE 'more' END, 'x'
            FROM generate_series(1, 29) n
            """)
        for command in ["migrate", "doctor"] {
            let outcome = try await Program.admin.run([command], database: database)
            #expect(outcome.status != 0)
            #expect(
                (outcome.output + outcome.errors).contains("from a version before 1.0"),
                "\(outcome.errors)")
        }
    }

    @Test("leave out only tables whose rows would be of no use")
    func tables() async throws {
        let database = try TestDatabase(.migrated)
        let session = try database.session()
        let all: [String] = try session.query(
            "SELECT array_agg(tablename::text ORDER BY tablename) FROM pg_tables WHERE schemaname = 'public'"
        )[0][0]
        let backedUp = try BulkStore(session).backedUpTables().map(\.name)
        #expect(
            Set(all).subtracting(backedUp) == [
                "administrator_links", "adult_games", "attempts", "changes", "drafts",
                "igdb_tokens",
                "idempotency_records", "mail_verifications",
                "maintenance", "imports", "import_rows", "news_visits", "outgoing_mail",
                "outgoing_webhooks", "password_resets", "schema_migration_steps",
                "schema_migrations", "used_challenges",
            ])
        withExtendedLifetime(database) {}
    }
}
