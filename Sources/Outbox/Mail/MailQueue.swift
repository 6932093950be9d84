import FaveGames
import Foundation
import Identity
public import Logging
public import Mail
import Monitoring
public import Sockets
public import Storage
import StorageWrites

extension QueuedMail: QueuedMessage {}

/// Mail that waits for the mail server.
struct MailQueue: Queue {
    static let attempts = MetricName(
        "fave.mail.attempts", .counter,
        "Attempts to hand a mail to the mail server, by whether it accepted it.")

    static let name = "mail"

    static let delays = [120, 240, 480, 960, 1920, 3600]

    /// How long delivery is retried: no one waits longer for a link.
    private static let patience = Duration.seconds(Accounts.resetLifetime)

    let concurrency = 1
    let counters = AttemptCounters(Self.attempts)
    let logger: Logger
    let store: Store
    let site: MailSite
    private let send: @Sendable (MailMessage) async throws(SMTPError) -> Void

    /// - Parameter send: Hands a message to the mail server.
    init(
        _ store: Store, _ site: MailSite, _ logger: Logger,
        send: @escaping @Sendable (MailMessage) async throws(SMTPError) -> Void
    ) {
        self.store = store
        self.site = site
        self.logger = logger
        self.send = send
    }

    func take(besides sending: [QueuedMail]) async throws -> QueuedMail? {
        try await store.takeMail()
    }

    func attempt(_ mail: QueuedMail) async throws -> Outcome {
        guard mail.age <= Self.patience else {
            return .refused(
                detail: " was not accepted within an hour, and is given up", reason: "")
        }
        guard let message = try await message(about: mail) else { return .needless }
        do throws(SMTPError) {
            try await send(message)
            return .accepted
        } catch {
            guard error.code != .cancelled, error.code != .closed else { return .interrupted }
            return .failed(
                Failure(
                    reason: error.description, detail: error.debugDescription,
                    isFinal: error.isPermanent))
        }
    }

    func settle(_ mail: QueuedMail, _ fate: Fate) async throws {
        guard case .postponed(let seconds, _) = fate else {
            return try await store.finish(mail.id, in: .mail)
        }
        try await store.postpone(mail.id, in: .mail, seconds: seconds)
    }
}

extension Sender {
    /// Sends mail.
    public static func mail(
        of site: MailSite, to server: SMTPServer, from store: Store, on loop: EventLoop,
        after isPrepared: @escaping @Sendable () async -> Bool, _ logger: Logger
    ) -> Sender {
        let client = SMTPClient(server, on: loop)
        let queue = MailQueue(store, site, logger) { message throws(SMTPError) in
            try await client.send(message)
        }
        return Sender(on: loop, after: isPrepared, of: "mail", logger, rounds: [queue.deliver]) {
            await client.close()
        }
    }
}
