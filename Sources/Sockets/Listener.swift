import Glibc

/// Accepts a `ListeningSocket`'s connections on one loop. Confined to that loop.
public final class Listener: ReadinessHandler {
    private let socket: ListeningSocket
    /// A duplicate for this loop, which can close it without regard to the other loops.
    private var descriptor: Descriptor?
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
        descriptor = try socket.descriptor.duplicate()
        self.socket = socket
        self.loop = loop
        self.accept = accept
        try register()
    }

    private func register() throws(SystemError) {
        guard let number = descriptor?.number else { return }
        registration = try loop.register(
            number, for: .readable, trigger: .exclusive, handler: self)
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
        descriptor = nil
    }

    public func descriptorIsReady(_ readiness: Readiness) {
        // A few at a time, to leave some connections for other loops, and time for existing
        // clients.
        acceptWaiting(limit: 16)
    }

    private func acceptWaiting(limit: Int) {
        for _ in 0..<limit {
            guard registration != nil else { return }
            if let accepted = descriptor?.accept() {
                accept(accepted)
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
                try register()
            } catch {
                // The kernel has no memory for the registration, but may have some in a moment.
                pauseBriefly()
            }
        }
    }
}
