import CoreMetrics
import Endpoints
import HTTPClient
import Identity
import Logging
import Monitoring
import Postgres
import Sockets
import Storage
import Work

/// Empties the queue of webhooks from time to time, on one loop.
struct WebhookSender: Sendable {
    /// How long a message waits at most before it is tried for the first time.
    private static let period = Duration.seconds(2)

    static let attempts = MetricName(
        "fave.webhook.attempts", .counter,
        "Attempts to deliver a webhook, by whether it is for moderators or a circle, and by result."
    )

    static let dropped = MetricName(
        "fave.webhook.dropped", .counter,
        "Messages to circles' webhooks that were dropped: too many were waiting, or they could not be delivered."
    )

    private let client: HTTPClient
    /// Reports don't wait for circles.
    private let rounds: [Task<Void, Never>]

    /// - Parameter preparation: What the database must be through before anything is queued.
    init(
        _ settings: WebhookSettings, site: SiteAddresses, store: Store, on loop: EventLoop,
        after preparation: Task<[SigningKey]?, Never>, _ logger: Logger
    ) {
        let client = HTTPClient(on: loop, named: "webhooks")
        self.client = client
        let dropped = Counter(label: Self.dropped.label)
        func delivery(_ receiver: String) -> WebhookDelivery {
            // Both begin at zero.
            let (accepted, failed) = (
                Self.counter(receiver, "accepted"), Self.counter(receiver, "failed")
            )
            return WebhookDelivery(
                store, settings, site: site, logger: logger,
                dropped: { dropped.increment(by: $0) }
            ) { webhook throws(HTTPClientError) in
                do throws(HTTPClientError) {
                    let response = try await client.send(webhook.request)
                    (response.status.kind == .successful ? accepted : failed).increment()
                    return response
                } catch {
                    failed.increment()
                    throw error
                }
            }
        }
        let (reports, changes) = (delivery("moderators"), delivery("circle"))
        rounds = [
            Self.rounds(on: loop, after: preparation, logger) {
                try await reports.deliverReports()
            },
            Self.rounds(on: loop, after: preparation, logger) {
                try await changes.deliverChanges()
            },
        ]
    }

    private static func rounds(
        on loop: EventLoop, after preparation: Task<[SigningKey]?, Never>, _ logger: Logger,
        _ deliver: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, Never> {
        Task(executorPreference: loop) {
            guard await preparation.value != nil else { return }
            await every(period) {
                try await deliver()
            } failed: { error in
                // The pool logs once that PostgreSQL is unavailable.
                let isAway = (error as? PostgresError)?.isTransient == true
                logger.log(
                    level: isAway ? .debug : .warning,
                    "webhooks can't be sent: \(String(reflecting: error))")
            }
        }
    }

    private static func counter(_ receiver: String, _ result: String) -> Counter {
        Counter(label: attempts.label, dimensions: [("receiver", receiver), ("result", result)])
    }

    /// Ends what is being sent. It stays in the queue.
    func stop() async {
        for round in rounds { round.cancel() }
        await client.close()
        for round in rounds { await round.value }
    }
}
