import Glibc

/// A point on the system's monotonic clock, in nanoseconds. It has no relation to the calendar.
public struct MonotonicTime: Comparable, Hashable, Sendable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads `CLOCK_MONOTONIC`. On a loop, `EventLoop.now` is cheaper.
    public static func read() -> MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
        a.nanoseconds < b.nanoseconds
    }

    /// Saturates instead of overflowing, so that an absurd setting means "never".
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let bound = MonotonicTime(nanoseconds: duration < .zero ? .min : .max)
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return bound }
        let (step, stepOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, sumOverflow) = time.nanoseconds.addingReportingOverflow(step)
        guard !stepOverflow, !sumOverflow else { return bound }
        return MonotonicTime(nanoseconds: sum)
    }

    /// Saturates, too: a deadline may be arbitrarily far in the past.
    public static func - (a: MonotonicTime, b: MonotonicTime) -> Duration {
        let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return .nanoseconds(overflow ? (a < b ? .min : .max) : difference)
    }
}
