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

    /// Accepts no more. Connections in the kernel's backlog go to the other loops' listeners, or
    /// are reset when the last reference to the listening socket goes.
    public func close() {
        guard registration != nil || pause != nil else { return }
        if let registration { loop.cancel(registration) }
        registration = nil
        pause?.cancel()
        pause = nil
        Glibc.close(descriptor)
    }

    public func descriptorIsReady(_ readiness: Readiness) {
        // A few at a time: the other loops shall have some, and the clients that are here, too.
        for _ in 0..<16 {
            guard registration != nil else { return }
            let accepted = clinux_accept4(descriptor)
            if accepted >= 0 {
                accept(AcceptedSocket(descriptor: accepted))
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
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
            registration = try? loop.register(
                descriptor, for: .readable, trigger: .exclusive, handler: self)
            if registration == nil { pauseBriefly() }
        }
    }
}

/// A connection that no stream owns yet. Closes itself if none ever does.
public struct AcceptedSocket: ~Copyable, Sendable {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
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
