import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPClient
import HTTPTypes
import Identity
import Logging
import Storage
import StorageWrites
import Web

/// Delivers what is queued for webhooks. Any number of processes can do so at once: each message is
/// leased by one of them.
///
/// A message is delivered at least once: if this process dies after the receiver has accepted one,
/// another process sends it again, with the same id.
struct WebhookDelivery: Sendable {
    /// How long to wait after each attempt, in seconds: the schedule that Standard Webhooks suggests,
    /// about three days. After the last attempt, a message is given up.
    static let delays = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    /// The longest wait that a receiver can ask for.
    static let longestDelay = 86_400
    /// How many messages about circles are being sent at most. Receivers that don't respond must not delay
    /// the others: neither those of one owner, nor those of many at one host.
    static let concurrency = 32
    static let concurrencyPerOwner = 2
    static let concurrencyPerHost = 8
    /// How long to wait for new messages at most while others are being sent.
    private static let pause = Duration.seconds(2)

    private let store: Store
    private let settings: WebhookSettings
    private let site: SiteAddresses
    private let logger: Logger
    private let dropped: @Sendable (Int) -> Void
    private let send: @Sendable (SignedWebhook) async throws(HTTPClientError) -> ClientResponse

    /// - Parameter dropped: Counts dropped messages.
    init(
        _ store: Store, _ settings: WebhookSettings, site: SiteAddresses, logger: Logger,
        dropped: @escaping @Sendable (Int) -> Void = { _ in },
        send: @escaping @Sendable (SignedWebhook) async throws(HTTPClientError) -> ClientResponse
    ) {
        self.store = store
        self.settings = settings
        self.site = site
        self.logger = logger
        self.dropped = dropped
        self.send = send
    }

    /// Delivers all reports that are due, if moderators have a webhook.
    func deliverReports() async throws {
        guard settings.moderators != nil else { return }
        while !Task.isCancelled, let queued = try await store.takeReportWebhook() {
            await deliver(queued)
        }
    }

    /// Delivers everything about circles that is due, and what becomes due before that is done.
    func deliverChanges() async throws {
        try await withThrowingTaskGroup(of: QueuedWebhook.Circle?.self) { group in
            var sending: [QueuedWebhook.Circle] = []
            var isPausing = false
            while !Task.isCancelled {
                if sending.count < Self.concurrency, let queued = try await next(besides: sending) {
                    // Without a circle, it is gone already.
                    guard let circle = queued.circle else { continue }
                    sending.append(circle)
                    group.addTask {
                        await deliver(queued)
                        return circle
                    }
                    continue
                }
                guard !sending.isEmpty else { break }
                // What someone waits for doesn't wait for a receiver that hangs.
                if !isPausing {
                    isPausing = true
                    group.addTask {
                        try await Task.sleep(for: Self.pause)
                        return nil
                    }
                }
                switch try await group.next() {
                case .some(.some(let circle)):
                    if let index = sending.firstIndex(of: circle) { sending.remove(at: index) }
                case .some(.none), .none:
                    isPausing = false
                    try await logDropped()
                }
            }
            group.cancelAll()
        }
        try await logDropped()
    }

    /// The next message to a circle's webhook whose owner and host aren't being sent as much as they may be.
    private func next(besides sending: [QueuedWebhook.Circle]) async throws -> QueuedWebhook? {
        func full<Key: Hashable>(_ key: (QueuedWebhook.Circle) -> Key, _ limit: Int) -> [Key] {
            Dictionary(grouping: sending, by: key).filter { $1.count >= limit }.map(\.key)
        }
        return try await store.takeCircleWebhook(
            besidesOwners: full(\.ownerID, Self.concurrencyPerOwner),
            hosts: full(\.host, Self.concurrencyPerHost))
    }

    /// Logs and counts what was dropped since the last time, whichever server noted it.
    private func logDropped() async throws {
        let circles = try await store.logDroppedWebhooks()
        guard !circles.isEmpty else { return }
        let count = circles.map(\.count).reduce(0, +)
        dropped(count)
        let names = circles.map { $0.circleID.uuidString.lowercased() }.joined(separator: ", ")
        logger.warning(
            """
            \(count) messages to the webhooks of these circles were dropped, because too many wait or \
            they can't be delivered: \(names)
            """)
    }

    /// After a failure the message stays in the queue, for its next turn.
    private func deliver(_ queued: QueuedWebhook) async {
        let id = SignedWebhook.text(queued.id)
        do {
            let webhook: SignedWebhook
            switch try await message(queued) {
            case .message(let made): webhook = made
            case .nothing: return try await store.finishWebhook(queued)
            case .refused:
                logger.warning("webhook \(id): WEBHOOK_NETWORKS doesn't admit its address")
                return try await store.dropWebhook(
                    queued, because: "This site no longer sends to that address.")
            }
            // Without an outcome, it is sent again when the lease ends.
            guard let outcome = await attempt(webhook) else { return }
            if let failure = outcome.failure {
                logger.warning(
                    "webhook \(id), attempt \(queued.attempts): \(failure)\(outcome.detail)"
                )
            }
            if queued.circle != nil {
                try await store.noteWebhook(
                    for: queued, failure: outcome.failure, hasEnded: outcome.isGone)
            }
            guard let failure = outcome.failure, !outcome.isGone else {
                return try await store.finishWebhook(queued)
            }
            if let delay = Self.delay(after: queued.attempts, asked: outcome.retryAfter) {
                try await store.postponeWebhook(queued, seconds: delay)
            } else {
                logger.warning("webhook \(id) is given up")
                try await store.dropWebhook(queued, because: failure)
            }
        } catch {
            logger.warning("webhook \(id): \(String(reflecting: error))")
        }
    }

    private enum Content {
        case message(SignedWebhook)
        /// There is no one to tell, or there is no longer anything to tell.
        case nothing
        /// Nothing may be sent to the address.
        case refused
    }

    private func message(_ queued: QueuedWebhook) async throws -> Content {
        guard queued.kind != .report else {
            let notice = try await store.caseNotice(queued)
            guard let notice, let (address, secret) = settings.moderators else { return .nothing }
            let body = WebhookEvents.body(notice, at: queued.madeAt, for: site)
            // The operator has chosen the address.
            return .message(
                SignedWebhook(
                    to: address, id: queued.id, body: body, secret: secret, networks: .any))
        }
        let notice = try await store.circleNotice(queued)
        guard let notice else { return .nothing }
        guard let address = WebhookAddress(notice.address),
            let secret = WebhookSecret(notice.secret), settings.networks.admit(address)
        else { return .refused }
        var games: [ToldGame] = []
        if queued.kind == .list { games = try await store.toldGames(queued) }
        let body = WebhookEvents.body(queued, notice, games, for: site)
        return body.map {
            .message(
                SignedWebhook(
                    to: address, id: queued.id, body: $0, secret: secret,
                    networks: settings.networks))
        } ?? .nothing
    }

    private struct Outcome {
        /// In words for the owner; `nil` if the message was accepted.
        var failure: String?
        /// For the log.
        var detail = ""
        var isGone = false
        /// In seconds.
        var retryAfter: Int?
    }

    /// - Returns: `nil` if this server is stopping.
    private func attempt(_ webhook: SignedWebhook) async -> Outcome? {
        do throws(HTTPClientError) {
            let response = try await send(webhook)
            guard response.status.kind != .successful else { return Outcome() }
            return Outcome(
                failure: "The server responded with \(response.status.code).",
                isGone: response.status == .gone,
                retryAfter: response.headerFields[.retryAfter].flatMap {
                    Int(decimal: $0, digits: 1...9)
                })
        } catch {
            guard error.code != .cancelled, error.code != .closed else { return nil }
            return Outcome(failure: error.description, detail: " (\(error.debugDescription))")
        }
    }

    /// How long to wait until the next attempt, in seconds; `nil` if there is none.
    ///
    /// - Parameter asked: What the receiver has asked for. It can make the wait longer, but not shorter.
    static func delay(after attempts: Int, asked: Int?) -> Int? {
        guard (1...delays.count).contains(attempts) else { return nil }
        let delay = delays[attempts - 1]
        // Not all at once, if a receiver of many was down.
        return max(delay + Int.random(in: 0...delay / 10), min(asked ?? 0, longestDelay))
    }
}
