import TestSupport
import Testing

@testable import Sockets

/// Counts on a loop.
private actor Counter {
    private let loop: EventLoop
    private var count = 0

    init(on loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.serialExecutor.asUnownedSerialExecutor()
    }

    /// - Returns: The count, and whether the caller is on the loop before and after a pause.
    func next() async -> (count: Int, places: [Bool]) {
        let before = loop.isCurrent
        await Task.yield()
        count += 1
        return (count, [before, loop.isCurrent])
    }

    func add() { count += 1 }
}

@Suite("An actor that has a loop as its executor", .blocking)
struct EventLoopActorTests {
    @Test("runs on the loop's thread, whoever calls it")
    func calls() async throws {
        try await withLoop { loop in
            let counter = Counter(on: loop)
            let elsewhere = await counter.next()
            let there = try await onLoop(loop) { await counter.next() }
            #expect(elsewhere == (1, [true, true]))
            #expect(there == (2, [true, true]))
        }
    }

    @Test("leaves a caller where it was")
    func callers() async throws {
        try await withLoop { loop in
            let counter = Counter(on: loop)
            _ = await counter.next()
            #expect(!loop.isCurrent)
            let isCurrent = try await onLoop(loop) {
                _ = await counter.next()
                return loop.isCurrent
            }
            #expect(isCurrent)
        }
    }

    @Test("is one with the loop's other work, which may use it without waiting")
    func synchronously() async throws {
        try await withLoop { loop in
            let counter = Counter(on: loop)
            for _ in 0..<10 { loop.execute { counter.assumeIsolated { $0.add() } } }
            await loop.turn()
            #expect(await counter.next().count == 11)
        }
    }

    @Test("does not make the loop's tasks wait for their turn at every call")
    func tasks() async throws {
        try await withLoop { loop in
            let done = Recorder<String>()
            @Sendable func suspend() async {
                await withUnsafeContinuation { continuation in
                    done.record("suspended")
                    continuation.resume()
                }
            }
            try await onLoop(loop) {
                let other = Task(executorPreference: loop) { done.record("other") }
                await suspend()
                await other.value
            }
            #expect(done.elements == ["suspended", "other"])
        }
    }

    @Test("is never run twice at a time")
    func exclusive() async throws {
        try await withLoop { loop in
            let counter = Counter(on: loop)
            await withTaskGroup { group in
                for _ in 0..<1000 { group.addTask { await counter.add() } }
            }
            #expect(await counter.next().count == 1001)
        }
    }

    @Test("ends its work elsewhere when the loop has stopped")
    func stopped() async throws {
        let loop = try EventLoop(name: "test")
        let counter = Counter(on: loop)
        loop.stop()
        try await eventually { loop.hasStopped }
        #expect(await counter.next().count == 1)
    }
}
