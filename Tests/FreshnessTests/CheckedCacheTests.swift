import Freshness
import Postgres
import Sockets
import TestSupport
import Testing

@testable import Storage

@Suite("A cache whose entries are checked", .blocking)
struct CheckedCacheTests {
    private typealias Cache = CheckedCache<Int, String>
    private struct Refusal: Error {}

    /// What one loop has: a cache, and how many values were made for it.
    // @unchecked: only tasks of the loop refer to it.
    private final class Fixture: @unchecked Sendable {
        let store: Store
        let cache: Cache
        private(set) var made = 0
        private var held: [CheckedContinuation<Void, Never>] = []
        private(set) var isHolding = false
        /// When each check that has found something was executed.
        private(set) var checks: [Execution?] = []

        init(_ store: Store) {
            self.store = store
            cache = Cache(ChangeFeed(store.database.pool), bytes: 1 << 20)
            cache.feed.observe { [unowned self] _, check in checks.append(check) }
        }

        /// A value with its number, which depends on the users.
        func make(_ recorder: DependencyRecorder?) async throws -> Cache.Made<String> {
            made += 1
            let value = "value \(made)"
            _ = try await store.reading(recorder.map { .forEveryone($0) } ?? .anew)
                .platforms()
            return .init(value, caching: value, cost: value.utf8.count)
        }

        func get() async throws -> Cache.Outcome<String> {
            try await cache.value(for: 1, make: make)
        }

        /// Starts to make a value, and waits until the test lets it end.
        func hold() async {
            isHolding = true
            await withCheckedContinuation { held.append($0) }
        }

        func release() {
            isHolding = false
            for continuation in held { continuation.resume() }
            held = []
        }

        func whenHolding() async { while !isHolding { await Task.yield() } }
    }

    private func run(_ body: @escaping @Sendable (Fixture) async throws -> Void) async throws {
        try await withStore(TestDatabase()) { store in try await body(Fixture(store)) }
    }

    @Test("makes a value on a miss, and uses it until something it depends on changes")
    func lifetime() async throws {
        let database = try TestDatabase()
        try await withStore(database) { store in
            let fixture = Fixture(store)
            let session = try database.session()
            for number in 1...3 {
                #expect(try await fixture.get().isMade("value \(number)", isCached: true))
                #expect(try await fixture.get().isHit("value \(number)"))
                try session.execute("UPDATE platforms SET name = name || 'x' WHERE id = 6")
            }
            let statistics = fixture.cache.statistics
            #expect(statistics.misses == 1 && statistics.hits == 3 && statistics.outdated == 2)
            #expect(statistics.fills == 3 && statistics.cachedFills == 3)
        }
    }

    /// Runs `body` once the feed tracks changes and the last check is no longer recent.
    private func runTracking(
        _ body: @escaping @Sendable (Fixture, BlockingSession) async throws -> Void
    ) async throws {
        let database = try TestDatabase()
        try await withStore(database) { store in
            let fixture = Fixture(store)
            let session = try database.session()
            #expect(await fixture.cache.feed.check())
            // By the loop's time, which the feed goes by: on a busy machine, it lags behind.
            let loop = store.database.pool.loop
            let time = loop.now
            while loop.now - time <= .milliseconds(2) { await loop.turn() }
            try session.execute("UPDATE platforms SET name = name || 'x' WHERE id = 6")
            try await body(fixture, session)
        }
    }

    @Test("sends a check together with the reads of a value, which then can be cached")
    func together() async throws {
        try await runTracking { fixture, _ in
            let checks = fixture.checks.count
            let outcome = try await fixture.cache.value(for: 1, from: .catchUp) { recorder in
                #expect(fixture.cache.feed.checks == 2)
                #expect(fixture.checks.count == checks)
                let made = try await fixture.make(recorder)
                let check = try #require(fixture.checks.last ?? nil)
                #expect(recorder?.follows(check) == true)
                return made
            }
            #expect(outcome.isMade("value 1", isCached: true))
            #expect(try await fixture.get().isHit("value 1"))
        }
    }

    @Test("has a long read wait for the check")
    func longRead() async throws {
        try await runTracking { fixture, _ in
            let names = Query(
                "test_long_read", .longRead, column("name", String.self), of: [.platforms]
            ) {
                "SELECT \($0) FROM platforms"
            }
            let outcome = try await fixture.cache.value(for: 1, from: .catchUp) { recorder in
                let store = fixture.store.reading(recorder.map { .forEveryone($0) } ?? .anew)
                _ = try await store.database.query(names)
                return Cache.Made("made", caching: "made", cost: 1)
            }
            #expect(outcome.isMade("made", isCached: true))
        }
    }

    @Test("doesn't cache a value that was read before a change")
    func changing() async throws {
        try await runTracking { fixture, session in
            let outcome = try await fixture.cache.value(for: 1, from: .catchUp) { recorder in
                let made = try await fixture.make(recorder)
                try session.execute("UPDATE platforms SET name = name || 'x' WHERE id = 6")
                #expect(await fixture.cache.feed.check())
                return made
            }
            #expect(outcome.isMade("value 1", isCached: false))
        }
    }

    @Test(
        "caches a value that was read after a change that was found while it was made"
    )
    func changed() async throws {
        try await runTracking { fixture, session in
            let outcome = try await fixture.cache.value(for: 1, from: .catchUp) { recorder in
                try session.execute("UPDATE platforms SET name = name || 'x' WHERE id = 6")
                #expect(await fixture.cache.feed.check())
                return try await fixture.make(recorder)
            }
            #expect(outcome.isMade("value 1", isCached: true))
            #expect(try await fixture.get().isHit("value 1"))
        }
    }

    @Test("makes a value once for all who ask while it is made")
    func once() async throws {
        try await run { fixture in
            let first = Task(executorPreference: fixture.store.database.pool.loop) {
                try await fixture.cache.value(for: 1) { recorder in
                    await fixture.hold()
                    return try await fixture.make(recorder)
                }
            }
            await fixture.whenHolding()
            let others = (0..<10).map { _ in
                Task(executorPreference: fixture.store.database.pool.loop) {
                    try await fixture.get()
                }
            }
            for _ in 0..<10 { await Task.yield() }
            fixture.release()
            let made = try await value(of: first)
            #expect(made.isMade("value 1", isCached: true))
            for other in others {
                let hit = try await value(of: other)
                #expect(hit.isHit("value 1"))
            }
        }
    }

    /// The loop runs other tasks between the steps of one, so a fill may end at each of them.
    @Test("lets go of everyone who waits for what can't be cached", arguments: 0..<6)
    func waiting(steps: Int) async throws {
        try await run { fixture in
            let loop = fixture.store.database.pool.loop
            let first = Task(executorPreference: loop) {
                await fixture.cache.value(for: 1, from: .catchUp) { _ in
                    await fixture.hold()
                    return Cache.Made(uncached: "first")
                }
            }
            await fixture.whenHolding()
            let waiter = Task(executorPreference: loop) {
                await fixture.cache.value(for: 1, from: .catchUp) { _ in
                    Cache.Made(uncached: "second")
                }
            }
            for _ in 0..<steps { await Task.yield() }
            fixture.release()
            let (one, other) = (try await value(of: first), try await value(of: waiter))
            #expect(one.isMade("first", isCached: false))
            #expect(other.isMade("second", isCached: false))
        }
    }

    @Test("goes on after a value could not be made")
    func failing() async throws {
        try await run { fixture in
            await #expect(throws: Refusal.self) {
                try await fixture.cache.value(for: 1, from: .catchUp) {
                    _ async throws -> Cache.Made<String> in throw Refusal()
                }
            }
            let made = try await fixture.get()
            #expect(made.isMade("value 1", isCached: true))
        }
    }

    @Test("caches nothing that depends on nothing, and nothing that is too large")
    func refused() async throws {
        try await run { fixture in
            for (isNoted, cost) in [(false, 1), (true, 2 << 20)] {
                let outcome = try await fixture.cache.value(for: 2) { recorder in
                    _ = try await fixture.make(isNoted ? recorder : nil)
                    return Cache.Made("output", caching: "value", cost: cost)
                }
                #expect(outcome.isMade("output", isCached: false))
                #expect(fixture.cache.lookUp(2) == nil)
            }
        }
    }
}

extension CheckedCache.Outcome where Key == Int, Value == String, Output == String {
    fileprivate func isHit(_ expected: String) -> Bool {
        if case .hit(expected, nil) = self { true } else { false }
    }

    fileprivate func isMade(_ expected: String, isCached: Bool) -> Bool {
        if case .made(expected, isCached) = self { true } else { false }
    }
}
