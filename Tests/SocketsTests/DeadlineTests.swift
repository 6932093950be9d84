import TestSupport
import Testing

@testable import Sockets

@Suite("A deadline", .blocking, .timeLimit(.minutes(5)))
struct DeadlineTests {
    @Test("passes once, and can be set again by its own action")
    func passes() async throws {
        try await withLoop { loop in
            let recorder = Recorder<Int>()
            let kept = OnLoop<Deadline?>(nil)
            loop.execute {
                kept.value = Deadline(on: loop) {
                    recorder.record(recorder.count)
                    if recorder.count < 3 { kept.value?.set(after: .milliseconds(2)) }
                }
                kept.value?.set(after: .milliseconds(2))
            }
            try await eventually { recorder.count == 3 }
            try await Task.sleep(for: .milliseconds(20))
            #expect(recorder.count == 3)
            try await onLoop(loop) { kept.value = nil }
        }
    }

    @Test("moves later: it does not pass at the time first set")
    func later() async throws {
        try await withLoop { loop in
            let passed = Recorder<MonotonicTime>()
            let kept = OnLoop<Deadline?>(nil)
            let wanted = try await onLoop(loop) {
                kept.value = Deadline(on: loop) { passed.record(loop.now) }
                kept.value?.set(after: .milliseconds(5))
                kept.value?.set(after: .milliseconds(60))
                return loop.now + .milliseconds(60)
            }
            try await eventually { passed.count == 1 }
            #expect(passed.elements[0] >= wanted)
            try await onLoop(loop) { kept.value = nil }
        }
    }

    @Test("moves earlier, also after it was moved later, and passes only once")
    func earlier() async throws {
        try await withLoop { loop in
            let passed = Recorder<Int>()
            let kept = OnLoop<Deadline?>(nil)
            try await onLoop(loop) {
                kept.value = Deadline(on: loop) { passed.record(1) }
                kept.value?.set(after: .milliseconds(30))
                kept.value?.set(after: .seconds(3600))
                kept.value?.set(after: .milliseconds(3))
            }
            try await eventually { passed.count == 1 }
            try await Task.sleep(for: .milliseconds(60))
            #expect(passed.count == 1)
            try await onLoop(loop) { kept.value = nil }
        }
    }

    @Test("does not pass while it is lifted, and can be set again")
    func clear() async throws {
        try await withLoop { loop in
            let passed = Recorder<String>()
            let kept = OnLoop<(Deadline, Deadline)?>(nil)
            try await onLoop(loop) {
                let lifted = Deadline(on: loop) { passed.record("lifted") }
                let again = Deadline(on: loop) { passed.record("again") }
                kept.value = (lifted, again)
                lifted.set(after: .milliseconds(2))
                lifted.clear()
                again.set(after: .milliseconds(2))
                again.clear()
                loop.schedule(after: .milliseconds(20)) { again.set(after: .milliseconds(2)) }
            }
            try await eventually { passed.count == 1 }
            try await Task.sleep(for: .milliseconds(20))
            #expect(passed.elements == ["again"])
            try await onLoop(loop) { kept.value = nil }
        }
    }

    @Test("does not pass once it is freed")
    func freed() async throws {
        try await withLoop { loop in
            let passed = Recorder<Int>()
            try await onLoop(loop) {
                let deadline = Deadline(on: loop) { passed.record(1) }
                deadline.set(after: .milliseconds(2))
            }
            try await Task.sleep(for: .milliseconds(20))
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
