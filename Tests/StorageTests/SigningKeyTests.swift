import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("The server's signing keys", .blocking)
struct SigningKeyTests {
    private let database: TestDatabase
    private let session: BlockingSession

    init() throws {
        database = try TestDatabase(.migrated)
        session = try database.session()
    }

    private static func key(_ name: String) -> StoredSigningKey {
        StoredSigningKey(
            id: "key-\(name)-key", privateKey: String(repeating: "A", count: 43) + "=")
    }

    private func rotate(to name: String, lifetime: Duration = .seconds(3600)) throws -> Int {
        try StoredSigningKey.rotate(session, to: Self.key(name), lifetime: lifetime)
    }

    /// - Parameter age: In seconds.
    private func age(_ name: String, _ age: Int) throws {
        try session.query(
            """
            UPDATE signing_keys SET created_at = now() - $2::int * interval '1 second'
            WHERE id = $1
            """, [.text(Self.key(name).id), .int(age)])
    }

    /// The one to sign with first.
    private func names() async throws -> [String] {
        try await withStore(database) { store in
            try await store.signingKeys().map(Self.name)
        }
    }

    private static func name(_ key: StoredSigningKey) -> String {
        String(key.id.dropFirst(4).dropLast(4))
    }

    @Test("sign when they are two minutes old, and before that stand last")
    func order() async throws {
        for (name, seconds) in [("old", 9000), ("older", 99_000), ("new", 0)] {
            _ = try rotate(to: name, lifetime: .seconds(1_000_000))
            try age(name, seconds)
        }
        // PostgreSQL's clock stands still in a transaction.
        for (seconds, expected) in [
            (60, ["old", "older", "new"]), (119, ["old", "older", "new"]),
            (120, ["new", "old", "older"]),
        ] {
            let names = try session.withTransaction {
                try age("new", seconds)
                return try session.query(StoredSigningKey.all).map(Self.name)
            }
            #expect(names == expected, "\(seconds)")
        }
    }

    @Test("sign at once if there is no older one, the first of them first")
    func alone() async throws {
        #expect(try await names() == [])
        _ = try rotate(to: "first")
        #expect(try await names() == ["first"])
        try age("first", 30)
        _ = try rotate(to: "second")
        #expect(try await names() == ["first", "second"], "whoever started before signs with it")
    }

    @Test("are made once, when there is none")
    func made() async throws {
        for name in ["first", "second"] {
            let keys = try StoredSigningKey.loadOrMake(session, candidate: Self.key(name))
            #expect(keys.map(\.id) == [Self.key("first").id])
        }
        #expect(try await names() == ["first"])
    }

    @Test("are only read if there are some, since the database may be read-only")
    func readOnly() throws {
        try session.execute("SET default_transaction_read_only = on")
        let error = #expect(throws: PostgresError.self) {
            try StoredSigningKey.loadOrMake(session, candidate: Self.key("first"))
        }
        #expect(error?.isTransient == true)
        try session.execute("SET default_transaction_read_only = off")
        _ = try rotate(to: "first")
        try session.execute("SET default_transaction_read_only = on")
        let keys = try StoredSigningKey.loadOrMake(session, candidate: Self.key("second"))
        #expect(keys.map(\.id) == [Self.key("first").id])
        try session.execute("SET default_transaction_read_only = off")
    }

    @Test("are kept as long as a token can name them")
    func rotation() async throws {
        _ = try rotate(to: "first")
        try age("first", 1_000_000)
        #expect(try rotate(to: "second") == 0, "the first one signed until now")
        try age("second", 3000)
        #expect(try rotate(to: "third") == 0, "the first one signed until less than an hour ago")
        try age("third", 3000)
        try age("second", 4000)
        #expect(try rotate(to: "fourth") == 1, "the second one has signed for longer than that")
        #expect(try await names() == ["third", "second", "fourth"])
        try age("third", 7000)
        try age("second", 8000)
        #expect(try rotate(to: "fifth", lifetime: .seconds(9000)) == 0)
        #expect(try await names().count == 4)
        #expect(try rotate(to: "sixth", lifetime: .seconds(5000)) == 1)
        #expect(try await !names().contains("second"))
    }

    @Test("are all deleted but the new one when they are revoked")
    func revocation() async throws {
        for name in ["first", "second", "third"] { _ = try rotate(to: name) }
        #expect(try rotate(to: "fresh", lifetime: .zero) == 3)
        #expect(try await names() == ["fresh"])
        #expect(try rotate(to: "fresher", lifetime: .zero) == 1)
        #expect(try await names() == ["fresher"])
    }
}
