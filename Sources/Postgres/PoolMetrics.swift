import Logging
public import Monitoring
import Sockets

/// The metrics that pools record.
public enum PoolMetrics {
    public static let all = [operations, waits]

    static let operations = MetricName(
        "db.client.operation.duration", .histogram, unit: "seconds",
        "How long PostgreSQL took to respond, from sending a statement, by the statement's name.")
    static let waits = MetricName(
        "db.client.connection.wait_time", .histogram, unit: "seconds",
        "How long queries and transactions waited for a connection.")
}

/// Measures the statements of one loop, and warns of slow ones. Confined to its loop.
final class StatementTimes {
    private var stopwatches: [String: Stopwatch] = [:]
    private let waits = Stopwatch(PoolMetrics.waits)
    private let slow: Duration
    private var throttle = Throttle(limit: 5)
    private let logger: Logger

    /// - Parameter slow: A statement that takes longer is logged.
    init(slow: Duration, logger: Logger) {
        self.slow = slow
        self.logger = logger
    }

    func record(_ statement: Statement, _ duration: Duration, at now: MonotonicTime) {
        stopwatch(statement.name).record(duration)
        guard duration > slow, let omitted = throttle.admit(at: now.nanoseconds / 1_000_000_000)
        else { return }
        let others = omitted > 0 ? "; \(omitted) others are not shown" : ""
        logger.warning(
            "slow statement: \(statement.name) took \(Int(duration / .milliseconds(1))) ms\(others)"
        )
    }

    func recordWait(_ duration: Duration) { waits.record(duration) }

    private func stopwatch(_ name: String) -> Stopwatch {
        if let stopwatch = stopwatches[name] { return stopwatch }
        let stopwatch = Stopwatch(PoolMetrics.operations, [("db.operation.name", name)])
        stopwatches[name] = stopwatch
        return stopwatch
    }
}

/// A pool's current state, and counts of past events.
public struct PoolStatistics: Sendable {
    /// Connections that could be used now.
    public var idle = 0
    /// Connections that are waiting for responses, or that a transaction uses.
    public var used = 0
    public var maximum = 0
    /// Queries and transactions that wait for a connection, by lane.
    public var waiting: [(lane: String, count: Int)] = []
    /// Queries and transactions that waited for too long.
    public var timeouts = 0
    /// Queries and transactions that were rejected because too many were waiting.
    public var rejections = 0
    /// Connections that were made.
    public var connects = 0
    /// Connections that were lost, and attempts to connect that failed.
    public var losses = 0
}
