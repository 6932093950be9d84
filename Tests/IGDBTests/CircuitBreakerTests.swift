import Sockets
import Testing

@testable import IGDB

@Suite("The circuit breaker")
struct CircuitBreakerTests {
    /// A breaker, told of times in seconds.
    private final class Held {
        private var breaker = CircuitBreaker(
            threshold: 3, firstPause: .seconds(5), longestPause: .seconds(15))
        private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

        func mayTry(at seconds: Int) -> Bool { breaker.mayTry(at: start + .seconds(seconds)) }
        func failed(at seconds: Int) { breaker.failed(at: start + .seconds(seconds)) }
        func succeeded() { breaker.succeeded() }
        func ended() { breaker.ended() }
    }

    private let breaker = Held()

    @Test("lets all try while nothing fails")
    func closed() {
        for second in 0..<5 {
            #expect(breaker.mayTry(at: second))
            breaker.succeeded()
        }
    }

    @Test("opens after so many failures in a row, and not by as many with a success between")
    func opens() {
        for failed in [true, true, false, true, true] {
            #expect(breaker.mayTry(at: 0))
            if failed { breaker.failed(at: 0) } else { breaker.succeeded() }
        }
        #expect(breaker.mayTry(at: 0))
        breaker.failed(at: 0)
        #expect(!breaker.mayTry(at: 0))
        #expect(!breaker.mayTry(at: 4))
    }

    @Test("lets one try after a pause, and all if that succeeds")
    func probe() {
        for _ in 0..<3 { breaker.failed(at: 0) }
        #expect(breaker.mayTry(at: 5))
        #expect(!breaker.mayTry(at: 5))
        #expect(!breaker.mayTry(at: 50))
        breaker.succeeded()
        #expect(breaker.mayTry(at: 51))
        #expect(breaker.mayTry(at: 51))
        // And counts from the beginning again.
        breaker.failed(at: 51)
        #expect(breaker.mayTry(at: 51))
    }

    @Test("pauses twice as long each time, to a bound, and as briefly as at first after a success")
    func pauses() {
        for _ in 0..<3 { breaker.failed(at: 0) }
        var now = 0
        for pause in [5, 10, 15, 15] {
            #expect(!breaker.mayTry(at: now + pause - 1))
            now += pause
            #expect(breaker.mayTry(at: now))
            breaker.failed(at: now)
        }
        #expect(breaker.mayTry(at: now + 15))
        breaker.succeeded()
        for _ in 0..<3 { breaker.failed(at: now) }
        #expect(breaker.mayTry(at: now + 5))
    }

    @Test("lets another try if the one gave up")
    func ended() {
        for _ in 0..<3 { breaker.failed(at: 0) }
        #expect(breaker.mayTry(at: 5))
        #expect(!breaker.mayTry(at: 5))
        breaker.ended()
        #expect(breaker.mayTry(at: 5))
    }

    @Test("pauses no longer because requests failed that were on their way when it opened")
    func stragglers() {
        for _ in 0..<8 { breaker.failed(at: 0) }
        #expect(!breaker.mayTry(at: 4))
        #expect(breaker.mayTry(at: 5))
        breaker.failed(at: 5)
        #expect(!breaker.mayTry(at: 14))
        #expect(breaker.mayTry(at: 15))
    }
}
