import TestSupport
import Testing
import Work

@Suite("What is done every so often")
struct EveryTests {
    private struct Failure: Error {}

    private let periods = Recorder<Duration>()

    /// Takes no time, and cancels its task at the third call, as a server that stops does.
    private var sleep: Sleep {
        { [periods] period in
            periods.record(period)
            if periods.count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
            try Task.checkCancellation()
        }
    }

    /// Runs a body in a task of its own, because that is cancelled.
    private func run(_ body: @escaping @Sendable () async -> Void) async {
        await Task { await body() }.value
    }

    @Test("is done at once and after each period, until the task is cancelled")
    func periodic() async {
        let waits = Recorder<Int>()
        await run { [sleep, periods] in
            await every(.seconds(60), sleep: sleep) { waits.record(periods.count) }
        }
        #expect(waits.elements == [0, 1, 2])
        #expect(periods.elements == Array(repeating: .seconds(60), count: 3))
    }

    @Test("goes on after a failure, and says nothing of one that cancelling led to")
    func failures() async {
        let failures = Recorder<Int>()
        await run { [sleep, periods] in
            await every(.seconds(60), sleep: sleep) {
                if periods.count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                throw Failure()
            } failed: { _ in
                failures.record(periods.count)
            }
        }
        #expect(failures.elements == [0, 1])
    }

    @Test("isn't begun by a task that is cancelled already")
    func cancelledBefore() async {
        let calls = Recorder<Void>()
        await run { [sleep] in
            withUnsafeCurrentTask { $0?.cancel() }
            await every(.seconds(60), sleep: sleep) { calls.record(()) }
        }
        #expect(calls.count == 0 && periods.count == 0)
    }

    @Test("ends with the first result, or without one when the task is cancelled")
    func results() async {
        let results = Recorder<Int?>()
        await run { [sleep, periods] in
            results.record(
                await poll(every: .seconds(1), sleep: sleep) { periods.count == 2 ? 7 : nil })
            results.record(await poll(every: .seconds(1), sleep: sleep) { nil })
        }
        #expect(results.elements == [7, nil])
        #expect(periods.count == 3)
    }
}
