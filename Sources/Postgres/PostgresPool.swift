import DequeModule
import Logging
import Sockets

/// A loop's connections to PostgreSQL, and the queries and transactions that wait for one.
///
/// Every connection serves one or more `Lane`s. The queries of a turn are sent together at its end,
/// to an idle connection of their lane. While all of these are busy, queries gather, and are sent
/// as the next batch. So the busier the pool is, the larger its batches are, and the fewer system
/// calls and process switches each query costs. A transaction has a connection to itself. The
/// number of waiting queries and transactions is bounded, and so is the time that each may wait.
///
/// Confined to its loop: the async members must be called by a task that runs there.
// @unchecked: every member begins by checking that it runs on the loop.
public final class PostgresPool: EndOfTurnHandler, @unchecked Sendable {
    public let loop: EventLoop
    private let configuration: PostgresConfiguration
    private let logger: Logger
    /// An SQL expression: the timeline of a primary, eight hexadecimal digits. The name of a segment
    /// begins with it. Unlike the control file's, it is the present one, and is found in memory. On a
    /// standby it is an error.
    public static let timeline = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)"

    /// The largest timeline that a primary was on. Each promotion begins a larger one.
    private var newestTimeline: String?
    private var connections: [PostgresConnection] = []
    /// The waiting queries and transactions, by lane, in the order in which they will be served.
    private var queues = Lane.allCases.map { _ in Deque<Waiter>() }
    private var reconnectDelay: Duration
    /// The writes that no one waits for, and that have no outcome yet.
    private var inBackground: Set<Statement> = []
    private var reconnectTimers: [ObjectIdentifier: LoopTimer] = [:]
    /// Why there is no connection. Set from the last failed attempt to connect until one succeeds.
    private(set) var outage: PostgresError?
    private var isClosed = false
    private var awaitsTurnEnd = false
    private let times: StatementTimes
    private var events = PoolStatistics()
    private let longReads: LongReads
    private var longReadTurn = LongReadTurn.none
    private lazy var queueDeadline = Deadline(on: loop) { [weak self] in self?.expireWaiting() }

    /// Makes a pool, which connects when `open()` is called.
    ///
    /// - Parameter longReads: The limit that the pools of a process share.
    /// - Throws: `badConfiguration` if libpq can't read the connection string.
    public init(
        _ configuration: PostgresConfiguration, on loop: EventLoop, logger: Logger,
        longReads: LongReads = LongReads(limit: 1), applicationName: String = "fave-server"
    ) throws(PostgresError) {
        self.longReads = longReads
        self.loop = loop
        self.configuration = configuration
        self.logger = logger
        reconnectDelay = configuration.reconnectDelays.lowerBound
        let times = StatementTimes(slow: configuration.slowStatement, logger: logger)
        self.times = times
        let addresses = AddressBook(
            try ConnectionParameters(configuration, applicationName: applicationName), on: loop)
        connections = (0..<max(1, configuration.connections)).map { _ in
            PostgresConnection(
                on: loop, addresses: addresses, configuration: configuration, times: times,
                owner: self)
        }
    }

    /// Starts connecting. Must be called on the loop.
    public func open() {
        loop.preconditionIsCurrent()
        for connection in connections { connection.connect() }
    }

    /// Drops every connection, and makes new ones: another server may be the primary now. Writes
    /// that were sent fail with `outcomeUnknown`. Must be called on the loop.
    public func reconnect() {
        loop.preconditionIsCurrent()
        for connection in connections where connection.state == .ready { connection.reset() }
    }

    /// Closes the connections. Everything that waits fails with `.closed`. Must be called on the
    /// loop.
    public func close() {
        loop.preconditionIsCurrent()
        isClosed = true
        for timer in reconnectTimers.values { timer.cancel() }
        reconnectTimers = [:]
        for connection in connections { connection.close() }
        if case .used = longReadTurn { endLongRead() }
        takeWaiting { _ in true }.forEach { $0.fail(PostgresError(.closed)) }
    }

    // MARK: Queries

    /// Runs a statement with its parameters bound.
    ///
    /// A read whose connection breaks is retried once, but not if the connection was closed because
    /// no answer came in time. A write that fails because of another transaction is repeated as a
    /// transaction is: PostgreSQL has rolled it back. Cancelling the task drops a query that waits
    /// behind others. It doesn't stop a statement that was sent, whose time is bounded by
    /// `statementTimeout`.
    ///
    /// - Parameter write: A statement to execute first, in the same transaction and the same round
    ///   trip. If it fails, so does the query.
    /// - Returns: The rows of `statement`, decoded lazily, which may be read on any thread.
    @discardableResult
    public func query(
        _ statement: Statement, _ parameters: [PostgresParameter] = [],
        after write: BoundStatement? = nil
    ) async throws(PostgresError) -> Rows {
        loop.preconditionIsCurrent()
        return try await StatementSpan.around(statement) { () async throws(PostgresError) in
            guard write != nil || statement.effect.isWrite else {
                return try await run(statement, parameters)
            }
            // A conflict with a constraint's name is the statement's own, as when a list isn't in the
            // version that the statement names. It would be the same again.
            return try await repeating({ $0.constraint == nil }) { () async throws(PostgresError) in
                try await run(statement, parameters, after: write)
            }
        }
    }

    /// Runs a write that no one waits for, and forgets its outcome. Nothing is done if the last one of
    /// the same statement has no outcome yet, so that these can't keep other writes from a connection.
    public func runInBackground(_ statement: Statement, _ parameters: [PostgresParameter]) {
        loop.preconditionIsCurrent()
        guard inBackground.insert(statement).inserted else { return }
        // Its place is before what is asked for next.
        Task.immediate(executorPreference: loop) {
            _ = try? await self.query(statement, parameters)
            self.inBackground.remove(statement)
        }
    }

    /// Runs a read, but only for what its gate says about the server: `gateClosed` is thrown unless
    /// that is true.
    ///
    /// - Parameter gate: A read that returns one boolean. It is sent before `statement` on the same
    ///   connection, once for all reads of a batch that have it in common.
    public func query(
        _ statement: Statement, _ parameters: [PostgresParameter], behind gate: BoundStatement
    ) async throws(PostgresError) -> Rows {
        loop.preconditionIsCurrent()
        precondition(!statement.effect.isWrite, "a write can't be thrown away")
        return try await StatementSpan.around(statement) { () async throws(PostgresError) in
            try await run(statement, parameters, behind: gate)
        }
    }

    private func run(
        _ statement: Statement, _ parameters: [PostgresParameter],
        after write: BoundStatement? = nil, behind gate: BoundStatement? = nil
    ) async throws(PostgresError) -> Rows {
        let query = PendingQuery(statement, parameters, after: write, behind: gate, at: loop.now)
        let lane = query.lane
        guard !queues[lane.rawValue].isEmpty else {
            return try await outcome(of: query, in: lane).get()
        }
        // Others are waiting, too. A query whose task was cancelled must not keep them waiting.
        nonisolated(unsafe) let waiting = query
        return try await withTaskCancellationHandler {
            await outcome(of: query, in: lane)
        } onCancel: {
            loop.execute { self.abandon(waiting, in: lane) }
        }.get()
    }

    private func outcome(of query: PendingQuery, in lane: Lane) async -> PendingQuery.Outcome {
        await withUnsafeContinuation { continuation in
            query.resumption = Resumption(continuation)
            // A cancellation that came before this found nothing to abandon.
            if Task.isCancelled, !queues[lane.rawValue].isEmpty {
                return query.finish(.failure(PostgresError(.cancelled)))
            }
            enqueue(.query(query), in: lane)
        }
    }

    /// Fails a query whose task was cancelled, unless the query was already sent.
    private func abandon(_ query: PendingQuery, in lane: Lane) {
        let index = queues[lane.rawValue].firstIndex {
            if case .query(query) = $0 { true } else { false }
        }
        guard let index, query.abandon() else { return }
        queues[lane.rawValue].remove(at: index)
    }

    private func enqueue(_ waiter: Waiter, in lane: Lane) {
        if let refusal = refusal(in: lane) { return waiter.fail(refusal) }
        queues[lane.rawValue].append(waiter)
        if !queueDeadline.isSet { queueDeadline.set(after: configuration.acquisitionTimeout) }
        dispatchAtEndOfTurn()
    }

    /// Why another query or transaction can't wait in the lane; `nil` if it can.
    private func refusal(in lane: Lane) -> PostgresError? {
        if isClosed { return PostgresError(.closed) }
        if let outage, !connections.contains(where: { $0.state == .ready }) { return outage }
        guard queues[lane.rawValue].count >= configuration.queueLimit else { return nil }
        events.rejections += 1
        return PostgresError(.queueFull)
    }

    private func dispatchAtEndOfTurn() {
        if queues.contains(where: { !$0.isEmpty }) { dispatch() }
    }

    private func dispatch() {
        guard !awaitsTurnEnd else { return }
        awaitsTurnEnd = true
        loop.atEndOfTurn(self)
    }

    public func turnEnds() {
        awaitsTurnEnd = false
        for connection in connections where isFree(connection) {
            if let lane = longestWaiting(of: connection.lanes) { serve(lane, by: connection) }
        }
        // The granted turn was not used: the long read is gone, or has no connection now. Other
        // pools may have the turn.
        if case .granted = longReadTurn { endLongRead() }
    }

    private func isFree(_ connection: PostgresConnection) -> Bool {
        connection.state == .ready && !connection.isReserved && connection.isIdle
    }

    private func longestWaiting(of lanes: [Lane]) -> Lane? {
        let waiting = lanes.compactMap { lane -> (Lane, MonotonicTime)? in
            guard let first = queues[lane.rawValue].first else { return nil }
            guard lane != .longReads || mayReadLong() else { return nil }
            return (lane, first.wait.start)
        }
        return waiting.min { $0.1 < $1.1 }?.0
    }

    // MARK: Long reads

    private enum LongReadTurn {
        case none, awaited, granted
        case used(by: PostgresConnection)
    }

    /// Whether a long read may be sent now. If not, this pool waits in line for its turn.
    private func mayReadLong() -> Bool {
        if case .none = longReadTurn {
            let isTaken = longReads.take { [weak self, loop, longReads] in
                loop.execute { [weak self] in
                    guard let self else { return longReads.end() }
                    self.longReadTurn = .granted
                    self.isClosed ? self.endLongRead() : self.dispatch()
                }
            }
            longReadTurn = isTaken ? .granted : .awaited
        }
        return if case .granted = longReadTurn { true } else { false }
    }

    private func endLongRead() {
        longReadTurn = .none
        longReads.end()
    }

    /// Ends the long read's turn if this connection was running the long read.
    private func noteEnd(of connection: PostgresConnection) {
        if case .used(let user) = longReadTurn, user === connection { endLongRead() }
    }

    private func serve(_ lane: Lane, by connection: PostgresConnection) {
        if lane == .longReads { longReadTurn = .used(by: connection) }
        if case .transaction(let reservation)? = queues[lane.rawValue].first {
            queues[lane.rawValue].removeFirst()
            connection.isReserved = true
            times.recordWait(loop.now - reservation.wait.start)
            reservation.finish(.success(ReservedConnection(connection: connection)))
        } else {
            connection.send(nextBatch(of: lane))
        }
    }

    /// How many queries to send together. A write delays the answers of those behind it while it
    /// waits for a lock or for the disk, and asynchronous ones before it, which share a flush with
    /// it. So does a long read while it runs. It is better for those behind it to wait for the
    /// connection that becomes idle first.
    private func batchSize(of lane: Lane) -> Int {
        switch lane {
        case .shortReads: return configuration.batchSize
        case .longReads: return 1
        case .writes:
            let idle = connections.count { isFree($0) && $0.lanes.contains(lane) }
            let share = (queues[lane.rawValue].count + idle - 1) / max(1, idle)
            return min(share, configuration.writeBatchSize)
        }
    }

    /// Takes the next batch off the queue. Equal reads that wait together are sent as one. All of
    /// them arrived before it is sent, so what it sees is recent enough for each of them. No result
    /// is kept beyond the batch.
    private func nextBatch(of lane: Lane) -> [PendingQuery] {
        let size = batchSize(of: lane)
        var batch: [PendingQuery] = []
        var leaders: [PendingQuery.Question: PendingQuery] = [:]
        while case .query(let query)? = queues[lane.rawValue].first {
            let question = configuration.sharesReads ? query.question : nil
            let leader = question.flatMap { leaders[$0] }
            guard leader != nil || batch.count < size else { break }
            queues[lane.rawValue].removeFirst()
            if let leader {
                leader.lead(query)
                continue
            }
            if let question { leaders[question] = query }
            times.recordWait(loop.now - query.wait.start)
            query.willBeSent(at: loop.now)
            batch.append(query)
        }
        return batch
    }

    // MARK: Transactions

    /// Runs `body` in a transaction on a connection of its own, and commits if `body` returns.
    ///
    /// If the transaction fails because of another one (a deadlock or a serialization failure), it
    /// is retried after a moment, up to three attempts in all. So `body` must change nothing but
    /// the database.
    ///
    /// - Throws: Any error that `body` throws, after rolling back; `PostgresError` otherwise.
    public func withTransaction<Result>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        try await repeating { try await runTransaction(body) }
    }

    /// Runs `body`, and again after a moment if it fails because of another transaction, up to three
    /// times in all.
    private func repeating<Result, Failure: Error>(
        _ condition: (PostgresError) -> Bool = { _ in true },
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        var attempt = 1
        while true {
            do {
                return try await body()
            } catch {
                guard attempt < 3, let conflict = error as? PostgresError,
                    conflict.isRetryableConflict, condition(conflict)
                else { throw error }
                // The other transaction must wake up before it can go on. A retry without a pause
                // would often take the same lock before that, and fail again.
                let pause = Int.random(in: 10...30) * attempt * attempt
                try? await Task.sleep(for: .milliseconds(pause))
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
        do {
            let result = try await body(transaction)
            try await transaction.commit()
            return result
        } catch {
            await transaction.rollBack()
            throw error
        }
    }

    private func reserve() async throws(PostgresError) -> PostgresConnection {
        loop.preconditionIsCurrent()
        let outcome = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Reservation.Outcome, Never>) in
            enqueue(
                .transaction(Reservation(at: loop.now, continuation: continuation)), in: .writes)
        }
        return try outcome.get().connection
    }

    private func release(_ connection: PostgresConnection) {
        connection.isReserved = false
        // This should never happen. If it does, the next user must not end up in this transaction.
        if connection.state == .ready, !connection.isIdle || !connection.isOutsideTransaction {
            connection.reset()
        }
        dispatchAtEndOfTurn()
    }

    // MARK: Statistics

    /// What the pool is doing at this moment. Must be called on the loop.
    public var statistics: PoolStatistics {
        loop.preconditionIsCurrent()
        var statistics = events
        let ready = connections.filter { $0.state == .ready }
        statistics.idle = ready.count(where: isFree)
        statistics.used = ready.count - statistics.idle
        statistics.maximum = connections.count
        statistics.waiting = Lane.allCases.map { ("\($0)", queues[$0.rawValue].count) }
        return statistics
    }

    // MARK: Waiting

    /// Removes everything that satisfies the condition from the queues.
    private func takeWaiting(where condition: (Waiter) -> Bool) -> [Waiter] {
        var taken: [Waiter] = []
        for lane in queues.indices {
            taken += queues[lane].filter(condition)
            queues[lane].removeAll(where: condition)
        }
        return taken
    }

    private func expireWaiting() {
        let limit = configuration.acquisitionTimeout
        let error = outage ?? PostgresError(.acquisitionTimeout)
        let expired = takeWaiting { loop.now - $0.wait.start >= limit }
        events.timeouts += expired.count
        expired.forEach { $0.fail(error) }
        guard let oldest = queues.joined().map(\.wait.start).min() else { return }
        queueDeadline.set(after: max(limit - (loop.now - oldest), .milliseconds(1)))
    }
}

extension PostgresPool: ConnectionOwner {
    func mayUse(_ connection: PostgresConnection, onTimeline timeline: String) -> Bool {
        guard let newest = newestTimeline else {
            newestTimeline = timeline
            return true
        }
        guard timeline > newest else { return timeline == newest }
        // What the other connections lead to is not the primary any more.
        newestTimeline = timeline
        reconnect()
        return true
    }

    func connectionIsReady(_ connection: PostgresConnection) {
        events.connects += 1
        if outage != nil { logger.notice("\(configuration.serverName) is back") }
        outage = nil
        reconnectDelay = configuration.reconnectDelays.lowerBound
        // PostgreSQL can be reached, so the other connections needn't wait for their pauses to end.
        for timer in reconnectTimers.values { timer.cancel() }
        reconnectTimers = [:]
        for other in connections where other.state == .down { other.connect() }
        shareLanes()
        dispatchAtEndOfTurn()
    }

    func connectionIsIdle(_ connection: PostgresConnection) {
        noteEnd(of: connection)
        dispatchAtEndOfTurn()
    }

    func connectionWasLost(
        _ connection: PostgresConnection, _ error: PostgresError, _ loss: ConnectionLoss,
        unanswered: [PendingQuery]
    ) {
        noteEnd(of: connection)
        events.losses += 1
        if outage == nil, !isClosed {
            logger.warning(
                "\(configuration.serverName) connection lost: \(error.debugDescription)")
        }
        // A broken connection may be back in a moment, and queries wait for that. They are rejected
        // at once only after an attempt to connect has failed.
        if loss == .wasNotMade, !connections.contains(where: { $0.state == .ready }) {
            outage = PostgresError(.unavailable, detail: error.debugDescription)
        }
        for query in unanswered.reversed() {
            // A query isn't retried if its connection was silent: the next one is likely to be
            // silent, too.
            if loss == .broke, query.waitsAgainAfterLoss(at: loop.now) {
                queues[query.lane.rawValue].prepend(.query(query))
            } else {
                query.finish(.failure(query.lossError))
            }
        }
        expireWaiting()
        scheduleReconnect(connection)
        // The idle connections may be silent, too, which would only be noticed one after the other.
        // If they aren't, replacing them costs little.
        if loss == .wasSilent {
            for other in connections where isFree(other) { other.reset() }
        }
        shareLanes()
        dispatchAtEndOfTurn()
    }

    /// Assigns lanes to the connections that are ready, since PostgreSQL may allow fewer than are
    /// configured. Those that transactions have reserved come last, so they get the writes.
    private func shareLanes() {
        let ready = connections.filter { $0.state == .ready }
        let ordered = ready.filter { !$0.isReserved } + ready.filter(\.isReserved)
        for (connection, lanes) in zip(ordered, Lane.shares(of: ready.count)) {
            connection.lanes = lanes
        }
    }

    private func scheduleReconnect(_ connection: PostgresConnection) {
        guard !isClosed else { return }
        let key = ObjectIdentifier(connection)
        let delay = reconnectDelay
        reconnectDelay = min(delay * 2, configuration.reconnectDelays.upperBound)
        // The random spread keeps many servers from reconnecting all at once.
        let spread = delay * Double.random(in: 0.75...1)
        reconnectTimers[key] = loop.schedule(after: spread) { [weak self, weak connection] in
            self?.reconnectTimers[key] = nil
            connection?.connect()
        }
    }
}

/// A query or a transaction that waits for a connection.
private enum Waiter {
    case query(PendingQuery)
    case transaction(Reservation)

    var wait: Wait {
        switch self {
        case .query(let query): query.wait
        case .transaction(let reservation): reservation.wait
        }
    }

    func fail(_ error: PostgresError) {
        switch self {
        case .query(let query): query.finish(.failure(error))
        case .transaction(let reservation): reservation.finish(.failure(error))
        }
    }
}

/// A transaction's wait for a connection.
private final class Reservation {
    typealias Outcome = Result<ReservedConnection, PostgresError>

    let wait: Wait
    private var resumption: Resumption<Outcome>

    init(at now: MonotonicTime, continuation: UnsafeContinuation<Outcome, Never>) {
        wait = Wait(since: now)
        resumption = Resumption(continuation)
    }

    func finish(_ outcome: Outcome) { resumption.resume(returning: outcome) }
}

// @unchecked: it is made and used on one loop, and only passes through a continuation.
private struct ReservedConnection: @unchecked Sendable {
    let connection: PostgresConnection
}
