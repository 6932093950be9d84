import CLinux
import Glibc

/// Accepts connections of a `ListeningSocket` on one loop. Confined to that loop.
public final class Listener: ReadinessHandler {
    private let socket: ListeningSocket
    private let descriptor: Int32
    private let loop: EventLoop
    private let accept: (consuming AcceptedSocket) -> Void
    private var registration: DescriptorRegistration?
    private var pause: LoopTimer?

    /// - Parameter accept: Called on the loop for each connection. The socket may be handed to
    ///   another loop.
    public init(
        _ socket: ListeningSocket, on loop: EventLoop,
        accept: @escaping (consuming AcceptedSocket) -> Void
    ) throws(SystemError) {
        // A descriptor of its own, so that each loop can close it without regard to the others.
        descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw SystemError(call: "fcntl") }
        self.socket = socket
        self.loop = loop
        self.accept = accept
        do {
            registration = try loop.register(
                descriptor, for: .readable, trigger: .exclusive, handler: self)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Accepts what waits already, and then no more.
    public func drain() {
        // Bounded: others may be faster at connecting than this is at accepting.
        acceptWaiting(limit: 65_536)
        close()
    }

    /// Accepts no more. Connections in the kernel's backlog go to the other loops' listeners and to
    /// other processes that have the socket; or are reset, when the last reference to it goes.
    public func close() {
        guard registration != nil || pause != nil else { return }
        if let registration { loop.cancel(registration) }
        registration = nil
        pause?.cancel()
        pause = nil
        Glibc.close(descriptor)
    }

    public func descriptorIsReady(_ readiness: Readiness) {
        // A few at a time, to leave some connections for other loops, and time for existing clients.
        acceptWaiting(limit: 16)
    }

    private func acceptWaiting(limit: Int) {
        for _ in 0..<limit {
            guard registration != nil else { return }
            var peer = sockaddr_storage()
            var length = socklen_t()
            let accepted = clinux_accept4(descriptor, &peer, &length)
            if accepted >= 0 {
                let socket = AcceptedSocket(
                    descriptor: accepted, client: SocketAddress.client(peer))
                accept(socket)
                continue
            }
            switch errno {
            // accept(2): errors of the connection that has ended while it waited.
            case EINTR, ECONNABORTED, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET,
                EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH:
                continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: pauseBriefly()
            default: break
            }
            return
        }
    }

    /// With no descriptors left the connection stays in the backlog and the kernel goes on
    /// reporting it: look away for a moment instead of spinning.
    private func pauseBriefly() {
        if let registration { loop.cancel(registration) }
        registration = nil
        pause = loop.schedule(after: .milliseconds(100)) { [self] in
            pause = nil
            do {
                registration = try loop.register(
                    descriptor, for: .readable, trigger: .exclusive, handler: self)
            } catch {
                // The kernel has no memory for it: in a moment it may have.
                pauseBriefly()
            }
        }
    }
}

/// A connection that no stream owns yet. Closes itself if none ever does.
public struct AcceptedSocket: ~Copyable, Sendable {
    let descriptor: Int32
    /// Where it comes from, as the kernel said when it was accepted: asking later fails for a client
    /// that has gone. `nil` if the kernel did not say.
    public let client: ClientAddress?

    init(descriptor: Int32, client: ClientAddress? = nil) {
        self.descriptor = descriptor
        self.client = client
    }

    deinit {
        close(descriptor)
    }

    /// Hands the descriptor over; the caller closes it.
    public consuming func take() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
