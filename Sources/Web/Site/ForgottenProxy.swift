import Endpoints
import HTTP
import Logging
import Sockets
import Synchronization

/// Warns of a proxy that the operator has forgotten to trust, once an hour: all its visitors count as one
/// address.
///
/// Anyone can send X-Forwarded-For. So a public address is never named, whatever it sends: a stranger
/// could fill the log, and an operator who does as the warning says would trust them. A proxy has a
/// private address, or is on the same machine; only one that hides all addresses, such as a container's
/// network, passes on a stranger's field from there.
final class ForgottenProxy: Sendable {
    private let proxies: TrustedProxies
    private let logger: Logger
    /// When to warn again, in seconds of the monotonic clock.
    private let due = Atomic<Int64>(.min)

    private static let pause: Int64 = 3600

    init(_ proxies: TrustedProxies, _ logger: Logger) {
        self.proxies = proxies
        self.logger = logger
    }

    func note(
        _ request: Request, from peer: ClientAddress, at now: MonotonicTime = MonotonicTime.read()
    ) {
        guard request.contains(.xForwardedFor), !proxies.contains(peer), peer.mayBeProxy else {
            return
        }
        let seconds = now.nanoseconds / 1_000_000_000
        let due = due.load(ordering: .relaxed)
        guard seconds >= due,
            self.due.compareExchange(
                expected: due, desired: seconds + Self.pause, ordering: .relaxed
            ).exchanged
        else { return }
        logger.warning(
            """
            X-Forwarded-For from \(peer) is ignored, because TRUSTED_PROXIES doesn't name that address. If \
            your proxy is there, all its visitors count as one address: add \(peer) to TRUSTED_PROXIES. \
            If no proxy of yours is there, don't: anyone can send that field, and would then choose \
            their address
            """)
    }
}

extension ClientAddress {
    fileprivate var mayBeProxy: Bool {
        switch self {
        case .local: true
        case .internet(let address): !address.isPublic
        }
    }
}
