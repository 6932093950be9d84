import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite("A task that prefers a loop", .blocking)
struct EventLoopTaskTests {
    @Test("runs on the loop's thread, and its child tasks too")
    func children() async throws {
        try await withLoop { loop in
            let places = try await onLoop(loop) {
                async let child = loop.isCurrent
                let group = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            await Task.yield()
                            return loop.isCurrent
                        }
                    }
                    return await group.reduce(into: [Bool]()) { $0.append($1) }
                }
                return [loop.isCurrent, await child] + group + [loop.isCurrent]
            }
            #expect(places == Array(repeating: true, count: 23))
        }
    }

    @Test("runs default actors on the loop's thread")
    func actors() async throws {
        actor Counter {
            var places: [Bool] = []
            func note(_ loop: EventLoop) async {
                places.append(loop.isCurrent)
                await Task.yield()
                places.append(loop.isCurrent)
            }
        }
        try await withLoop { loop in
            let counter = Counter()
            try await onLoop(loop) {
                for _ in 0..<10 { await counter.note(loop) }
            }
            #expect(await counter.places == Array(repeating: true, count: 20))
        }
    }

    @Test("comes back after sleeping, yielding, and waiting for tasks and threads elsewhere")
    func comesBack() async throws {
        try await withLoop { loop in
            let places = try await onLoop(loop) {
                var places: [Bool] = []
                try await Task.sleep(for: .milliseconds(2))
                places.append(loop.isCurrent)
                await Task.yield()
                places.append(loop.isCurrent)
                let elsewhere = await Task.detached { loop.isCurrent }.value
                places.append(!elsewhere && loop.isCurrent)
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async { continuation.resume() }
                }
                places.append(loop.isCurrent)
                await MainActor.run {}
                places.append(loop.isCurrent)
                return places
            }
            #expect(places == Array(repeating: true, count: 5))
        }
    }

    @Test("goes to another loop and back")
    func twoLoops() async throws {
        try await withLoop { first in
            try await withLoop { second in
                let places = try await onLoop(first) {
                    let there = await withTaskExecutorPreference(second) {
                        second.isCurrent && !first.isCurrent
                    }
                    return [there, first.isCurrent]
                }
                #expect(places == [true, true])
            }
        }
    }

    @Test("is one of many that all end")
    func many() async throws {
        try await withLoop { loop in
            let sum = try await onLoop(loop) {
                await withTaskGroup(of: Int.self) { group in
                    for number in 0..<30_000 {
                        group.addTask {
                            if number % 3 == 0 { await Task.yield() }
                            return number
                        }
                    }
                    return await group.reduce(0, +)
                }
            }
            #expect(sum == 30_000 * 29_999 / 2)
        }
    }

    @Test("is not taken for one of a stopped loop's by the next thread of the same number")
    func reusedThread() async throws {
        // glibc gives a new thread the memory, and so the number, of one that has ended.
        for _ in 0..<20 {
            let old = try EventLoop(name: "old")
            let number = try await onLoop(old) { UInt(pthread_self()) }
            old.stop()
            try await eventually { old.hasStopped }
            try await withLoop { new in
                let (isSame, isCurrent) = try await onLoop(new) {
                    (UInt(pthread_self()) == number, old.isCurrent)
                }
                #expect(!isCurrent)
                let recorder = Recorder<Bool>()
                new.execute {
                    Task(executorPreference: old) { recorder.record(isSame) }
                }
                try await eventually("the task of the stopped loop") { recorder.count == 1 }
            }
        }
    }
}
