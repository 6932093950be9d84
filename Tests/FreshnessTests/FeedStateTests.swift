import Postgres
import Sockets
import Testing

@testable import Freshness

@Suite("A feed's state")
struct FeedStateTests {
    private static let start = MonotonicTime(nanoseconds: 0)
    private static let silence = PostgresError(.unavailable)

    /// The callers of the next check, which fails.
    private func fail(_ state: inout FeedState<Int>, at now: MonotonicTime = start) -> [Int] {
        guard case .check = state.next() else { return [] }
        return state.failed(Self.silence, at: now).callers
    }

    @Test("starts its driver for the first caller only, and lets it rest without one")
    func starting() {
        var state = FeedState<Int>()
        let starts = [state.ask(1), state.ask(2)]
        #expect(starts == [true, false])
        let callers = [fail(&state), fail(&state)]
        #expect(callers == [[1, 2], []])
        let startsAgain = state.ask(3)
        #expect(startsAgain)
        #expect(state.checks == 1)
    }

    @Test("has callers who come while a check is in flight wait for the next one")
    func late() {
        var state = FeedState<Int>()
        _ = state.ask(1)
        _ = state.next()
        _ = state.ask(2)
        let first = state.failed(Self.silence, at: Self.start).callers
        _ = state.ask(3)
        let second = fail(&state)
        #expect(first == [1])
        #expect(second == [2, 3])
    }

    @Test("lets callers join a check that is due or in flight, and no other")
    func joining() {
        var state = FeedState<Int>()
        let isIdle = !state.join(0)
        _ = state.ask(1)
        let isDue = state.join(2)
        _ = state.next()
        let isInFlight = state.join(3)
        _ = state.ask(4)
        let isNext = state.join(5)
        #expect(isIdle && isDue && isInFlight && isNext)
        let first = state.failed(Self.silence, at: Self.start).callers
        let second = fail(&state)
        #expect(first == [1, 2, 3] && second == [4, 5])
    }

    /// How many turns the state waits for, if callers come in so many of them.
    private func turns(withCallers count: Int) -> Int {
        var state = FeedState<Int>()
        for _ in 0..<10 { _ = state.ask(0) }
        _ = fail(&state)
        var turns = 0
        while state.gathers() {
            turns += 1
            if turns <= count { _ = state.ask(turns) }
        }
        return turns
    }

    @Test("waits for another turn as long as each brings further callers, four times at most")
    func turns() {
        #expect([0, 1, 2, 9].map(turns(withCallers:)) == [1, 2, 3, 4])
    }

    @Test("waits for no further turn once as many callers have come as shared the last check")
    func complete() {
        var state = FeedState<Int>()
        for caller in 1...3 { _ = state.ask(caller) }
        _ = fail(&state)
        let first = state.gathers()
        for caller in 1...3 { _ = state.ask(caller) }
        let second = state.gathers()
        #expect(first && !second)
    }

    @Test("waits for no turn after the check of a single caller")
    func single() {
        var state = FeedState<Int>()
        _ = state.ask(0)
        _ = fail(&state)
        let gathers = state.gathers()
        #expect(!gathers)
    }

    @Test("refuses for a second after a failure")
    func failing() {
        var state = FeedState<Int>()
        #expect(state.recentResponse(at: Self.start) == nil)
        _ = state.ask(1)
        _ = fail(&state)
        #expect(state.recentResponse(at: Self.start + .milliseconds(999)) == false)
        #expect(state.recentResponse(at: Self.start + .seconds(1)) == nil)
    }
}
