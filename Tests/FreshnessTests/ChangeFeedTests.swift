import Foundation
import Freshness
import Postgres
import StorageWrites
import TestSupport
import Testing

@testable import Storage

@Suite("The feed of changes", .blocking)
struct ChangeFeedTests {
    /// Runs `body` with a feed that has made its first check, and with what it has found since.
    private func withFeed(
        _ database: TestDatabase,
        _ body:
            @escaping @Sendable (
                Store, ChangeFeed, Recorder<ChangeFeed.Finding>
            ) async throws -> Void
    ) async throws {
        try await withStore(database) { store in
            let feed = ChangeFeed(store.database.pool)
            let found = Recorder<ChangeFeed.Finding>()
            feed.observe { finding, _ in found.record(finding) }
            #expect(await feed.check())
            #expect(found.take().map(\.keys) == [nil])
            try await body(store, feed, found)
        }
    }

    @Test("tells of every kind of change, whoever makes it", arguments: Change.all)
    func changes(_ change: Change) async throws {
        let database = try TestDatabase()
        let session = try database.session()
        for sql in Change.setting { _ = try session.query(sql) }
        try await withFeed(database) { _, feed, found in
            _ = try database.session().query(change.sql)
            #expect(await feed.check())
            let keys = Set(found.take().last?.keys ?? ["*"])
            #expect(keys == change.keys, "\(change.sql)")
            #expect(await feed.check())
            #expect(found.take().map(\.keys) == [[]])
        }
    }

    @Test("tells of every change of hearts", arguments: Change.ofHearts)
    func hearts(_ change: Change) async throws {
        let database = try TestDatabase()
        let session = try database.session()
        for sql in Change.setting + Change.heartSetting { _ = try session.query(sql) }
        try await withFeed(database) { _, feed, found in
            _ = try database.session().query(change.sql)
            #expect(await feed.check())
            #expect(Set(found.take().last?.keys ?? ["*"]) == change.keys, "\(change.sql)")
        }
    }

    struct Change: CustomTestStringConvertible {
        let sql: String
        let keys: Set<String>

        var testDescription: String { sql }

        static let user = "00000000-0000-0000-0000-000000000001"
        static let giver = "00000000-0000-0000-0000-000000000002"

        static let setting = [
            "INSERT INTO users (id, username, display_name) VALUES ('\(user)', 'rob', 'Rob')",
            """
            INSERT INTO entries (user_id, position, game_id, platform_id)
            VALUES ('\(user)', 1, 71, 6)
            """,
            "SELECT take_snapshot('\(user)', 'My five', NULL)",
            """
            INSERT INTO past_ranks SELECT 6, current_date, 71, 1
            """,
            """
            INSERT INTO signing_keys (id, private_key)
            VALUES ('made-up-key', repeat('A', 43) || '=')
            """,
            making(circle: circle),
        ]

        static let circle = "00000000-0000-0000-0000-00000000000c"

        private static func making(circle: String) -> String {
            """
            WITH c AS (
                INSERT INTO circles (id, slug, name)
                VALUES ('\(circle)', '\(circle)', 'Club') RETURNING id
            )
            INSERT INTO circle_members (circle_id, user_id, seat, place, owned)
            SELECT id, '\(user)', 1, n, n
            FROM c, (SELECT count(*) + 1 FROM circle_members) p (n)
            """
        }

        private static let entry: Set = [
            "entries", "lists", "rankings", "user \(user)", "ranking 6", "game 71",
        ]
        private static let hearts: Set = ["user \(user)", "hearts 71"]
        private static let person: Set = ["users", "user \(user)"]

        /// Someone else, who has given a heart.
        static let heartSetting = [
            "INSERT INTO users (id, username, display_name) VALUES ('\(giver)', 'bo', 'Bo')",
            "UPDATE entries SET comment = 'Words'",
            "INSERT INTO hearts (entry_id, user_id) SELECT id, '\(giver)' FROM entries",
        ]

        static let ofHearts = [
            Change(sql: "DELETE FROM hearts", keys: hearts),
            Change(sql: "UPDATE hearts SET is_counted = false", keys: hearts),
            Change(sql: "UPDATE hearts SET given_at = now()", keys: []),
            Change(sql: "UPDATE heart_counts SET weigh_at = now()", keys: []),
            Change(sql: "DELETE FROM heart_counts", keys: hearts),
            Change(sql: "TRUNCATE hearts", keys: hearts),
            Change(sql: "TRUNCATE heart_counts", keys: ["*"]),
            Change(
                sql: "UPDATE users SET disabled_at = now() WHERE id = '\(giver)'",
                keys: hearts.union(["users", "user \(giver)"])),
            Change(sql: "DELETE FROM follows", keys: []),
            Change(sql: "UPDATE entries SET comment = 'Others'", keys: entry.union(hearts)),
            Change(sql: "UPDATE entries SET rating = 5", keys: entry),
        ]

        static let all = [
            Change(
                sql: """
                    INSERT INTO entries (user_id, position, game_id, platform_id)
                    VALUES ('\(user)', 2, 120, 48)
                    """,
                keys: [
                    "entries", "lists", "rankings", "user \(user)", "ranking 48", "game 120",
                ]),
            Change(sql: "UPDATE entries SET comment = 'Why'", keys: entry),
            Change(
                sql: "UPDATE entries SET game_id = 120, platform_id = 48",
                keys: entry.union(["ranking 48", "game 120"])),
            Change(sql: "DELETE FROM entries", keys: entry),
            Change(sql: "TRUNCATE entries CASCADE", keys: ["*"]),
            Change(
                sql: "UPDATE included_by SET count = 7", keys: ["rankings", "ranking 6", "game 71"]),
            Change(
                sql: "UPDATE lists SET updated_at = now()", keys: ["lists", "user \(user)"]),
            Change(
                sql: "UPDATE users SET display_name = 'Robert'", keys: person.union(entry)),
            Change(sql: "UPDATE users SET bio = 'Hello'", keys: person.union(entry)),
            Change(sql: "UPDATE users SET username = 'bob'", keys: person.union(entry)),
            Change(sql: "UPDATE users SET visibility = 'unlisted'", keys: person.union(entry)),
            Change(sql: "UPDATE users SET visibility = 'private'", keys: person.union(entry)),
            Change(sql: "UPDATE users SET disabled_at = now()", keys: person.union(entry)),
            Change(sql: "UPDATE users SET bio = bio", keys: []),
            Change(sql: "UPDATE users SET next_snapshot_year = 2026", keys: []),
            Change(
                sql: "UPDATE users SET language = 'de'", keys: ["users", "user \(user)"]),
            Change(
                sql: "SELECT take_snapshot('\(user)', 'My five again', NULL)",
                keys: ["user \(user)"]),
            Change(sql: "UPDATE snapshot_entries SET hidden_by = 1", keys: ["user \(user)"]),
            Change(sql: "DELETE FROM snapshots", keys: ["user \(user)"]),
            Change(sql: "TRUNCATE snapshots CASCADE", keys: ["*"]),
            Change(
                sql: "DELETE FROM users", keys: person.union(entry).union(["circle \(circle)"])),
            Change(
                sql: making(circle: "00000000-0000-0000-0000-00000000000d"),
                keys: ["circle 00000000-0000-0000-0000-00000000000d"]),
            Change(sql: "UPDATE circles SET description = 'x'", keys: ["circle \(circle)"]),
            Change(
                sql: "UPDATE circle_members SET joined_at = now()", keys: ["circle \(circle)"]),
            Change(sql: "DELETE FROM circle_members", keys: ["circle \(circle)"]),
            Change(sql: "DELETE FROM circles", keys: ["circle \(circle)"]),
            Change(sql: "TRUNCATE circles CASCADE", keys: ["*"]),
            Change(
                sql: """
                    INSERT INTO users (id, username, display_name)
                    VALUES ('\(giver)', 'ada', 'Ada')
                    """,
                keys: ["users", "user \(giver)"]),
            Change(
                sql: "UPDATE games SET cover_image_id = 'co1' WHERE id = 71",
                keys: ["catalogue", "game 71"]),
            Change(
                sql: "UPDATE games SET localized_names = 'ja=P' WHERE id = 71",
                keys: ["catalogue", "game 71"]),
            // It may move among its equals, on pages that did not show it.
            Change(
                sql: "UPDATE games SET name = 'A portal' WHERE id = 71",
                keys: ["catalogue", "game 71", "rankings", "ranking 6"]),
            Change(sql: "DELETE FROM signing_keys", keys: ["*"]),
            Change(
                sql: "UPDATE games SET rating_count = 5 WHERE id = 71", keys: ["catalogue"]),
            Change(sql: "UPDATE games SET fetched_at = now()", keys: []),
            Change(sql: "UPDATE games SET release_year = 1999", keys: ["*"]),
            Change(
                sql: "INSERT INTO games (id, name) VALUES (900000, 'New')",
                keys: ["catalogue", "game 900000"]),
            Change(
                sql: "DELETE FROM game_platforms WHERE (game_id, platform_id) = (71, 9)",
                keys: ["catalogue", "game 71"]),
            Change(
                sql: "INSERT INTO game_platforms VALUES (71, 7)", keys: ["catalogue", "game 71"]),
            Change(sql: "UPDATE platforms SET name = 'PC' WHERE id = 6", keys: ["platforms"]),
            Change(sql: "DELETE FROM platforms WHERE id = 0", keys: []),
            Change(sql: "UPDATE entries SET agreed = 5", keys: entry),
            Change(sql: "DELETE FROM past_ranks", keys: ["past ranks"]),
            Change(sql: "TRUNCATE past_ranks", keys: ["*"]),
        ]
    }

    @Test("tells of changes by sessions that have tables and functions of the same names")
    func diverted() async throws {
        let database = try TestDatabase()
        let user = try database.makeUser("rob")
        try await withFeed(database) { _, feed, found in
            for (number, preparation) in [
                "CREATE TEMPORARY TABLE changes (LIKE public.changes INCLUDING ALL)",
                """
                CREATE SCHEMA other;
                CREATE TABLE other.changes (LIKE public.changes INCLUDING ALL);
                CREATE TABLE other.lists (LIKE public.lists);
                CREATE TABLE other.included_by (LIKE public.included_by);
                CREATE FUNCTION other.change_counts(integer[], integer[], bigint[], boolean)
                    RETURNS void LANGUAGE sql AS 'SELECT 1 / 0';
                SET search_path = other, public
                """,
            ].enumerated() {
                let session = try database.session()
                try session.execute(preparation)
                try session.execute(
                    """
                    UPDATE users SET bio = 'Hello \(number)';
                    INSERT INTO entries (user_id, position, game_id, platform_id)
                    VALUES ('\(user)', \(number + 1), 71, \(number == 0 ? 6 : 9))
                    """)
                #expect(await feed.check())
                let keys = found.take().last?.keys ?? ["*"]
                #expect(keys.contains("users") && keys.contains("ranking \(number == 0 ? 6 : 9)"))
                #expect(try database.brokenRules() == [])
            }
        }
    }

    @Test("leaves out what is not committed, and tells of it once it is, in whatever order")
    func order() async throws {
        let database = try TestDatabase()
        try await withFeed(database) { _, feed, found in
            let early = try database.session()
            let late = try database.session()
            func keys() async -> [String] {
                #expect(await feed.check())
                return found.take().last?.keys ?? ["lost track"]
            }
            _ = try early.query("BEGIN")
            _ = try early.query("INSERT INTO games (id, name) VALUES (900001, 'Early')")
            _ = try late.query("INSERT INTO games (id, name) VALUES (900002, 'Late')")
            #expect(await keys().sorted() == ["catalogue", "game 900002"])
            #expect(await keys() == [])
            _ = try early.query("COMMIT")
            #expect(await keys().sorted() == ["catalogue", "game 900001"])
            _ = try early.query("BEGIN")
            _ = try early.query("INSERT INTO games (id, name) VALUES (900003, 'Never')")
            _ = try early.query("ROLLBACK")
            #expect(await keys() == [])
        }
    }

    @Test("shares a check among all who ask before it is sent")
    func shared() async throws {
        let database = try TestDatabase()
        try await withFeed(database) { _, feed, found in
            let responses = Recorder<Bool>()
            for _ in 0..<100 { feed.check { responses.record($0) } }
            #expect(await feed.check())
            #expect(responses.elements == Array(repeating: true, count: 100))
            #expect(found.take().count <= 2)
        }
    }

    @Test("loses track if changes are gone, or too many, but not if its connections break")
    func lost() async throws {
        // Changes stay as long as any transaction of the cluster runs that began before them.
        let database = try TestDatabase(in: TestCluster())
        try await withFeed(database) { store, feed, found in
            let session = try database.session()
            func finding() async -> [String]? {
                #expect(await feed.check())
                return found.take().last?.keys
            }
            _ = try session.query("INSERT INTO games (id, name) VALUES (900001, 'One')")
            _ = try session.query("INSERT INTO games (id, name) VALUES (900002, 'Two')")
            _ = try session.query("UPDATE changes SET at = at - interval '1 hour'")
            try await store.deleteOldChanges()
            #expect(await finding() == nil)
            #expect(await finding() == [])

            // The latest one is left, so a check that knows of it need not begin anew.
            try await store.deleteOldChanges()
            #expect(await finding() == [])

            for number in 0..<20 {
                _ = try session.query(
                    "SELECT note_changes(array_agg('game ' || n + \(number * 400)))"
                        + " FROM generate_series(1, 400) n")
            }
            #expect(await finding() == nil)
            #expect(await finding() == [])

            _ = try session.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            _ = try session.query("INSERT INTO games (id, name) VALUES (900003, 'Three')")
            try await eventually("a connection is back") { await feed.check() }
            #expect(found.take().map { $0.keys?.sorted() } == [["catalogue", "game 900003"]])
            #expect(await finding() == [])

            // As after a restore into this database.
            _ = try session.query("ALTER TABLE changes RENAME TO former_changes")
            _ = try session.query("CREATE TABLE changes (LIKE former_changes INCLUDING ALL)")
            _ = try session.query("INSERT INTO changes SELECT * FROM former_changes")
            #expect(await finding() == nil)
            #expect(await finding() == [])
        }
    }

    @Test("loses track if a process of the server crashes, which may undo what it has seen")
    func crash() async throws {
        let cluster = try TestCluster()
        let database = try TestDatabase(.migrated, in: cluster)
        try await withFeed(database) { _, feed, found in
            func start() throws -> Date {
                try database.session().query("SELECT pg_postmaster_start_time()")[0][0]
            }
            let before = try start()
            let process: Int = try database.session().query("SELECT pg_backend_pid()")[0][0]
            #expect(kill(pid_t(process), SIGKILL) == 0)
            // Until it has ended all its processes, it may still respond.
            try await eventually("the server is back") {
                await feed.check() && found.take().contains { $0.keys == nil }
            }
            #expect(try start() == before)
            #expect(await feed.check())
            #expect(found.take().map(\.keys) == [[]])
        }
    }

    @Test("has changes from another cluster's future deleted, and knows of all that follow")
    func restored() async throws {
        // With no other transactions.
        let cluster = try TestCluster()
        let database = try TestDatabase(.migrated, in: cluster)
        let session = try database.session()
        try session.execute("UPDATE changes SET xid = '9000000000', keys = '{users}'")
        try await withFeed(database) { store, feed, found in
            #expect(await feed.check())
            #expect(found.take().map(\.keys) == [nil])
            let ofFuture = Statement(
                "of_future", .read, "SELECT count(*) FROM changes WHERE xid = '9000000000'")
            try await eventually("that they are deleted") {
                try await store.database.pool.query(ofFuture)[0][0] == 0
            }
            // Once no transaction is left that is older than the deletion.
            try await eventually("a check that is complete") {
                await feed.check() && found.take().map(\.keys) == [[]]
            }
            _ = try database.session().query(
                "INSERT INTO games (id, name) VALUES (900001, 'One')")
            #expect(await feed.check())
            #expect(found.take().map { $0.keys?.sorted() } == [["catalogue", "game 900001"]])
        }
    }

    @Test("asks once for such changes to be deleted, where that is in vain")
    func notDeleted() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        try session.execute(
            """
            UPDATE changes SET xid = '9000000000';
            CREATE SEQUENCE attempts_to_delete;
            CREATE OR REPLACE FUNCTION delete_changes(bound integer) RETURNS bigint
                LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION '%', nextval('attempts_to_delete');
            END $$
            """)
        try await withFeed(database) { store, feed, found in
            for _ in 0..<20 { #expect(await feed.check()) }
            #expect(found.take().allSatisfy { $0.keys == nil })
            // After all that was asked before.
            await #expect(throws: PostgresError.self) { try await store.deleteOldChanges() }
            let attempts: Int = try database.session().query(
                "SELECT last_value FROM attempts_to_delete")[0][0]
            #expect(attempts == 2)
        }
    }

    @Test("keeps what servers need, and deletes older changes a bounded number at a time")
    func batches() async throws {
        let database = try TestDatabase(.migrated)
        let session = try database.session()
        try session.execute(
            """
            DELETE FROM changes;
            INSERT INTO changes (xid, keys, at)
            SELECT (3 + n / 2)::text::xid8, '{}', now() - interval '1 hour'
            FROM generate_series(0, 599) n;
            INSERT INTO changes (keys) VALUES ('{users}')
            """)
        func delete() throws -> Int { try session.query("SELECT delete_changes(100)")[0][0] }
        for _ in 0..<5 { #expect(try delete() == 100) }
        // The last old transaction's two rows say up to where changes were deleted.
        #expect(try delete() == 98)
        #expect(try delete() == 0)
        #expect(try session.query("SELECT count(*) FROM changes")[0][0] == 3)
    }

    @Test("has an entry's new reader wait for a name that is being changed")
    func renaming() async throws {
        let database = try TestDatabase()
        let rob = try database.makeUser("rob")
        let renamer = try database.session()
        _ = try renamer.query("BEGIN")
        _ = try renamer.query("UPDATE users SET display_name = 'Robert' WHERE username = 'rob'")
        let writer = try database.session()
        _ = try writer.query("SET lock_timeout = '200ms'")
        let error = #expect(throws: PostgresError.self) {
            try writer.query(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                VALUES ($1, 1, 71, 6)
                """, [.uuid(rob)])
        }
        #expect(error?.sqlState == "55P03", "it waited for the lock in vain")
        _ = try renamer.query("COMMIT")
    }
}

extension ChangeFeed.Finding {
    /// `nil` if track was lost.
    fileprivate var keys: [String]? {
        switch self {
        case .changed(let keys): keys
        case .lostTrack: nil
        }
    }
}
