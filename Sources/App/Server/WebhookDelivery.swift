import Encodings
import FaveGames
import Foundation
import HTTP
import HTTPClient
import HTTPTypes
import Identity
import Logging
@_spi(Writing) import Storage
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
    /// The number of receivers that are sent to at once. One that doesn't respond must not delay the
    /// others.
    private static let concurrency = 8

    private let store: Store
    private let settings: WebhookSettings
    private let publicURL: String
    private let logger: Logger
    private let send: @Sendable (SignedWebhook) async throws(HTTPClientError) -> ClientResponse

    init(
        _ store: Store, _ settings: WebhookSettings, publicURL: String, logger: Logger,
        send: @escaping @Sendable (SignedWebhook) async throws(HTTPClientError) -> ClientResponse
    ) {
        self.store = store
        self.settings = settings
        self.publicURL = publicURL
        self.logger = logger
        self.send = send
    }

    /// Delivers all reports that are due, if moderators have a webhook.
    func deliverReports() async throws {
        guard settings.moderators != nil else { return }
        while !Task.isCancelled, let queued = try await store.takeWebhook(isReport: true) {
            await deliver(queued)
        }
    }

    /// Delivers everything of circles that is due.
    func deliverChanges() async throws {
        while try await deliverOneEach() > 0 {}
    }

    /// Delivers one message of each circle, since no more than one can be taken at once.
    ///
    /// - Returns: The number of messages.
    private func deliverOneEach() async throws -> Int {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var (count, running) = (0, 0)
            while !Task.isCancelled, let queued = try await store.takeWebhook(isReport: false) {
                group.addTask { await deliver(queued) }
                count += 1
                running += 1
                if running == Self.concurrency {
                    _ = try await group.next()
                    running -= 1
                }
            }
            return count
        }
    }

    /// After a failure the message stays in the queue, for its next turn.
    private func deliver(_ queued: QueuedWebhook) async {
        let id = SignedWebhook.text(queued.id)
        do {
            guard let webhook = try await message(queued) else {
                return try await store.finishWebhook(queued)
            }
            // Without an outcome, it is sent again when the lease ends.
            guard let outcome = await attempt(webhook) else { return }
            if let failure = outcome.failure {
                logger.warning(
                    "webhook \(id), attempt \(queued.attempts): \(failure)\(outcome.detail)"
                )
            }
            if queued.circleID != nil {
                try await store.noteWebhook(
                    for: queued, failure: outcome.failure, hasEnded: outcome.isGone)
            }
            let delay = Self.delay(after: queued.attempts, asked: outcome.retryAfter)
            if outcome.failure != nil, !outcome.isGone, let delay {
                try await store.postponeWebhook(queued, seconds: delay)
            } else {
                try await store.finishWebhook(queued)
            }
        } catch {
            logger.warning("webhook \(id): \(String(reflecting: error))")
        }
    }

    /// - Returns: `nil` if there is no one to tell, or there is no longer anything to tell.
    private func message(_ queued: QueuedWebhook) async throws -> SignedWebhook? {
        guard queued.kind != .report else {
            let notice = try await store.caseNotice(queued)
            guard let notice, let (address, secret) = settings.moderators else { return nil }
            let body = WebhookEvents.body(notice, at: queued.madeAt, publicURL: publicURL)
            // The operator has chosen the address.
            return SignedWebhook(
                to: address, id: queued.id, body: body, secret: secret, networks: .any)
        }
        let notice = try await store.circleNotice(queued)
        guard let notice, let address = WebhookAddress(notice.address),
            let secret = WebhookSecret(notice.secret), settings.networks.admit(address)
        else { return nil }
        var games: [ToldGame] = []
        if queued.kind == .list { games = try await store.toldGames(queued) }
        return WebhookEvents.body(queued, notice, games, publicURL: publicURL).map {
            SignedWebhook(
                to: address, id: queued.id, body: $0, secret: secret,
                networks: settings.networks)
        }
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
