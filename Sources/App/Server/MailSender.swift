import CoreMetrics
import Identity
import Logging
import Mail
import Monitoring
import Sockets
import Storage
import StorageWrites
import Web
import Work

/// Empties the queue of mail from time to time, on one loop.
struct MailSender: Sendable {
    /// How long a mail waits at most before it is tried for the first time.
    private static let period = Duration.seconds(2)

    static let attempts = MetricName(
        "fave.mail.attempts", .counter,
        "Attempts to hand a mail to the mail server, by whether it accepted it.")

    private let client: SMTPClient
    private let rounds: Task<Void, Never>

    /// - Parameter preparation: What the database must be through before there is mail.
    init(
        _ settings: MailSettings, of site: WebSettings, store: Store, on loop: EventLoop,
        after preparation: Task<[SigningKey]?, Never>, _ logger: Logger
    ) {
        let client = SMTPClient(settings.server, on: loop)
        // Both begin at zero.
        let (accepted, failed) = (Self.counter("accepted"), Self.counter("failed"))
        let delivery = MailDelivery(
            store, .init(site.site, publicURL: site.publicURL, from: settings.from), logger: logger
        ) { message throws(SMTPError) in
            do throws(SMTPError) {
                try await client.send(message)
                accepted.increment()
            } catch {
                failed.increment()
                throw error
            }
        }
        self.client = client
        rounds = Task(executorPreference: loop) {
            guard await preparation.value != nil else { return }
            await every(Self.period) {
                try await delivery.deliver()
            } failed: { error in
                logger.warning("mail can't be sent: \(String(reflecting: error))")
            }
        }
    }

    private static func counter(_ result: String) -> Counter {
        Counter(label: attempts.label, dimensions: [("result", result)])
    }

    /// Ends what is being sent. It stays in the queue.
    func stop() async {
        rounds.cancel()
        await client.close()
        await rounds.value
    }
}
