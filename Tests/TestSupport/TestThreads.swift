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

/// Runs each test of a suite on `TestThreads`, where it may block, for a limited time.
public struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    /// Swift Testing's own trait counts the time that a test waits for its turn, too.
    private let limit: Duration

    public init(limit: Duration) { self.limit = limit }

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let start = ContinuousClock.now
        defer { TestTimes.record(ContinuousClock.now - start, of: test) }
        let watch = Task {
            try await Task.sleep(for: limit)
            Issue.record("This test hangs: it has not ended within \(limit).")
        }
        defer { watch.cancel() }
        try await withTaskExecutorPreference(TestThreads.shared) { try await body() }
    }
}

extension Trait where Self == BlockingTrait {
    /// For suites whose tests wait for sockets, processes or PostgreSQL.
    ///
    /// The slowest test takes minutes where CI is busiest. The limit only tells a hang.
    public static var blocking: Self { BlockingTrait(limit: .seconds(15 * 60)) }
}

/// The file in which `script/test` finds how long tests took. Swift Testing counts from when it could
/// have begun a test, which is much earlier when there are many.
private enum TestTimes {
    private static let file = ProcessInfo.processInfo.environment["TEST_TIMES"].map {
        open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    }

    static func record(_ duration: Duration, of test: Test) {
        guard let file else { return }
        let line = String(
            format: "%8.3f s  %@\n", duration / .seconds(1), test.displayName ?? test.name)
        // A short line is written in one piece, whoever else writes.
        _ = line.withCString { write(file, $0, strlen($0)) }
    }
}
