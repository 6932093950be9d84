import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite("Work given to a loop", .blocking)
struct EventLoopWorkTests {
    @Test("runs in the order of the calls, on the loop's thread")
    func order() async throws {
        try await withLoop { loop in
            let recorder = Recorder<Int>()
            let elsewhere = Recorder<Int>()
            for number in 0..<10_000 {
                loop.execute {
                    recorder.record(number)
                    if !loop.isCurrent { elsewhere.record(number) }
                }
            }
            try await eventually { recorder.count == 10_000 }
            #expect(recorder.elements == Array(0..<10_000))
            #expect(elsewhere.count == 0)
            #expect(!loop.isCurrent)
        }
    }

    @Test("keeps the order of each of several threads")
    func manyThreads() async throws {
        try await withLoop { loop in
            let recorder = Recorder<(thread: Int, number: Int)>()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<5000 {
                    loop.execute { recorder.record((thread, number)) }
                }
            }
            try await eventually { recorder.count == 20_000 }
            for thread in 0..<4 {
                let numbers = recorder.elements.filter { $0.thread == thread }.map(\.number)
                #expect(numbers == Array(0..<5000))
            }
        }
    }

    @Test("wakes up a loop that has nothing to do, every time")
    func wakeUp() async throws {
        try await withLoop { loop in
            for _ in 0..<200 {
                let done = DispatchSemaphore(value: 0)
                loop.execute { done.signal() }
                done.wait()
            }
        }
    }

    @Test("may give more work")
    func nested() async throws {
        try await withLoop { loop in
            let recorder = Recorder<Int>()
            loop.execute {
                recorder.record(1)
                loop.execute {
                    recorder.record(3)
                    loop.execute { recorder.record(4) }
                }
                recorder.record(2)
            }
            try await eventually { recorder.count == 4 }
            #expect(recorder.elements == [1, 2, 3, 4])
        }
    }

    @Test("that makes more of itself without end lets others have their turn")
    func endlessTask() async throws {
        try await withLoop { loop in
            let done = Mutex(false)
            let task = Task(executorPreference: loop) {
                while !done.withLock({ $0 }) { await Task.yield() }
            }
            let recorder = Recorder<String>()
            loop.execute {
                loop.schedule(after: .milliseconds(1)) { recorder.record("timer") }
            }
            try await eventually { recorder.count == 1 }
            done.withLock { $0 = true }
            try await value(of: task)
        }
    }

    @Test("runs descriptors, timers, work, jobs and end-of-turn handlers in that order")
    func turn() async throws {
        try await withLoop { loop in
            let recorder = Recorder<String>()
            let pipe = try TestPipe()
            let handler = ClosureHandler { _ in
                recorder.record("descriptor")
                _ = pipe.read()
            }
            let turnEnd = TurnEnd { recorder.record("end") }
            let held = OnLoop<(ClosureHandler, TurnEnd)?>((handler, turnEnd))
            loop.execute {
                _ = try? loop.register(
                    pipe.readEnd, for: .readable, trigger: .level, handler: held.value!.0)
                pipe.write()
                loop.execute { recorder.record("work") }
                loop.schedule(after: .zero) {
                    recorder.record("timer")
                    loop.atEndOfTurn(held.value!.1)
                    Task(executorPreference: loop) { recorder.record("job") }
                }
            }
            try await eventually { recorder.count == 5 }
            #expect(recorder.elements == ["descriptor", "timer", "work", "job", "end"])
        }
    }
}

@Suite("End-of-turn handlers", .blocking)
struct EndOfTurnTests {
    @Test("run once, after the jobs of the turn")
    func once() async throws {
        try await withLoop { loop in
            let recorder = Recorder<String>()
            loop.execute {
                loop.atEndOfTurn(TurnEnd { recorder.record("end") })
                Task(executorPreference: loop) {
                    recorder.record("job")
                    await Task.yield()
                    recorder.record("resumed")
                }
                recorder.record("work")
            }
            try await eventually { recorder.elements.contains("end") }
            for _ in 0..<10 { try await onLoop(loop) {} }
            #expect(recorder.elements == ["work", "job", "resumed", "end"])
        }
    }

    @Test("run after deferred work, which runs after the jobs that were due")
    func deferred() async throws {
        try await withLoop { loop in
            let recorder = Recorder<String>()
            loop.execute {
                loop.atEndOfTurn(TurnEnd { recorder.record("end") })
                Task(executorPreference: loop) {
                    recorder.record("job")
                    loop.deferred { recorder.record("deferred by the job") }
                }
                loop.deferred { recorder.record("deferred") }
                recorder.record("work")
            }
            try await eventually { recorder.elements.contains("end") }
            #expect(
                recorder.elements == ["work", "job", "deferred", "deferred by the job", "end"])
        }
    }

    @Test("may register again, for the next turn, in which other work comes first")
    func again() async throws {
        try await withLoop { loop in
            let recorder = Recorder<String>()
            loop.execute {
                let again = OnLoop<TurnEnd?>(nil)
                again.value = TurnEnd {
                    recorder.record("end")
                    guard recorder.count < 6 else { return again.value = nil }
                    loop.execute { recorder.record("work") }
                    loop.atEndOfTurn(again.value!)
                }
                loop.atEndOfTurn(again.value!)
            }
            try await eventually { recorder.count >= 7 }
            for _ in 0..<10 { try await onLoop(loop) {} }
            #expect(recorder.elements == ["end", "work", "end", "work", "end", "work", "end"])
        }
    }

    @Test("run in the order of their registration, also those registered by jobs")
    func order() async throws {
        try await withLoop { loop in
            let recorder = Recorder<Int>()
            loop.execute {
                Task(executorPreference: loop) {
                    loop.atEndOfTurn(TurnEnd { recorder.record(3) })
                }
                loop.atEndOfTurn(TurnEnd { recorder.record(1) })
                loop.atEndOfTurn(TurnEnd { recorder.record(2) })
            }
            try await eventually { recorder.count == 3 }
            #expect(recorder.elements == [1, 2, 3])
        }
    }
}
