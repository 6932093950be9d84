import CoreMetrics
import Encodings
import Foundation
import HTTPClient
import HTTPTypes
public import Logging
import Monitoring
public import Sockets
public import Storage
import StorageWrites

extension QueuedWebhook: QueuedMessage {}

/// Messages that wait for webhooks: either the moderators' or those of circles.
struct WebhookQueue: Queue {
    enum Receiver: Sendable {
        /// The operator has chosen the address.
        case moderators(WebhookAddress, WebhookSecret)
        /// - Parameter networks: Where their webhooks may lead.
        case circles(WebhookNetworks)
    }

    static let attempts = MetricName(
        "fave.webhook.attempts", .counter,
        "Attempts to deliver a webhook, by whether it is for moderators or a circle, and by result."
    )

    static let name = "webhook"

    /// The schedule that Standard Webhooks suggests, about three days.
    static let delays = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

    // Receivers that don't respond must not delay the others: neither those of one owner, nor those of
    // many at one host.
    static let concurrencyPerOwner = 2
    static let concurrencyPerHost = 8

    let concurrency: Int
    let counters: AttemptCounters
    let logger: Logger
    let store: Store
    private let receiver: Receiver
    private let write: WebhookWriter
    private let send: @Sendable (SignedWebhook) async throws(HTTPClientError) -> ClientResponse

    init(
        _ store: Store, for receiver: Receiver, _ logger: Logger, write: @escaping WebhookWriter,
        send: @escaping @Sendable (SignedWebhook) async throws(HTTPClientError) -> ClientResponse
    ) {
        let label: String
        switch receiver {
        case .moderators: (label, concurrency) = ("moderators", 1)
        case .circles: (label, concurrency) = ("circle", 32)
        }
        counters = AttemptCounters(Self.attempts, [("receiver", label)])
        self.store = store
        self.receiver = receiver
        self.logger = logger
        self.write = write
        self.send = send
    }

    func take(besides sending: [QueuedWebhook]) async throws -> QueuedWebhook? {
        guard case .circles = receiver else { return try await store.takeReportWebhook() }
        let circles = sending.compactMap(\.circle)
        func full<Key: Hashable>(_ key: (QueuedWebhook.Circle) -> Key, _ limit: Int) -> [Key] {
            Dictionary(grouping: circles, by: key).filter { $1.count >= limit }.map(\.key)
        }
        return try await store.takeCircleWebhook(
            besidesOwners: full(\.ownerID, Self.concurrencyPerOwner),
            hosts: full(\.host, Self.concurrencyPerHost))
    }

    func attempt(_ queued: QueuedWebhook) async throws -> Outcome {
        switch receiver {
        case .moderators(let address, let secret):
            guard let notice = try await store.caseNotice(queued),
                let body = write(.report(notice), queued.madeAt)
            else { return .needless }
            return await post(queued, body, to: address, secret, .any)
        case .circles(let networks):
            // In two steps: the optimizer crashes on a guard that also awaits.
            let found = try await store.circleNotice(queued)
            guard let notice = found else { return .needless }
            guard let address = WebhookAddress(notice.address),
                let secret = WebhookSecret(notice.secret), networks.admit(address)
            else {
                return .refused(
                    detail: ": WEBHOOK_NETWORKS doesn't admit its address",
                    reason: "This site no longer sends to that address.")
            }
            let games = queued.kind == .list ? try await store.toldGames(queued) : []
            guard let body = write(.change(queued.kind, notice, games), queued.madeAt) else {
                return .needless
            }
            return await post(queued, body, to: address, secret, networks)
        }
    }

    private func post(
        _ queued: QueuedWebhook, _ body: [UInt8], to address: WebhookAddress,
        _ secret: WebhookSecret, _ networks: WebhookNetworks
    ) async -> Outcome {
        do throws(HTTPClientError) {
            let response = try await send(
                SignedWebhook(
                    to: address, id: queued.id, body: body, secret: secret, networks: networks))
            guard response.status.kind != .successful else { return .accepted }
            let reason = "The server responded with \(response.status.code)."
            let asked = response.headerFields[.retryAfter].flatMap {
                Int(decimal: $0, digits: 1...9)
            }
            return .failed(
                Failure(
                    reason: reason, detail: reason, isFinal: response.status == .gone,
                    retryAfter: asked))
        } catch {
            guard error.code != .cancelled, error.code != .closed else { return .interrupted }
            return .failed(
                Failure(
                    reason: error.description,
                    detail: "\(error.description) (\(error.debugDescription))"))
        }
    }

    func settle(_ queued: QueuedWebhook, _ fate: Fate) async throws {
        switch fate {
        case .needless: try await store.finish(queued.id, in: .webhooks)
        case .finished(let failure):
            try await note(failure, of: queued)
            try await store.finish(queued.id, in: .webhooks)
        case .postponed(let seconds, let failure):
            try await note(failure, of: queued)
            try await store.postpone(queued.id, in: .webhooks, seconds: seconds)
        case .dropped(let reason): try await store.dropWebhook(queued, because: reason)
        }
    }

    private func note(_ failure: Failure?, of queued: QueuedWebhook) async throws {
        guard queued.circle != nil else { return }
        try await store.noteWebhook(
            for: queued, failure: failure?.reason, hasEnded: failure?.isFinal == true)
    }
}

/// The messages to circles' webhooks that were dropped.
struct DroppedWebhooks: Sendable {
    static let metric = MetricName(
        "fave.webhook.dropped", .counter,
        "Messages to circles' webhooks that were dropped: too many were waiting, or they could not be delivered."
    )

    let store: Store
    let logger: Logger
    private let counter = Counter(label: metric.label)

    /// Logs and counts what was dropped since the last time, whichever server noted it.
    func log() async throws {
        let circles = try await store.logDroppedWebhooks()
        guard !circles.isEmpty else { return }
        let count = circles.map(\.count).reduce(0, +)
        counter.increment(by: count)
        let names = circles.map { $0.circleID.text }.joined(separator: ", ")
        logger.warning(
            """
            \(count) messages to the webhooks of these circles were dropped, because too many wait or \
            they can't be delivered: \(names)
            """)
    }
}

extension Sender {
    /// Sends to webhooks.
    public static func webhooks(
        _ settings: WebhookSettings, from store: Store, on loop: EventLoop,
        after isPrepared: @escaping @Sendable () async -> Bool, _ logger: Logger,
        write: @escaping WebhookWriter
    ) -> Sender {
        let client = HTTPClient(on: loop, named: "webhooks")
        func deliver(to receiver: WebhookQueue.Receiver) -> @Sendable () async throws -> Void {
            WebhookQueue(store, for: receiver, logger, write: write) {
                webhook throws(HTTPClientError) in try await client.send(webhook.request)
            }.deliver
        }
        // Reports don't wait for circles.
        var rounds = [
            deliver(to: .circles(settings.networks)),
            DroppedWebhooks(store: store, logger: logger).log,
        ]
        if let (address, secret) = settings.moderators {
            rounds.append(deliver(to: .moderators(address, secret)))
        }
        return Sender(on: loop, after: isPrepared, of: "webhooks", logger, rounds: rounds) {
            await client.close()
        }
    }
}
