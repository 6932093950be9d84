import Sockets

/// Leaves a service alone for a while that fails again and again, so that nobody waits for it.
///
/// A value without I/O: it is told what happened, and says what may be done.
struct CircuitBreaker: Sendable {
    /// So many failures in a row open the circuit.
    private let threshold: Int
    /// How long it stays open the first time; each further time twice as long, to a bound.
    private let firstPause: Duration
    private let longestPause: Duration

    private var failures = 0
    private var pause: Duration
    private var openUntil: MonotonicTime?
    /// Whether one request is on its way to find out if the service is back.
    private var isProbing = false

    init(
        threshold: Int = 3, firstPause: Duration = .seconds(5),
        longestPause: Duration = .seconds(120)
    ) {
        self.threshold = threshold
        self.firstPause = firstPause
        self.longestPause = longestPause
        pause = firstPause
    }

    /// Whether a request may be made now. After a pause one may, to find out; the others go on being
    /// refused until its outcome is known.
    mutating func mayTry(at now: MonotonicTime) -> Bool {
        guard let openUntil else { return true }
        guard now >= openUntil, !isProbing else { return false }
        isProbing = true
        return true
    }

    mutating func succeeded() {
        failures = 0
        pause = firstPause
        openUntil = nil
        isProbing = false
    }

    mutating func failed(at now: MonotonicTime) {
        failures += 1
        // What was on its way when the circuit opened says nothing new.
        guard openUntil == nil ? failures >= threshold : isProbing else { return }
        openUntil = now + pause
        pause = min(pause * 2, longestPause)
        isProbing = false
    }

    /// A request ended without telling anything about the service: its caller gave up.
    mutating func ended() { isProbing = false }
}
