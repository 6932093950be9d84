public import Sockets
import Synchronization

/// An HTTP/1.1 server (RFC 9110 and 9112) on one or more event loops.
public final class HTTPServer: Sendable {
    /// The addresses that the server listens on. The port is the actual one, even if 0 was asked
    /// for.
    public let addresses: [SocketAddress]

    /// Released when the server drains, since a socket stays open while anything retains it.
    private let sockets: Mutex<[ListeningSocket]>
    let servers: [LoopServer]
    private let balance: ConnectionBalance
    private let handshakeGrace: Duration

    /// The most descriptors that the connections of a server take.
    public static func descriptors(maximumConnections: Int, loops: Int) -> Int {
        maximumConnections + refusals(of: maximumConnections, loops: loops)
    }

    /// The most connections that this many descriptors allow. Less than one if there are too few
    /// descriptors.
    public static func maximumConnections(descriptors: Int, loops: Int) -> Int {
        descriptors - refusals(of: descriptors, loops: loops)
    }

    /// How many refused connections may be open at once, over all loops.
    private static func refusals(of connections: Int, loops: Int) -> Int {
        max(loops, min(256, max(8, connections / 8)))
    }

    /// Starts to listen on the sockets.
    ///
    /// - Parameter makeResponder: Called once for each loop, on the caller's thread.
    /// - Throws: `SystemError` if a socket cannot be listened on, or an error of `makeResponder`.
    public convenience init(
        _ configuration: ServerConfiguration, sockets: [ListeningSocket], loops: [EventLoop],
        makeResponder: (EventLoop) throws -> any Responder
    ) async throws {
        try await self.init(
            configuration, sockets: sockets,
            responders: try loops.map { (loop: $0, responder: try makeResponder($0)) })
    }

    /// Starts to listen on the sockets.
    ///
    /// - Parameter responders: One for each loop.
    /// - Throws: `SystemError` if a socket cannot be listened on.
    public init(
        _ configuration: ServerConfiguration, sockets: [ListeningSocket],
        responders: [(loop: EventLoop, responder: any Responder)]
    ) async throws {
        addresses = sockets.map(\.address)
        self.sockets = Mutex(sockets)
        handshakeGrace = configuration.handshakeGrace
        let balance = ConnectionBalance(
            loops: responders.count, limit: configuration.maximumConnections,
            limitPerOwner: configuration.connectionsPerAddress)
        self.balance = balance
        let refusals = Self.refusals(
            of: configuration.maximumConnections, loops: responders.count)
        let servers = responders.enumerated().map { index, each in
            LoopServer(
                loop: each.loop, index: index, loops: responders.count,
                configuration: configuration, refusals: refusals / responders.count,
                responder: each.responder, balance: balance)
        }
        self.servers = servers
        for server in servers {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                server.loop.execute {
                    continuation.resume(
                        with: Result {
                            try server.listen(on: sockets, handOver: Self.hand(to: servers))
                        })
                }
            }
        }
    }

    /// Makes the function that gives each connection to the loop chosen for it.
    private static func hand(
        to servers: [LoopServer]
    ) -> @Sendable (consuming AcceptedSocket, Int) -> Void {
        { socket, index in
            let target = servers[index]
            guard !target.loop.isCurrent else { return target.take(socket) }
            let descriptor = HandedOver(socket)
            target.loop.execute { target.take(descriptor.take()) }
        }
    }

    /// How many connections are open on all loops together. Clients that are only sent an error are not
    /// among them.
    public var connectionCount: Int { balance.total }

    /// Whether new clients may connect.
    var isListening: Bool { sockets.withLock { !$0.isEmpty } }

    /// The state of each loop's connections. Must not be called once a loop has stopped.
    public func statistics() async -> [ServerStatistics] {
        var all: [ServerStatistics] = []
        for server in servers {
            all.append(
                await Task(executorPreference: server.loop) { server.currentStatistics }.value)
        }
        return all
    }

    /// Accepts the pending connections and no more, finishes the running requests and closes all
    /// connections. Returns when that is done or `drainTimeout` has passed.
    public func drain() async {
        for server in servers { server.loop.execute { server.announceEnd() } }
        await refuseClients()
        for server in servers {
            server.loop.execute { server.stopListening() }
            await server.loop.turn()
        }
        await withTaskGroup { group in
            for server in servers {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let accepted = server.loop.execute {
                            server.drain { continuation.resume() }
                        }
                        if !accepted { continuation.resume() }
                    }
                }
            }
        }
    }

    /// Stops new clients from connecting, then waits for those that have begun to connect, so that
    /// none of them is reset when the sockets close.
    private func refuseClients() async {
        let sockets = sockets.withLock { sockets in
            defer { sockets = [] }
            return sockets
        }
        guard !sockets.isEmpty else { return }
        for socket in sockets { socket.refuseConnections() }
        await servers[0].loop.sleep(for: handshakeGrace)
    }
}
