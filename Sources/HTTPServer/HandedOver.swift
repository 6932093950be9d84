import Sockets
import Synchronization

/// Carries a socket into an escaping closure, which cannot own a noncopyable value itself. If the
/// closure never runs, the socket is closed when this object is deallocated.
final class HandedOver: Sendable {
    private let socket: Mutex<AcceptedSocket?>

    init(_ socket: consuming AcceptedSocket) {
        self.socket = Mutex(consume socket)
    }

    /// Takes the socket out. Must be called only once.
    func take() -> AcceptedSocket {
        guard let socket = socket.withLock({ $0.take() }) else {
            preconditionFailure("taken twice")
        }
        return socket
    }
}
