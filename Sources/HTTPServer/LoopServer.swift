import Glibc
import Sockets

/// The connections and listeners of one loop. Confined to it.
// @unchecked: other loops hold it only to hand it connections by `loop.execute`.
final class LoopServer: @unchecked Sendable {
    let loop: EventLoop
    let configuration: ServerConfiguration
    let responder: any Responder
    let date = ResponseDate()
    private(set) var isDraining = false

    private let balance: ConnectionBalance
    private let index: Int
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var listeners: [Listener] = []
    private var drained: [() -> Void] = []

    init(
        loop: EventLoop, index: Int, configuration: ServerConfiguration, responder: any Responder,
        balance: ConnectionBalance
    ) {
        self.loop = loop
        self.index = index
        self.configuration = configuration
        self.responder = responder
        self.balance = balance
    }

    /// Listens; `handOver` gets each connection with the number of the loop that shall have it.
    func listen(
        on sockets: [ListeningSocket],
        handOver: @escaping @Sendable (Int, consuming AcceptedSocket, Bool) -> Void
    ) throws(SystemError) {
        for socket in sockets {
            listeners.append(
                try Listener(socket, on: loop) { [self] accepted in
                    switch balance.add(preferring: index) {
                    case .serve(let loop): handOver(loop, accepted, false)
                    case .refuse(let loop): handOver(loop, accepted, true)
                    case .drop: break
                    }
                })
        }
    }

    /// Takes a connection that `balance` has counted for this loop.
    func take(_ socket: consuming AcceptedSocket, refusing: Bool) {
        guard !isDraining else { return balance.remove(from: index) }
        let stream: ByteStream
        do {
            // Room for the longest line, and for some requests sent ahead.
            let inputLimit = max(
                65_536, configuration.limits.headerBytes + configuration.limits.requestLineBytes)
            stream = try ByteStream(
                socket, on: loop, inputLimit: inputLimit, tls: configuration.tls)
        } catch {
            return balance.remove(from: index)
        }
        let connection = Connection(stream, server: self)
        connections[ObjectIdentifier(connection)] = connection
        if refusing { connection.refuse(.tooManyConnections) }
    }

    func connectionClosed(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        balance.remove(from: index)
        reportIfDrained()
    }

    // MARK: Draining

    /// Stops listening, lets requests end, then calls `completion`. After `drainTimeout` what is
    /// left is closed.
    func drain(completion: @escaping () -> Void) {
        isDraining = true
        drained.append(completion)
        for listener in listeners { listener.close() }
        listeners = []
        for connection in connections.values { connection.drain() }
        reportIfDrained()
        loop.schedule(after: configuration.drainTimeout) { [self] in
            for connection in connections.values { connection.close() }
        }
    }

    private func reportIfDrained() {
        guard isDraining, connections.isEmpty else { return }
        let completions = drained
        drained = []
        for completion in completions { completion() }
    }
}
