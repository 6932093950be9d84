import TestSupport
import Testing

@testable import Sockets

@Suite("A deadline", .blocking)
struct DeadlineTests {
    private let clock = TestClock()
    private let passed = Recorder<String>()

    /// Runs `body` with deadlines on a loop. Each records its name when it passes.
    private func withDeadlines(
        _ names: String..., body: (EventLoop, OnLoop<[Deadline]>) async throws -> Void
    ) async throws {
        try await withLoop(clock) { loop in
            let deadlines = OnLoop<[Deadline]>([])
            try await onLoop(loop) { [passed] in
                deadlines.value = names.map { name in Deadline(on: loop) { passed.record(name) } }
            }
            try await body(loop, deadlines)
            try await onLoop(loop) { deadlines.value = [] }
        }
    }

    @Test("passes once, and can be set again by its own action")
    func passes() async throws {
        try await withLoop(clock) { loop in
            let held = OnLoop<Deadline?>(nil)
            try await onLoop(loop) { [passed] in
                held.value = Deadline(on: loop) {
                    passed.record("passed")
                    if passed.count < 3 { held.value?.set(after: .milliseconds(2)) }
                }
                held.value?.set(after: .milliseconds(2))
            }
            for count in 1...3 {
                await clock.advance(by: .milliseconds(2), on: loop)
                #expect(passed.count == count)
            }
            await clock.advance(by: .seconds(3600), on: loop)
            #expect(passed.count == 3)
            try await onLoop(loop) { held.value = nil }
        }
    }

    @Test("moves later: it does not pass at the time first set")
    func later() async throws {
        try await withDeadlines("it") { loop, deadlines in
            try await onLoop(loop) {
                deadlines.value[0].set(after: .milliseconds(5))
                deadlines.value[0].set(after: .milliseconds(60))
            }
            await clock.advance(by: .milliseconds(59), on: loop)
            #expect(passed.count == 0)
            await clock.advance(by: .milliseconds(1), on: loop)
            #expect(passed.count == 1)
        }
    }

    @Test("moves earlier, also after it was moved later, and passes only once")
    func earlier() async throws {
        try await withDeadlines("it") { loop, deadlines in
            try await onLoop(loop) {
                deadlines.value[0].set(after: .milliseconds(30))
                deadlines.value[0].set(after: .seconds(3600))
                deadlines.value[0].set(after: .milliseconds(3))
            }
            await clock.advance(by: .milliseconds(3), on: loop)
            #expect(passed.count == 1)
            await clock.advance(by: .seconds(3600), on: loop)
            #expect(passed.count == 1)
        }
    }

    @Test("does not pass while it is lifted, and can be set again")
    func clear() async throws {
        try await withDeadlines("lifted", "again") { loop, deadlines in
            try await onLoop(loop) {
                for deadline in deadlines.value {
                    deadline.set(after: .milliseconds(2))
                    deadline.clear()
                }
            }
            await clock.advance(by: .milliseconds(2), on: loop)
            try await onLoop(loop) { deadlines.value[1].set(after: .milliseconds(2)) }
            await clock.advance(by: .milliseconds(1), on: loop)
            #expect(passed.count == 0)
            await clock.advance(by: .seconds(3600), on: loop)
            #expect(passed.elements == ["again"])
        }
    }

    @Test("does not pass once it is freed")
    func freed() async throws {
        try await withLoop(clock) { loop in
            try await onLoop(loop) { [passed] in
                let deadline = Deadline(on: loop) { passed.record("freed") }
                deadline.set(after: .milliseconds(2))
            }
            await clock.advance(by: .seconds(3600), on: loop)
            #expect(passed.count == 0)
        }
    }
}

@Suite("Monotonic time", .blocking)
struct MonotonicTimeTests {
    @Test("saturates instead of overflowing")
    func saturates() {
        let now = MonotonicTime.read()
        #expect((now + .seconds(Int64.max)).nanoseconds == .max)
        #expect((now + .seconds(Int64.min)).nanoseconds == .min)
        #expect((MonotonicTime(nanoseconds: .max) + .nanoseconds(1)).nanoseconds == .max)
        #expect((MonotonicTime(nanoseconds: .min) + .nanoseconds(-1)).nanoseconds == .min)
        #expect((now + .seconds(1)).nanoseconds == now.nanoseconds + 1_000_000_000)
        #expect(now + .milliseconds(-5) < now)
    }

    @Test("tells how long it is from one point to another")
    func difference() {
        let start = MonotonicTime(nanoseconds: 1_000)
        #expect((start + .milliseconds(1500)) - start == .milliseconds(1500))
        #expect(start - (start + .seconds(1)) == .seconds(-1))
    }
}
