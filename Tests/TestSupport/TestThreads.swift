import Foundation
import Testing

/// Threads for tests, as many as there are tests at once.
///
/// Tests use clients that block until a server responds. On Swift's own threads, of which there is one
/// for each core, two such tests would keep everything else from running.
// @unchecked: `condition` guards the mutable members.
public final class TestThreads: TaskExecutor, @unchecked Sendable {
    public static let shared = TestThreads()

    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var idleThreads = 0

    public func enqueue(_ job: consuming ExecutorJob) {
        condition.lock()
        jobs.append(UnownedJob(job))
        if jobs.count > idleThreads {
            idleThreads += 1
            Thread.detachNewThread { self.run() }
        } else {
            condition.signal()
        }
        condition.unlock()
    }

    private func run() {
        condition.lock()
        while true {
            while jobs.isEmpty { condition.wait() }
            let job = jobs.removeFirst()
            idleThreads -= 1
            condition.unlock()
            job.runSynchronously(on: asUnownedTaskExecutor())
            condition.lock()
            idleThreads += 1
        }
    }
}

/// Runs each test of a suite on `TestThreads`, where it may block.
public struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(TestThreads.shared) { try await body() }
    }
}

extension Trait where Self == BlockingTrait {
    /// For suites whose tests wait for sockets, processes or PostgreSQL.
    public static var blocking: Self { BlockingTrait() }
}
