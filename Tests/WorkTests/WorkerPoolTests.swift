import Foundation
import TestSupport
import Testing
import Work

@Suite("The pool of workers", .blocking)
struct WorkerPoolTests {
    private struct Refusal: Error {}

    private func withPool<Result>(
        threads: Int = 1, queueLimit: Int = 64, _ body: (WorkerPool) async throws -> Result
    ) async throws -> Result {
        let pool = WorkerPool(threads: threads, queueLimit: queueLimit)
        defer { pool.close() }
        return try await body(pool)
    }

    @Test("gives what jobs give, and throws what they throw", arguments: [1, 2, 5])
    func results(threads: Int) async throws {
        try await withPool(threads: threads, queueLimit: 400) { pool in
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try await pool.run(.password, for: "\(number % 7)", isCancellable: true) {
                            number
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 4950)
            await #expect(throws: Refusal.self) {
                try await pool.run(.password, isCancellable: true) { throw Refusal() }
            }
        }
    }

    /// Keeps a thread of a pool busy until it is let go.
    private final class Holder: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let job: Task<Void, any Error>

        /// Returns once the thread is busy.
        init(_ pool: WorkerPool, as kind: WorkerPool.Kind = .password) async throws {
            let running = Recorder<Bool>()
            job = Task { [gate] in
                try await pool.run(kind, for: "holder", isCancellable: true) {
                    running.record(true)
                    gate.wait()
                }
            }
            try await eventually("a busy thread") { running.count == 1 }
        }

        func letGo() async throws {
            gate.signal()
            try await job.value
        }
    }

    @Test("lets no client take all the places, and keeps those of others free")
    func shares() async throws {
        // Without threads nothing ends: what has a place keeps it.
        let pool = WorkerPool(threads: 0, queueLimit: 12)
        let refused = Recorder<Bool>()
        let greedy = (0..<20).map { _ in
            Task {
                do {
                    try await pool.run(.password, for: "greedy", isCancellable: true) {}
                } catch is WorkerPool.BusyError {
                    refused.record(true)
                } catch is CancellationError {}
            }
        }
        try await eventually("fourteen refusals") { refused.count == 14 }
        let other = Task { try await pool.run(.password, for: "other", isCancellable: true) {} }
        try await eventually("a place for another") { pool.waitingCount == 7 }
        #expect(refused.count == 14)
        for task in greedy { task.cancel() }
        for task in greedy { try await task.value }
        #expect(pool.waitingCount == 1)
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        #expect(pool.waitingCount == 0)
    }

    @Test("lets clients take turns")
    func turns() async throws {
        try await withPool { pool in
            let order = Recorder<String>()
            let holder = try await Holder(pool)
            var tasks: [Task<Void, any Error>] = []
            for (client, count) in [("a", 3), ("b", 1), ("c", 2)] {
                for number in 0..<count {
                    let waiting = pool.waitingCount
                    tasks.append(
                        Task {
                            try await pool.run(.password, for: client, isCancellable: true) {
                                order.record("\(client)\(number)")
                            }
                        })
                    try await eventually { pool.waitingCount == waiting + 1 }
                }
            }
            try await holder.letGo()
            for task in tasks { try await task.value }
            #expect(order.elements == ["a0", "b0", "c0", "a1", "c1", "a2"])
        }
    }

    @Test("does not run what was cancelled while it waited, or before")
    func cancellation() async throws {
        try await withPool { pool in
            let ran = Recorder<Int>()
            let holder = try await Holder(pool)
            let tasks = (0..<8).map { number in
                Task { try await pool.run(.password, isCancellable: true) { ran.record(number) } }
            }
            for (number, task) in tasks.enumerated() where number % 2 == 0 { task.cancel() }
            for (number, task) in tasks.enumerated() where number % 2 == 0 {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            try await holder.letGo()
            for (number, task) in tasks.enumerated() where number % 2 == 1 {
                try await task.value
            }
            #expect(ran.elements.sorted() == [1, 3, 5, 7])
        }
    }

    @Test("serves the kinds of jobs in turn, and lets none fill the other's queue")
    func kinds() async throws {
        try await withPool(queueLimit: 4) { pool in
            let order = Recorder<String>()
            let holder = try await Holder(pool, as: .card)
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<7 {
                let kind: WorkerPool.Kind = number < 4 ? .password : .card
                tasks.append(
                    Task {
                        try await pool.run(kind, isCancellable: true) {
                            order.record(kind == .card ? "card" : "password")
                        }
                    })
                try await eventually { pool.waitingCount == number + 1 }
            }
            await #expect(throws: WorkerPool.BusyError.self) {
                try await pool.run(.password, isCancellable: true) {}
            }
            try await holder.letGo()
            for task in tasks { try await task.value }
            #expect(
                order.elements == [
                    "password", "card", "password", "card", "password", "card", "password",
                ])
        }
    }

    @Test("runs what must not be cancelled, even for a task that was cancelled before")
    func uncancellable() async throws {
        try await withPool { pool in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await pool.run(.password, isCancellable: false) { 7 }
            }
            task.cancel()
            let result = try await task.value
            #expect(result == 7)
        }
    }

    @Test("has threads of its own, which yield to the others", arguments: [1, 3])
    func threads(count: Int) async throws {
        // Each as it is named in /proc.
        let threads = Recorder<String>()
        try await withPool(threads: count) { pool in
            // None of them ends before all have begun, so each has a thread of its own.
            try await withThrowingTaskGroup { group in
                let gate = DispatchSemaphore(value: 0)
                for _ in 0..<count {
                    group.addTask {
                        try await pool.run(.password, isCancellable: true) {
                            // On Linux, 0 means the calling thread; see getpriority(2).
                            let priority = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
                            #expect(priority == 10)
                            threads.record(
                                try FileManager.default.destinationOfSymbolicLink(
                                    atPath: "/proc/thread-self"))
                            gate.wait()
                        }
                    }
                }
                try await eventually("all threads") { threads.count == count }
                for _ in 0..<count { gate.signal() }
                try await group.waitForAll()
            }
        }
        #expect(Set(threads.elements).count == count)
        // They end with it.
        try await eventually("their end") {
            threads.elements.allSatisfy { !FileManager.default.fileExists(atPath: "/proc/\($0)") }
        }
    }

    @Test("does what waits before it ends, and nothing after that")
    func closing() async throws {
        let pool = WorkerPool(threads: 2)
        let waiting = (0..<6).map { number in
            Task { try await pool.run(.password, isCancellable: true) { number } }
        }
        _ = try await waiting[0].value
        pool.close()
        for (number, task) in waiting.enumerated() {
            switch await task.result {
            case .success(let result): #expect(result == number)
            case .failure(let error): #expect(error is WorkerPool.BusyError)
            }
        }
        await #expect(throws: WorkerPool.BusyError.self) {
            try await pool.run(.password, isCancellable: true) {}
        }
    }
}
