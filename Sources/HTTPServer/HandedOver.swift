import Sockets
import Synchronization

/// Carries a socket into an escaping closure, which cannot own what cannot be copied. If the
/// closure never runs, the socket closes with this.
final class HandedOver: Sendable {
    private let socket: Mutex<AcceptedSocket?>

    init(_ socket: consuming AcceptedSocket) {
        self.socket = Mutex(consume socket)
    }

    /// To be called once.
    func take() -> AcceptedSocket {
        guard let socket = socket.withLock({ $0.take() }) else {
            preconditionFailure("taken twice")
        }
        return socket
    }
}
