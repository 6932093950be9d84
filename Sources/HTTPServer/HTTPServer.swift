import Sockets

/// An HTTP/1.1 server, RFC 9110 and 9112, on one or more event loops.
public final class HTTPServer: Sendable {
    /// Where it listens. The port is the real one, also when 0 was asked for.
    public let addresses: [SocketAddress]

    private let servers: [LoopServer]
    private let balance: ConnectionBalance

    /// Listens from here on.
    ///
    /// - Parameter makeResponder: Called once for each loop, on the caller's thread.
    /// - Throws: `SystemError` if a socket cannot be listened on.
    public init(
        _ configuration: ServerConfiguration, sockets: [ListeningSocket], loops: [EventLoop],
        makeResponder: (EventLoop) throws -> any Responder
    ) throws {
        addresses = sockets.map(\.address)
        let balance = ConnectionBalance(
            loops: loops.count, limit: configuration.maximumConnections)
        self.balance = balance
        servers = try loops.enumerated().map { index, loop in
            LoopServer(
                loop: loop, index: index, configuration: configuration,
                responder: try makeResponder(loop), balance: balance)
        }
        for server in servers {
            server.loop.execute { [servers] in
                // Only fails when the process is out of descriptors, at its very start.
                try? server.listen(on: sockets) { index, socket, refusing in
                    let target = servers[index]
                    guard !target.loop.isCurrent else {
                        return target.take(socket, refusing: refusing)
                    }
                    let descriptor = HandedOver(socket)
                    target.loop.execute {
                        target.take(descriptor.take(), refusing: refusing)
                    }
                }
            }
        }
    }

    /// Connections that stand now, over all loops.
    public var connectionCount: Int { balance.total }

    /// Stops listening, finishes the requests that are running, closes all connections, and returns
    /// when that is done or `drainTimeout` has passed.
    public func drain() async {
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
}
