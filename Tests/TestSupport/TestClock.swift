import Sockets
import Synchronization

/// A clock that a test moves. It stands still otherwise, or goes on like the system's.
public final class TestClock: Sendable {
    private let start: MonotonicTime?
    private let offset = Mutex(Duration.zero)

    /// - Parameter isRunning: Whether it goes on like the system's, for loops with timers of a library
    ///   that has a clock of its own.
    public init(isRunning: Bool = false) {
        start = isRunning ? nil : MonotonicTime(nanoseconds: 1_000_000_000_000)
    }

    public var now: MonotonicTime { (start ?? .read()) + offset.withLock { $0 } }

    /// Moves the clock ahead. When this returns, the loops have run all timers that were due by then, and
    /// the tasks that these resumed, up to where they wait for something else.
    public func advance(by duration: Duration, on loops: EventLoop...) async {
        await advance(by: duration, on: loops)
    }

    public func advance(by duration: Duration, on loops: [EventLoop]) async {
        offset.withLock { $0 += duration }
        for loop in loops {
            // The present turn may go by the old time. The next one runs the timers, and tasks after it
            // has resumed this one.
            for _ in 0..<3 { await loop.turn() }
        }
    }
}

extension EventLoop {
    /// Starts a loop whose timers go by a test's clock.
    public convenience init(name: String = "test", _ clock: TestClock) throws(SystemError) {
        try self.init(name: name, clock: { clock.now })
    }
}
