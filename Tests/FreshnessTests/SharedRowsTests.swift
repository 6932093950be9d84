import Foundation
import Freshness
import Postgres
import TestSupport
import Testing

@testable import Storage

@Suite("Shared rows", .blocking)
struct SharedRowsTests {
    private func withRows(
        _ database: TestDatabase, _ body: @escaping @Sendable (Store) async throws -> Void
    ) async throws {
        try await withStore(database) { store in
            let pool = store.database.pool
            let rows = SharedRows(pool, ChangeFeed(pool), bytes: 1 << 20)
            try await body(store.reading(.sharing(rows)))
        }
    }

    @Test("are read again once something has changed, and only then")
    func exact() async throws {
        let database = try TestDatabase()
        let rob = try database.makeUser("rob")
        try await withRows(database) { store in
            func name() async throws -> String? {
                try await store.user(username: "rob", seenBy: nil)?.displayName
            }
            let session = try database.session()
            let old = try await name()
            for new in ["One", "Two"] {
                _ = try session.query("UPDATE users SET display_name = $1", [.text(new)])
                #expect(try await name() == new)
            }
            // A change that nobody is told of shows that the rows come from memory.
            try session.execute("ALTER TABLE users DISABLE TRIGGER z_note_users_on_update")
            _ = try session.query("UPDATE users SET display_name = 'Three'")
            #expect(try await name() == "Two")
            // Other parameters are another question.
            #expect(
                try await store.user(username: "rob", seenBy: rob)?.displayName == "Three")
            #expect(try await store.user(username: "bob", seenBy: nil) == nil)
            #expect(old != "Two")
        }
    }

    @Test("are read once for all who ask at the same time, and are never older than the question")
    func concurrent() async throws {
        let database = try TestDatabase()
        _ = try database.makeUser("rob")
        try await withRows(database) { store in
            let session = try database.session()
            for number in 0..<50 {
                _ = try session.query(
                    "UPDATE users SET display_name = $1", [.text("Name \(number)")])
                let names = try await withThrowingTaskGroup(of: String?.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            try await store.user(username: "rob", seenBy: nil)?.displayName
                        }
                    }
                    return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
                }
                #expect(names == ["Name \(number)"])
            }
        }
    }

    @Test("are not cached if a transaction that is running changes them")
    func running() async throws {
        let database = try TestDatabase()
        _ = try database.makeUser("rob")
        try await withRows(database) { store in
            let session = try database.session()
            try session.execute("BEGIN; UPDATE users SET display_name = 'New'")
            for _ in 0..<3 {
                #expect(try await store.user(username: "rob", seenBy: nil)?.displayName != "New")
            }
            try session.execute("COMMIT")
            #expect(try await store.user(username: "rob", seenBy: nil)?.displayName == "New")
        }
    }

    @Test("are not cached if there are none: nobody would be told of the first")
    func absent() async throws {
        let database = try TestDatabase()
        _ = try database.makeUser("rob")
        try await withRows(database) { store in
            let session = try database.session()
            for isDisabled in [false, true, false, true, false] {
                _ = try session.query(
                    "UPDATE users SET disabled_at = CASE WHEN $1 THEN now() END",
                    [.bool(isDisabled)])
                #expect(
                    try await (store.user(username: "rob", seenBy: nil) == nil) == isDisabled)
                #expect(
                    try await (store.list(username: "rob", seenBy: nil) == nil) == isDisabled)
            }
        }
    }

    @Test("of someone with blocks are cached for them alone, until their blocks change")
    func blocks() async throws {
        let database = try TestDatabase()
        let rob = try database.makeUser("rob")
        for user in [rob, try database.makeUser("ada"), try database.makeUser("bo")] {
            try database.session().query(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                VALUES ($1, 1, 71, 6)
                """, [.uuid(user)])
        }
        try await withRows(database) { store in
            let session = try database.session()
            func seen(hasBlocks: Bool = true) async throws -> Set<String> {
                let reader = Viewer()
                if hasBlocks { reader.leaveOutBlocked(of: rob, andBlockers: true) }
                let lists = try await store.reading(store.database.reading, for: reader)
                    .recentLists(limit: 9)
                return Set(lists.lists.map(\.owner.username))
            }
            func block(_ name: String) throws {
                try session.query(
                    """
                    INSERT INTO blocks (blocker_id, blocked_id)
                    SELECT $1, id FROM users WHERE username = $2
                    """, [.uuid(rob), .text(name)])
            }
            try block("ada")
            #expect(try await seen() == ["rob", "bo"])
            #expect(try await seen(hasBlocks: false) == ["rob", "ada", "bo"])
            // A change that nobody is told of shows that the rows come from memory.
            try session.execute(
                "ALTER TABLE blocks DISABLE TRIGGER z_note_blocks_on_delete; DELETE FROM blocks")
            #expect(try await seen() == ["rob", "bo"])
            try block("bo")
            #expect(try await seen() == ["rob", "ada"])
            // What changes for everyone changes for them, too.
            try session.execute("UPDATE users SET visibility = 'private' WHERE username = 'ada'")
            #expect(try await seen() == ["rob"])
        }
    }

    @Test("of a failed statement fail for everyone who waits, and are asked for again")
    func failing() async throws {
        let database = try TestDatabase()
        _ = try database.makeUser("rob")
        try await withRows(database) { store in
            let session = try database.session()
            try session.execute("ALTER TABLE users RENAME COLUMN bio TO biography")
            await #expect(throws: PostgresError.self) {
                try await store.user(username: "rob", seenBy: nil)
            }
            try session.execute("ALTER TABLE users RENAME COLUMN biography TO bio")
            #expect(try await store.user(username: "rob", seenBy: nil) != nil)
        }
    }
}
