import Collections
import Logging
import Sockets

/// A loop's connections to PostgreSQL, and the queries that wait for one.
///
/// The queries of a turn are sent together at its end, to a connection that is idle. While all are
/// busy queries gather, and go out as the next batch: the busier it is, the larger the batches, and
/// the fewer system calls and process switches a query costs. A transaction has a connection for
/// itself. Everything that waits is bounded in number and in time.
///
/// Confined to its loop: the async members must be called by a task that runs there.
// @unchecked: every member begins by checking that it runs on the loop.
public final class PostgresPool: EndOfTurnHandler, @unchecked Sendable {
    public let loop: EventLoop
    private let configuration: PostgresConfiguration
    private let logger: Logger
    private var connections: [Connection] = []
    private var waiting = Deque<PendingQuery>()
    private var reservations = Deque<Reservation>()
    private var reconnectDelay: Duration
    private var reconnectTimers: [ObjectIdentifier: LoopTimer] = [:]
    /// Why there is no connection, from the last attempt that failed until one succeeds.
    private var outage: PostgresError?
    private var isClosed = false
    private var awaitsTurnEnd = false
    private lazy var queueDeadline = Deadline(on: loop) { [weak self] in self?.expireWaiting() }

    /// Makes a pool, which connects when `open()` is called.
    ///
    /// - Throws: `badConfiguration` if the connection string cannot be read.
    public init(
        _ configuration: PostgresConfiguration, on loop: EventLoop, logger: Logger,
        applicationName: String = "fave-server"
    ) throws(PostgresError) {
        self.loop = loop
        self.configuration = configuration
        self.logger = logger
        reconnectDelay = configuration.reconnectDelays.lowerBound
        let parameters = try ConnectionParameters(configuration, applicationName: applicationName)
        connections = (0..<max(1, configuration.connections)).map { _ in
            Connection(
                on: loop, parameters: parameters, configuration: configuration, owner: self)
        }
    }

    /// Starts connecting. On the loop.
    public func open() {
        loop.preconditionIsCurrent()
        for connection in connections { connection.connect() }
    }

    /// Closes the connections. Whatever waits fails with `.closed`. On the loop.
    public func close() {
        loop.preconditionIsCurrent()
        isClosed = true
        for timer in reconnectTimers.values { timer.cancel() }
        reconnectTimers = [:]
        for connection in connections { connection.close() }
        failWaiting(PostgresError(.closed))
    }

    // MARK: Queries

    /// Runs a statement with its parameters bound.
    ///
    /// A read whose connection breaks is sent once more. Cancelling the task does not stop the
    /// statement; its time is bounded by `statementTimeout`.
    ///
    /// - Returns: The rows, decoded lazily, which may be read on any thread.
    @discardableResult
    public func query(
        _ statement: Statement, _ parameters: [PostgresParameter] = []
    ) async throws(PostgresError) -> Rows {
        loop.preconditionIsCurrent()
        let outcome = await withUnsafeContinuation { continuation in
            submit(
                PendingQuery(
                    statement, parameters, queuedAt: loop.now, isInTransaction: false,
                    continuation: continuation))
        }
        return try outcome.get()
    }

    private func submit(_ query: PendingQuery) {
        if let refusal = refusal() { return query.finish(.failure(refusal)) }
        waiting.append(query)
        if waitingCount == 1 { queueDeadline.set(after: configuration.acquisitionTimeout) }
        dispatchAtEndOfTurn()
    }

    /// Why nothing more can wait, if so.
    private func refusal() -> PostgresError? {
        if isClosed { return PostgresError(.closed) }
        if let outage, !connections.contains(where: { $0.state == .ready }) { return outage }
        return waitingCount < configuration.queueLimit ? nil : PostgresError(.queueFull)
    }

    private var waitingCount: Int { waiting.count + reservations.count }

    private func dispatchAtEndOfTurn() {
        guard !awaitsTurnEnd, !waiting.isEmpty else { return }
        awaitsTurnEnd = true
        loop.atEndOfTurn(self)
    }

    public func turnEnds() {
        awaitsTurnEnd = false
        for connection in connections
        where connection.state == .ready && connection.use == .queries && connection.isIdle {
            guard !waiting.isEmpty else { return }
            connection.send(nextBatch())
        }
    }

    /// Takes queries off the queue. Equal reads that wait together are sent once: all of them had
    /// come before it was sent, so what it sees is new enough for each. Nothing outlives the batch.
    private func nextBatch() -> [PendingQuery] {
        var batch: [PendingQuery] = []
        var leaders: [PendingQuery.Question: PendingQuery] = [:]
        while batch.count < configuration.batchSize, let query = waiting.popFirst() {
            if configuration.sharesReads, let question = query.question {
                if let leader = leaders[question] {
                    leader.lead(query)
                    continue
                }
                leaders[question] = query
            }
            batch.append(query)
        }
        return batch
    }

    // MARK: Transactions

    /// Runs `body` in a transaction on a connection of its own, and commits if `body` returns.
    ///
    /// If the transaction loses against another one (a deadlock or a serialization failure) it is
    /// run again after a moment, up to three times in all: `body` must change nothing but the database.
    ///
    /// - Throws: What `body` throws, after rolling back; `PostgresError` otherwise.
    public func withTransaction<Result>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            do {
                return try await runTransaction(body)
            } catch let error as PostgresError where error.isRetryableConflict && attempt < 3 {
                // The other one has to wake up before it can go on: whoever came back at once would
                // often take the same lock again, and lose again.
                let pause = Int.random(in: 10...30) * attempt * attempt
                try await Task.sleep(for: .milliseconds(pause))
                attempt += 1
            }
        }
    }

    private func runTransaction<Result>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        let connection = try await reserve()
        defer { release(connection) }
        let transaction = Transaction(loop: loop, connection: connection)
        try await transaction.query(.begin)
        do {
            let result = try await body(transaction)
            try await transaction.commit()
            return result
        } catch {
            // If this fails the connection is gone, and the transaction with it.
            _ = try? await transaction.query(.rollback)
            throw error
        }
    }

    private func reserve() async throws(PostgresError) -> Connection {
        loop.preconditionIsCurrent()
        let outcome = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Reservation.Outcome, Never>) in
            let reservation = Reservation(queuedAt: loop.now, continuation: continuation)
            if let refusal = refusal() { return reservation.finish(.failure(refusal)) }
            reservations.append(reservation)
            if waitingCount == 1 { queueDeadline.set(after: configuration.acquisitionTimeout) }
            serveReservations()
        }
        return try outcome.get().connection
    }

    private func release(_ connection: Connection) {
        connection.use = .queries
        // Must not happen; if it does, the next user must not stand in another's transaction.
        if connection.state == .ready, !connection.isIdle || !connection.isOutsideTransaction {
            connection.reset()
        }
        serveReservations()
        dispatchAtEndOfTurn()
    }

    /// Gives connections to the transactions that wait, leaving at least one to the queries if
    /// there are several. A connection first stops taking queries and is handed over once idle.
    private func serveReservations() {
        var draining = connections.count { $0.use == .draining }
        while draining < reservations.count, let connection = reservable() {
            connection.use = .draining
            draining += 1
        }
        for connection in connections where connection.use == .draining {
            if draining > reservations.count {
                connection.use = .queries
                draining -= 1
            } else if connection.state == .ready, connection.isIdle {
                connection.use = .transaction
                draining -= 1
                reservations.removeFirst().finish(
                    .success(ReservedConnection(connection: connection)))
            }
        }
    }

    private func reservable() -> Connection? {
        let limit = max(1, connections.count - 1)
        guard connections.count(where: { $0.use != .queries }) < limit else { return nil }
        let candidates = connections.filter { $0.state == .ready && $0.use == .queries }
        return candidates.first { $0.isIdle } ?? candidates.first
    }

    // MARK: Waiting

    /// Both queues are in the order of their times, so their heads say when the first one expires.
    private func armQueueDeadline() {
        let heads = [waiting.first?.queuedAt, reservations.first?.queuedAt].compactMap { $0 }
        guard let oldest = heads.min() else { return queueDeadline.clear() }
        let left = configuration.acquisitionTimeout - (loop.now - oldest)
        queueDeadline.set(after: max(left, .milliseconds(1)))
    }

    private func expireWaiting() {
        let error = outage ?? PostgresError(.acquisitionTimeout)
        func isExpired(_ time: MonotonicTime) -> Bool {
            loop.now - time >= configuration.acquisitionTimeout
        }
        while let query = waiting.first, isExpired(query.queuedAt) {
            waiting.removeFirst()
            query.finish(.failure(error))
        }
        while let reservation = reservations.first, isExpired(reservation.queuedAt) {
            reservations.removeFirst()
            reservation.finish(.failure(error))
        }
        serveReservations()
        armQueueDeadline()
    }

    private func failWaiting(_ error: PostgresError) {
        for query in waiting { query.finish(.failure(error)) }
        for reservation in reservations { reservation.finish(.failure(error)) }
        waiting = []
        reservations = []
    }
}

extension PostgresPool: ConnectionOwner {
    func connectionIsReady(_ connection: Connection) {
        if outage != nil { logger.notice("PostgreSQL is back") }
        outage = nil
        reconnectDelay = configuration.reconnectDelays.lowerBound
        // The others need not wait for the end of their pauses.
        for timer in reconnectTimers.values { timer.cancel() }
        reconnectTimers = [:]
        for other in connections where other.state == .down { other.connect() }
        serveReservations()
        dispatchAtEndOfTurn()
    }

    func connectionIsIdle(_ connection: Connection) {
        if !reservations.isEmpty { serveReservations() }
        dispatchAtEndOfTurn()
    }

    func connectionReturned(_ query: PendingQuery) {
        waiting.prepend(query)
        armQueueDeadline()
        dispatchAtEndOfTurn()
    }

    func connectionWasLost(
        _ connection: Connection, _ error: PostgresError, wasReady: Bool,
        unanswered: [PendingQuery]
    ) {
        // A transaction that has it gets an error with its next statement, and releases it then.
        if connection.use == .draining { connection.use = .queries }
        if outage == nil, !isClosed {
            logger.warning("PostgreSQL connection lost: \(error.debugDescription)")
        }
        // A connection that broke may be made anew in a moment: queries wait for that. Only when an
        // attempt has failed are they refused at once.
        if !wasReady, !connections.contains(where: { $0.state == .ready }) {
            outage = PostgresError(.unavailable, detail: error.debugDescription)
        }
        for query in unanswered.reversed() {
            if query.mayRepeatAfterLoss() {
                waiting.prepend(query)
            } else {
                query.finish(.failure(query.lossError))
            }
        }
        scheduleReconnect(connection)
        serveReservations()
        dispatchAtEndOfTurn()
        armQueueDeadline()
    }

    private func scheduleReconnect(_ connection: Connection) {
        guard !isClosed else { return }
        let key = ObjectIdentifier(connection)
        let delay = reconnectDelay
        reconnectDelay = min(delay * 2, configuration.reconnectDelays.upperBound)
        // A little apart from one another, so that many servers do not return all at once.
        let spread = delay * Double.random(in: 0.75...1)
        reconnectTimers[key] = loop.schedule(after: spread) { [weak self, weak connection] in
            self?.reconnectTimers[key] = nil
            connection?.connect()
        }
    }
}

/// A transaction's wait for a connection.
private final class Reservation {
    typealias Outcome = Result<ReservedConnection, PostgresError>

    let queuedAt: MonotonicTime
    private var continuation: UnsafeContinuation<Outcome, Never>?

    init(queuedAt: MonotonicTime, continuation: UnsafeContinuation<Outcome, Never>) {
        self.queuedAt = queuedAt
        self.continuation = continuation
    }

    func finish(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}

// @unchecked: made and used on one loop, whose continuation carries it.
private struct ReservedConnection: @unchecked Sendable {
    let connection: Connection
}
