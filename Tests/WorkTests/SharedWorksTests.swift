import Synchronization
import TestSupport
import Testing
import Work

@Suite("Work that many wait for", .blocking)
struct SharedWorksTests {
    private let works = SharedWorks<String, Int>()

    @Test("is done once, for all who come while it is under way")
    func once() async throws {
        let runs = Atomic(0)
        let isHeld = Mutex(true)
        func join() -> SharedWork<Int> {
            works.join("key") {
                runs.add(1, ordering: .relaxed)
                while isHeld.withLock({ $0 }) { await Task.yield() }
                return 7
            }
        }
        let (first, second) = (join(), join())
        #expect(first === second)
        async let outcome = first.wait()
        isHeld.withLock { $0 = false }
        guard case .finished(7) = await outcome, case .finished(7) = await second.wait() else {
            Issue.record("not finished")
            return
        }
        #expect(runs.load(ordering: .relaxed) == 1)
        #expect(join() !== first)
    }

    @Test("is cancelled when the last who waits gives up, and begun anew for the next")
    func abandoned() async throws {
        let cancelled = Recorder<Bool>()
        func join() -> SharedWork<Int> {
            works.join("key") {
                while !Task.isCancelled { await Task.yield() }
                cancelled.record(true)
                return 0
            }
        }
        let work = join()
        let waiters = [work, join(), join()].map { work in Task { await work.wait() } }
        let late = join()
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters {
            guard case .cancelled = await waiter.value else {
                Issue.record("not cancelled")
                return
            }
        }
        // A caller that has joined and does not wait yet keeps the work going.
        #expect(late === work)
        #expect(cancelled.count == 0)
        guard case .late = await late.wait(.milliseconds(1)) else {
            Issue.record("not late")
            return
        }
        try await eventually("the work's end") { cancelled.count == 1 }
        let next = join()
        #expect(next !== work)
        guard case .late(isFirst: true) = await next.wait(.milliseconds(1)) else {
            Issue.record("not late")
            return
        }
    }
}
