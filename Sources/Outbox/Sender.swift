import CoreMetrics
import Logging
public import Monitoring
import Postgres
import Sockets
import Work

/// Empties queues from time to time, on one loop.
public struct Sender: Sendable {
    /// How long a message waits at most before it is tried for the first time.
    static let period = Duration.seconds(2)

    public static let metrics = [MailQueue.attempts, WebhookQueue.attempts, DroppedWebhooks.metric]

    private let rounds: [Task<Void, Never>]
    private let close: @Sendable () async -> Void

    /// - Parameters:
    ///   - isPrepared: Waits until the database can be used; `false` if it never can.
    ///   - what: For the log.
    ///   - rounds: Each is done again and again, and none waits for the others.
    ///   - close: Ends what is being sent. It stays in the queue.
    init(
        on loop: EventLoop, after isPrepared: @escaping @Sendable () async -> Bool,
        of what: String, _ logger: Logger, rounds: [@Sendable () async throws -> Void],
        close: @escaping @Sendable () async -> Void
    ) {
        self.close = close
        self.rounds = rounds.map { round in
            Task(executorPreference: loop) {
                guard await isPrepared() else { return }
                await every(Self.period, round) { error in
                    // The pool logs once that PostgreSQL is unavailable.
                    let isAway = (error as? PostgresError)?.isTransient == true
                    logger.log(
                        level: isAway ? .debug : .warning,
                        "\(what) can't be sent: \(String(reflecting: error))")
                }
            }
        }
    }

    /// Ends what is being sent. It stays in the queue.
    public func stop() async {
        for round in rounds { round.cancel() }
        await close()
        for round in rounds { await round.value }
    }
}

/// Counts attempts to deliver something by their result.
struct AttemptCounters: Sendable {
    // Both begin at zero.
    let accepted: Counter
    let failed: Counter

    init(_ name: MetricName, _ labels: MetricLabels = []) {
        accepted = Counter(label: name.label, dimensions: labels + [("result", "accepted")])
        failed = Counter(label: name.label, dimensions: labels + [("result", "failed")])
    }
}
