import CLibCurl
import Sockets

/// A descriptor that the loop watches for libcurl.
final class WatchedSocket: ReadinessHandler {
    private let loop: EventLoop
    private let action: (Readiness) -> Void
    private var registration: DescriptorRegistration?

    init(
        _ socket: curl_socket_t, _ interest: Readiness, on loop: EventLoop,
        action: @escaping (Readiness) -> Void
    ) {
        self.loop = loop
        self.action = action
        registration = try? loop.register(socket, for: interest, trigger: .level, handler: self)
    }

    func cancel() {
        if let registration { loop.cancel(registration) }
        registration = nil
    }

    func descriptorIsReady(_ readiness: Readiness) { action(readiness) }
}
