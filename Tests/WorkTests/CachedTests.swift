import Foundation
import Logging
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import Work

/// Something to load, counted, that can be held up and can fail.
private final class Source: Sendable {
    private struct State {
        var loads = 0
        var isHeldUp = false
        var fails = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var loads: Int { state.withLock { $0.loads } }
    var waiting: Int { state.withLock { $0.waiting.count } }

    func holdUp() { state.withLock { $0.isHeldUp = true } }

    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isHeldUp = false
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

    /// The number of this load.
    func load() async throws -> Int {
        let number = state.withLock { state in
            state.loads += 1
            return state.loads
        }
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isHeldUp { state.waiting.append(continuation) }
                return !state.isHeldUp
            }
            if goesOn { continuation.resume() }
        }
        if state.withLock({ $0.fails }) { throw TestFailure("cannot be loaded") }
        return number
    }
}

@Suite("A cached value", .blocking)
struct CachedTests {
    private let clock = TestClock()

    private func withCached(
        known: Int? = nil, mustBeFresh: Bool = false, attemptInterval: Duration = .zero,
        _ body: (Cached<Int>, Source) async throws -> Void
    ) async throws {
        try await withLoop(clock) { loop in
            let source = Source()
            let terms = CacheTerms(
                name: "test", loop: loop,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                maximumAge: .seconds(3600), mustBeFresh: mustBeFresh,
                attemptInterval: attemptInterval)
            try await body(Cached(terms, known: known) { try await source.load() }, source)
        }
    }

    @Test("is loaded when it is first asked for, and cached")
    func once() async throws {
        try await withCached { cached, source in
            #expect(source.loads == 0)
            for _ in 0..<5 { #expect(await cached.value() == 1) }
            #expect(source.loads == 1)
            #expect(await cached.reload() == 2)
            #expect(await cached.value() == 2)
        }
    }

    @Test("that is known is not loaded")
    func known() async throws {
        try await withCached(known: 7) { cached, source in
            #expect(await cached.value() == 7)
            #expect(source.loads == 0)
            #expect(await cached.reload() == 1)
        }
    }

    @Test("is loaded once for all who ask meanwhile")
    func oneLoad() async throws {
        try await withCached { cached, source in
            source.holdUp()
            let asked = Recorder<Int?>()
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 { group.addTask { asked.record(await cached.value()) } }
                try await eventually { source.waiting == 1 }
                #expect(asked.elements.isEmpty)
                source.release()
                try await group.waitForAll()
            }
            #expect(asked.elements == Array(repeating: 1, count: 50))
            #expect(source.loads == 1)
        }
    }

    @Test("is not tried again before its time, neither after success nor after failure")
    func attemptInterval() async throws {
        try await withCached(attemptInterval: .seconds(15)) { cached, source in
            source.fail(true)
            for _ in 0..<5 { #expect(await cached.value() == nil) }
            source.fail(false)
            await clock.advance(by: .milliseconds(14_999))
            #expect(await cached.reload() == nil)
            #expect(source.loads == 1)
            await clock.advance(by: .milliseconds(1))
            #expect(await cached.reload() == 2)
        }
        try await withCached(attemptInterval: .seconds(15)) { cached, source in
            #expect(await cached.value() == 1)
            await clock.advance(by: .milliseconds(14_999))
            for _ in 0..<5 { #expect(await cached.reload() == 1) }
            #expect(source.loads == 1)
        }
    }

    @Test("that could not be loaded is tried again when it may be")
    func failure() async throws {
        try await withCached { cached, source in
            source.fail(true)
            #expect(await cached.value() == nil)
            #expect(await cached.value() == nil)
            #expect(source.loads == 2)
            source.fail(false)
            #expect(await cached.value() == 3)
        }
    }

    @Test("that is old is served while it is loaded anew")
    func stale() async throws {
        try await withCached(known: 7) { cached, source in
            source.holdUp()
            await clock.advance(by: .seconds(3600))
            #expect(await cached.value() == 7)
            #expect(source.loads == 0)
            await clock.advance(by: .nanoseconds(1))
            for _ in 0..<5 { #expect(await cached.value() == 7) }
            try await eventually { source.waiting == 1 }
            #expect(source.loads == 1)
            source.release()
            try await eventually { await cached.value() != 7 }
        }
    }

    @Test("that is old and must be fresh is waited for, and cached if it cannot be loaded")
    func mustBeFresh() async throws {
        try await withCached(known: 7, mustBeFresh: true) { cached, source in
            await clock.advance(by: .seconds(3600))
            #expect(await cached.value() == 7)
            #expect(source.loads == 0)
            for load in 1...2 {
                await clock.advance(by: .seconds(3601))
                for _ in 0..<2 { #expect(await cached.value() == load) }
            }
            source.fail(true)
            await clock.advance(by: .seconds(3601))
            #expect(await cached.value() == 2)
            #expect(source.loads == 3)
            source.fail(false)
            #expect(await cached.value() == 4)
        }
    }
}
