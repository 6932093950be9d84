import Sockets

/// Stops requests to a service for a while after repeated failures, so that no one waits for it.
///
/// This is a value without I/O: its owner tells it what happened, and it says what may be done.
struct CircuitBreaker: Sendable {
    /// This many failures in a row open the circuit.
    private let threshold: Int
    /// How long the circuit stays open the first time. Each further pause is twice as long, up to
    /// `longestPause`.
    private let firstPause: Duration
    private let longestPause: Duration

    private var failures = 0
    private var pause: Duration
    private var openUntil: MonotonicTime?
    /// Whether a request is in flight to find out if the service is back.
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

    /// Whether a request may be made now. After a pause, one request may find out if the service is
    /// back; all others are refused until its outcome is known.
    mutating func mayTry(at now: MonotonicTime) -> Bool {
        guard let openUntil else { return true }
        guard now >= openUntil, !isProbing else { return false }
        isProbing = true
        return true
    }

    /// Whether requests are being refused. After a pause, that is unknown until the next request.
    func isOpen(at now: MonotonicTime) -> Bool { openUntil.map { now < $0 } ?? false }

    mutating func succeeded() {
        failures = 0
        pause = firstPause
        openUntil = nil
        isProbing = false
    }

    mutating func failed(at now: MonotonicTime) {
        failures += 1
        // If a request was already in flight when the circuit opened, its failure is no news.
        guard openUntil == nil ? failures >= threshold : isProbing else { return }
        openUntil = now + pause
        pause = min(pause * 2, longestPause)
        isProbing = false
    }

    /// Notes that a request ended without telling anything about the service, for example because
    /// its caller gave up.
    mutating func ended() { isProbing = false }
}
