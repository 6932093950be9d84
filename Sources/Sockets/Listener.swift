import CLinux
import Glibc

/// Accepts a `ListeningSocket`'s connections on one loop. Confined to that loop.
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
        // A duplicate descriptor for this loop, which can close it without regard to the other
        // loops.
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

    /// Accepts the pending connections, then closes.
    public func drain() {
        // Bounded, because clients may connect faster than this loop accepts.
        acceptWaiting(limit: 65_536)
        close()
    }

    /// Stops accepting. Connections in the kernel's backlog are left to the other loops' listeners
    /// and to other processes that hold the socket. When the last reference to the socket is
    /// closed, they are reset.
    public func close() {
        guard registration != nil || pause != nil else { return }
        if let registration { loop.cancel(registration) }
        registration = nil
        pause?.cancel()
        pause = nil
        Glibc.close(descriptor)
    }

    public func descriptorIsReady(_ readiness: Readiness) {
        // A few at a time, to leave some connections for other loops, and time for existing
        // clients.
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
            // accept(2): apart from EINTR, these are errors of a connection that ended while it was
            // pending.
            case EINTR, ECONNABORTED, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET,
                EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH:
                continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: pauseBriefly()
            default: break
            }
            return
        }
    }

    /// Stops watching for a moment. While there are no descriptors left, the connection stays in
    /// the backlog and the kernel reports it again and again, which would make the loop spin.
    private func pauseBriefly() {
        if let registration { loop.cancel(registration) }
        registration = nil
        pause = loop.schedule(after: .milliseconds(100)) { [self] in
            pause = nil
            do {
                registration = try loop.register(
                    descriptor, for: .readable, trigger: .exclusive, handler: self)
            } catch {
                // The kernel has no memory for the registration, but may have some in a moment.
                pauseBriefly()
            }
        }
    }
}

/// A connection that no stream owns yet. It is closed if no stream ever does.
public struct AcceptedSocket: ~Copyable, Sendable {
    let descriptor: Int32
    /// The address that the kernel reported when it accepted the connection; asking later fails for
    /// a client that has disconnected. `nil` if the kernel reported none.
    public let client: ClientAddress?

    init(descriptor: Int32, client: ClientAddress? = nil) {
        self.descriptor = descriptor
        self.client = client
    }

    deinit {
        close(descriptor)
    }

    /// Hands over the descriptor, which the caller must close.
    public consuming func take() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
