import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@_spi(Writing) @testable import Storage

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
