import HTTP
import Sockets

/// The connections and listeners of one loop. Confined to that loop.
// @unchecked: other loops refer to it only to hand it connections through `loop.execute`.
final class LoopServer: @unchecked Sendable {
    let loop: EventLoop
    let configuration: ServerConfiguration
    let responder: any Responder
    let date = ResponseDate()
    /// Whether every further response is the last one of its connection.
    private(set) var isEnding = false
    private(set) var isDraining = false
    /// How many bytes of output, over all connections of the loop, are still unsent.
    var unsentBytes: Int {
        get { statistics.unsentBytes }
        set { statistics.unsentBytes = newValue }
    }
    var statistics = ServerStatistics()
    private var bodies: BodyShares
    private var largeBodies: BodyShares

    private let balance: ConnectionBalance
    private let index: Int
    /// How many refused connections may be open at once.
    private let refusals: Int
    private let unsentLimit: Int
    private(set) var waiting: WaitingLists
    private var listeners: [Listener] = []
    private var drained: [() -> Void] = []
    private lazy var nextTimeout = Deadline(on: loop) { [unowned self] in endWaits() }

    init(
        loop: EventLoop, index: Int, loops: Int, configuration: ServerConfiguration, refusals: Int,
        responder: any Responder, balance: ConnectionBalance
    ) {
        self.loop = loop
        self.index = index
        self.configuration = configuration
        self.responder = responder
        self.balance = balance
        self.refusals = refusals
        unsentLimit = configuration.maximumUnsentBytes / loops
        waiting = WaitingLists(configuration)
        bodies = BodyShares(limit: max(1, configuration.maximumConnections / loops / 2))
        largeBodies = BodyShares(limit: configuration.largeBodiesAtOnce)
    }

    /// Starts to listen.
    ///
    /// - Parameter handOver: Gets each connection that may be served, and the index of its loop.
    func listen(
        on sockets: [ListeningSocket],
        handOver: @escaping @Sendable (consuming AcceptedSocket, Int) -> Void
    ) throws(SystemError) {
        do {
            for socket in sockets {
                listeners.append(
                    try Listener(socket, on: loop) { [self] accepted in
                        // Without an address, the number of the client's connections could not be
                        // limited.
                        guard let client = accepted.client else { return }
                        switch place(for: client) {
                        case .serve(let index): handOver(accepted, index)
                        case .full: refuse(accepted, .tooManyConnections)
                        case .ownerIsFull: refuse(accepted, .tooManyConnectionsOfOne)
                        }
                    })
            }
        } catch {
            for listener in listeners { listener.close() }
            listeners = []
            throw error
        }
    }

    private func place(for client: ClientAddress) -> ConnectionBalance.Decision {
        let owner = configuration.owner(client)
        let place = balance.add(preferring: index, of: owner)
        guard place == .full, makeRoom() else { return place }
        return balance.add(preferring: index, of: owner)
    }

    /// Takes a connection that `balance` has counted for this loop.
    func take(_ socket: consuming AcceptedSocket) {
        guard let client = socket.client else { return }
        guard let connection = open(socket) else {
            return balance.remove(from: index, of: configuration.owner(client))
        }
        if isDraining { connection.drain() }
    }

    /// Sends a client an error. If there are too many refused clients, closes the oldest of their
    /// connections.
    private func refuse(_ socket: consuming AcceptedSocket, _ error: ConnectionError) {
        while waiting.count(.refusedEnd) >= refusals, let oldest = waiting.first(.refusedEnd) {
            oldest.close()
        }
        _ = open(socket, refusal: error)
    }

    private func open(
        _ socket: consuming AcceptedSocket, refusal: ConnectionError? = nil
    ) -> Connection? {
        guard let client = socket.client else { return nil }
        // Room for the longest line, and for some pipelined requests.
        let inputLimit = max(
            65_536, configuration.limits.headerBytes + configuration.limits.requestLineBytes)
        guard
            let stream = try? ByteStream(
                socket, on: loop, inputLimit: inputLimit, tls: configuration.tls)
        else { return nil }
        statistics.acceptedConnections += 1
        return Connection(stream, from: client, server: self, refusal: refusal)
    }

    /// Closes one of the connections that have been idle longest, or else the first ended one.
    ///
    /// - Returns: Whether one was closed.
    private func makeRoom() -> Bool {
        // Some may have sent a request that has not been read yet. They stay open.
        for _ in 0..<8 {
            guard let idle = waiting.longestIdle else { break }
            if idle.closeIfIdle() { return true }
        }
        // Its last response is sent, and the client had some time to read it.
        guard let ended = waiting.first(.end) else { return false }
        ended.close()
        return true
    }

    func connectionClosed(_ connection: Connection) {
        waiting.remove(connection)
        if !connection.isRefused {
            balance.remove(from: index, of: configuration.owner(connection.client))
        }
        reportIfDrained()
    }

    // MARK: Time

    func connectionWaits(_ connection: Connection, for wait: Wait) {
        waiting.place(connection, in: wait, at: loop.now)
        if let limit = waiting.limit(wait) { nextTimeout.set(atLatest: loop.now + limit) }
    }

    private func endWaits() {
        while let connection = waiting.overdue(at: loop.now) { connection.timePassed() }
        guard let next = waiting.nextDeadline else { return }
        // The timer fires at most every 5 milliseconds, so a wait may last that much longer than
        // its limit.
        nextTimeout.set(atLatest: max(next, loop.now + .milliseconds(5)))
    }

    // MARK: Memory

    /// While too many bytes are unsent in total, closes the connection whose client has read
    /// nothing for longest.
    func boundOutput() {
        while unsentBytes > unsentLimit, let slowest = waiting.first(.reader) { slowest.close() }
    }

    // MARK: Bodies

    /// Counts a request whose body is awaited.
    ///
    /// - Throws: If there is no room for another one of this owner's.
    func add(_ body: CountedBody) throws(ConnectionError) {
        if body.isLarge {
            try largeBodies.add(of: body.owner)
        } else {
            try bodies.add(of: body.owner)
        }
    }

    func remove(_ body: CountedBody) {
        if body.isLarge {
            largeBodies.remove(of: body.owner)
        } else {
            bodies.remove(of: body.owner)
        }
    }

    // MARK: Requests at once

    /// Whether another request may be started now. If so, counts it; if not, its connection waits
    /// for its turn.
    func admitsRequest() -> Bool {
        guard statistics.activeRequests < configuration.requestsAtOnce else { return false }
        statistics.activeRequests += 1
        return true
    }

    func hasResponded() {
        statistics.activeRequests -= 1
        guard let next = waiting.first(.turn), admitsRequest() else { return }
        next.startQueued()
    }

    // MARK: Statistics

    /// The current state of the loop's connections.
    var currentStatistics: ServerStatistics {
        var statistics = statistics
        statistics.connections = waiting.count
        statistics.waitingRequests = waiting.count(.turn)
        return statistics
    }

    // MARK: Draining

    /// Makes every further response tell its client that it is the last one of the connection.
    func announceEnd() { isEnding = true }

    /// Accepts the pending connections, then stops listening.
    func stopListening() {
        for listener in listeners { listener.drain() }
        listeners = []
    }

    /// Lets running requests finish, then calls `completion`. Connections that are left after
    /// `drainTimeout` are closed. Call this only when no loop listens any longer, or another loop
    /// could still hand over a connection.
    func drain(completion: @escaping () -> Void) {
        drained.append(completion)
        if !isDraining {
            isDraining = true
            for connection in waiting.all() { connection.drain() }
            loop.schedule(after: min(Self.idleGrace, configuration.drainTimeout)) { [self] in
                for connection in waiting.all([.firstRequest, .request]) {
                    connection.closeIfIdle()
                }
            }
            loop.schedule(after: configuration.drainTimeout) { [self] in
                for connection in waiting.all() { connection.close() }
            }
        }
        reportIfDrained()
    }

    /// How long a connection without a request stays open after the server begins to drain. A
    /// request may be on its way, and its response tells the client that it is the last one.
    private static let idleGrace = Duration.seconds(1)

    private func reportIfDrained() {
        guard isDraining, waiting.count == 0 else { return }
        let completions = drained
        drained = []
        for completion in completions { completion() }
    }
}
