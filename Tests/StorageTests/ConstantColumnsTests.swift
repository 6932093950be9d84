import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Rules that triggers hold when rows are made and deleted would not be held if a row could become one of
/// somebody else.
@Suite("What a row belongs to", .blocking)
struct ConstantColumnsTests {
    private let database: TestDatabase
    private let session: BlockingSession

    init() throws {
        database = try TestDatabase()
        session = try database.session()
    }

    private func names(_ sql: String) throws -> [String] {
        try session.query(sql).map { try $0[0] }
    }

    /// References that change: a list's rows are used again for other games.
    private static let changing = ["entries.game_id", "entries.platform_id"]

    @Test("never changes, in any table with a reference")
    func references() throws {
        let unheld = try names(
            """
            SELECT c.conrelid::regclass || '.' || a.attname
            FROM pg_constraint c
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
            WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace
              AND NOT EXISTS (SELECT FROM pg_trigger t
                              WHERE t.tgrelid = c.conrelid AND a.attnum = ANY (t.tgattr)
                                AND t.tgfoid = 'refuse_change'::regproc)
            ORDER BY 1
            """)
        #expect(unheld == Self.changing)
    }

    @Test("is what audiences follow, in any table with one")
    func audiences() throws {
        let unheld = try names(
            """
            SELECT a.attrelid::regclass::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
              AND a.attname = 'audience'
              AND NOT EXISTS (SELECT FROM pg_trigger t
                              WHERE t.tgrelid = c.oid AND a.attnum = ANY (t.tgattr)
                                AND t.tgfoid = 'check_audience'::regproc)
            """)
        #expect(unheld == [])
    }

    @Test("is held by the database, whoever writes")
    func refusals() async throws {
        let games = try database.games(on: [ps4], 2)
        let people = try ["rob", "ada", "bo"].map { try database.makeUser($0) }
        for person in people { try database.insert(games, for: person, comment: "Why.") }
        try await withStore(database) { store async throws in
            let circle = try await store.makeCircle(
                of: people[0], name: try #require(CircleName("Club")), description: .empty,
                visibility: .public)
            _ = try await store.makeInvitation(
                toCircle: circle, by: people[0], tokenHash: Array(repeating: 0, count: 32), uses: 1,
                days: 1)
            #expect(try await store.follow(username: "ada", as: people[0]))
            #expect(try await store.block(username: "bo", as: people[0]))
            _ = try await store.report(
                .list(try #require(Username("ada"))), by: "x", reporterID: nil, reason: .spam,
                note: .empty)
            let found = try await store.openCases(after: 0, for: nil)
            _ = try await store.decide(
                caseID: found[0].id, .hideList, reason: .empty, by: nil)
        }
        try session.query(
            """
            INSERT INTO hearts (entry_id, user_id)
            SELECT id, $1 FROM entries WHERE user_id = $2 LIMIT 1
            """, [.uuid(people[1]), .uuid(people[0])])
        let bo = "(SELECT id FROM users WHERE username = 'bo')"
        for (sql, constraint) in [
            ("hearts SET user_id = \(bo)", "hearts_constant"),
            (
                "hearts SET entry_id = (SELECT id FROM entries WHERE user_id = \(bo) LIMIT 1)",
                "hearts_constant"
            ),
            ("follows SET followed_id = \(bo)", "follows_constant"),
            (
                "blocks SET blocked_id = (SELECT id FROM users WHERE username = 'ada')",
                "blocks_constant"
            ),
            ("circle_members SET user_id = \(bo)", "circle_members_constant"),
            ("circle_invitations SET circle_id = gen_random_uuid()", "circle_invitations_constant"),
            ("entries SET user_id = \(bo) WHERE user_id <> \(bo)", "entries_constant"),
            ("entries SET audience = 'hidden' WHERE user_id = \(bo)", "entries_audience"),
            ("entries SET audience = 'public'", "entries_audience"),
            ("lists SET audience = 'unlisted' WHERE user_id = \(bo)", "lists_audience"),
            ("lists SET audience = 'public'", "lists_audience"),
            ("moderation_actions SET reason = 'Another'", "moderation_actions_constant"),
            ("moderation_actions SET actor_id = user_id", "moderation_actions_constant"),
            ("cases SET user_id = \(bo)", "cases_constant"),
            ("heart_counts SET entry_id = gen_random_uuid()", "heart_counts_constant"),
        ] {
            let error = #expect(throws: PostgresError.self, "\(sql)") {
                try session.execute("UPDATE \(sql)")
            }
            #expect(error?.constraint == constraint, "\(sql)")
        }
        #expect(throws: PostgresError.self) {
            try session.execute("DELETE FROM moderation_actions")
        }
        // What was done may be undone, once.
        try session.execute("UPDATE moderation_actions SET undone_at = now()")
        #expect(throws: PostgresError.self) {
            try session.execute("UPDATE moderation_actions SET undone_at = NULL")
        }
        // What rows refer to may go.
        try await withStore(database) { store async throws in
            for person in people { try await store.deleteAccount(userID: person) }
        }
        #expect(try session.query("SELECT count(*) FROM moderation_actions")[0][0] == 1)
        #expect(try database.brokenRules() == [])
    }

    /// References to games and platforms, which are not deleted while something refers to them: no one
    /// waits for the check.
    private static let unindexed = [
        "included_by.platform_id", "past_ranks.game_id", "snapshot_entries.game_id",
        "snapshot_entries.platform_id",
    ]

    @Test("is found by an index, where it may be deleted")
    func indexes() throws {
        let unindexed = try names(
            """
            SELECT c.conrelid::regclass || '.' || a.attname
            FROM pg_constraint c
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
            WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace
              AND NOT EXISTS (
                  SELECT FROM pg_index i
                  WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1]
                    AND coalesce(pg_get_expr(i.indpred, i.indrelid)
                                 = format('(%I IS NOT NULL)', a.attname), true))
            ORDER BY 1
            """)
        #expect(unindexed == Self.unindexed)
    }
}
