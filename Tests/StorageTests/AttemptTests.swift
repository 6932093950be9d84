import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("Attempts", .blocking)
struct AttemptTests {
    private let database: TestDatabase
    /// One comes back in a day, and none while a test runs, however long it takes.
    private static let limit = AttemptLimit(10, per: .seconds(10 * day))
    private static let day = 86_400

    private var session: BlockingSession { get throws { try database.session() } }

    init() throws {
        database = try TestDatabase(.migrated)
    }

    /// How many of so many attempts may be made.
    private static func allowed(
        _ store: Store, _ key: String, of count: Int, _ limit: AttemptLimit = limit
    ) async throws -> Int {
        var allowed = 0
        for _ in 0..<count where try await store.attempt(key, limit: limit) == nil { allowed += 1 }
        return allowed
    }

    /// Lets so many days pass.
    private func pass(_ days: Int) throws {
        try session.query(
            "UPDATE attempts SET empty_at = empty_at - $1::integer * interval '24 hours'",
            [.int(days)])
    }

    @Test("are allowed at once as many as there may be, and then refused for a while")
    func burst() async throws {
        try await withStore(database) { store async throws in
            #expect(try await Self.allowed(store, "rob", of: 10) == 10)
            for _ in 0..<5 {
                let wait = try #require(try await store.attempt("rob", limit: Self.limit))
                // A tenth of the period, less what has passed since.
                #expect(wait <= .seconds(Self.day))
                #expect(wait > .seconds(Self.day / 2))
            }
            #expect(try await Self.allowed(store, "ada", of: 12) == 10, "others have their own")
        }
    }

    @Test("come back evenly, and refused ones cost nothing")
    func comeBack() async throws {
        try await withStore(database) { [self] store async throws in
            #expect(try await Self.allowed(store, "rob", of: 30) == 10)
            try pass(1)
            #expect(try await Self.allowed(store, "rob", of: 5) == 1)
            try pass(3)
            #expect(try await Self.allowed(store, "rob", of: 5) == 3)
            try pass(1)
            #expect(try await Self.allowed(store, "rob", of: 5) == 1)
            try pass(1000)
            #expect(try await Self.allowed(store, "rob", of: 30) == 10, "and no more than that")
        }
    }

    @Test(
        "are exactly as many as the limit says, also where they do not divide the period",
        arguments: [
            (1, 9 * day * 1000), (2, 9 * day * 1000), (3, 9 * day * 1000), (7, 9 * day * 1000),
            (50, 90 * day * 1000),
            // Ten minutes each, and a quarter of an hour that nothing can be made of.
            (1_000_000, 600_000_900_000),
        ])
    func limits(count: Int, milliseconds: Int) async throws {
        let limit = AttemptLimit(count, per: .milliseconds(milliseconds))
        // As if all but a few had been made.
        let made = max(1, count - 3)
        try await withStore(database) { [self] store async throws in
            #expect(try await store.attempt("rob", limit: limit) == nil)
            try session.query(
                """
                UPDATE attempts
                SET empty_at = empty_at + $1::bigint * interval '1 millisecond'
                """, [.int((made - 1) * (milliseconds / count))])
            let rest = count - made
            let allowed = try await Self.allowed(store, "rob", of: rest + 5, limit)
            #expect(allowed == rest)
        }
    }

    @Test("on a limit of ten, fifty at once, are ten")
    func race() async throws {
        let allowed = Counter()
        try await withStores(2, database, connections: 10) { _, store async throws in
            try await withThrowingTaskGroup { group in
                for _ in 0..<25 {
                    group.addTask {
                        let wait = try await store.attempt("rob", limit: Self.limit)
                        if let wait {
                            #expect(wait > .zero)
                            #expect(wait <= .seconds(10 * Self.day))
                        } else {
                            allowed.increment()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(allowed.value == 10)
    }

    @Test("can be forgiven, one or all")
    func forgiven() async throws {
        try await withStore(database) { store async throws in
            #expect(try await Self.allowed(store, "rob", of: 11) == 10)
            #expect(try await Self.allowed(store, "ada", of: 11) == 10)
            try await store.forgiveAttempt("rob", limit: Self.limit)
            #expect(try await Self.allowed(store, "rob", of: 5) == 1)
            try await store.forgiveAttempts("rob")
            #expect(try await Self.allowed(store, "rob", of: 15) == 10)
            #expect(try await store.attempt("ada", limit: Self.limit) != nil)
            // There is nothing to take back, and nothing is given.
            try await store.forgiveAttempts("nobody")
            for _ in 0..<3 { try await store.forgiveAttempt("nobody", limit: Self.limit) }
            #expect(try await Self.allowed(store, "nobody", of: 15) == 10)
            try await store.forgiveAttempts("nobody")
            _ = try await store.attempt("nobody", limit: Self.limit)
            for _ in 0..<30 { try await store.forgiveAttempt("nobody", limit: Self.limit) }
            #expect(try await Self.allowed(store, "nobody", of: 15) == 10)
        }
    }
}
