public import Logging
public import Sockets

/// A loop's connections to PostgreSQL, and the queries and transactions that wait for one.
///
/// Every connection serves one or more `Lane`s. The queries of a turn are sent together at its end,
/// to an idle connection of their lane. While all of these are busy, queries collect and are sent
/// as the next batch. So a busier pool has larger batches, and each query costs fewer system calls
/// and process switches. A transaction has a connection to itself. The number of waiting queries
/// and transactions is bounded, and so is the time that each may wait.
///
/// Confined to its loop: the async members must be called by a task that runs there.
// @unchecked: every member begins by checking that it runs on the loop.
public final class PostgresPool: EndOfTurnHandler, @unchecked Sendable {
    public let loop: EventLoop
    private let configuration: PostgresConfiguration
    private let logger: Logger
    /// An SQL expression: the timeline of a primary, eight hexadecimal digits. The name of a
    /// segment begins with it. Unlike the control file's timeline, this one is current and is read
    /// from memory. On a standby the expression fails.
    public static let timeline = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)"

    private var state: PoolState
    private var connections: [PostgresConnection] = []
    /// The pauses of the connections that wait before they connect again.
    private var pauses: [Int: LoopTimer] = [:]
    private var awaitsTurnEnd = false
    /// The writes that no one waits for, and that have no outcome yet.
    private var inBackground: Set<Statement> = []
    private let times: StatementTimes
    private let longReads: LongReads
    /// The pool's number among those that share the connections.
    private var member = 0
    private var growth: LoopTimer?
    private lazy var queueDeadline = Deadline(on: loop) { [weak self] in
        guard let self else { return }
        self.perform(self.state.expire(at: self.loop.now))
    }

    /// Makes a pool that connects when `open()` is called.
    ///
    /// - Parameter longReads: The limit on long reads that all pools of a process share.
    /// - Throws: `badConfiguration` if libpq can't read the connection string.
    public init(
        _ configuration: PostgresConfiguration, on loop: EventLoop, logger: Logger,
        longReads: LongReads = LongReads(limit: 1), applicationName: String = "fave-server"
    ) throws(PostgresError) {
        self.longReads = longReads
        self.loop = loop
        self.configuration = configuration
        self.logger = logger
        state = PoolState(configuration)
        let times = StatementTimes(slow: configuration.slowStatement, logger: logger)
        self.times = times
        let addresses = AddressBook(
            try ConnectionParameters(configuration, applicationName: applicationName), on: loop)
        let batches = BatchCounter()
        connections = (0..<state.connectionCount).map { number in
            PostgresConnection(
                number, on: loop, addresses: addresses, configuration: configuration,
                times: times, batches: batches, owner: self)
        }
        member = configuration.shares.join(wanting: state.connectionCount) { [weak self, loop] in
            loop.execute { [weak self] in self?.shareChanged() }
        }
    }

    /// Starts connecting. Must be called on the loop.
    public func open() {
        loop.preconditionIsCurrent()
        perform(state.open())
        noteConnections()
    }

    /// Replaces every connection, because another server may be the primary now. Writes that were
    /// already sent fail with `outcomeUnknown`. Must be called on the loop.
    public func reconnect() {
        loop.preconditionIsCurrent()
        perform(state.resetAll())
    }

    /// Closes the connections. All waiting queries and transactions fail with `.closed`. Must be
    /// called on the loop.
    public func close() {
        loop.preconditionIsCurrent()
        let actions = state.close()
        for timer in pauses.values { timer.cancel() }
        pauses = [:]
        growth?.cancel()
        growth = nil
        for connection in connections { connection.close() }
        perform(actions)
        noteConnections()
    }

    // MARK: Queries

    /// Runs a statement with its parameters bound.
    ///
    /// A read whose connection breaks is retried once, but not if the connection was closed because
    /// no response came in time. A write that fails because of another transaction is retried like
    /// a transaction, because PostgreSQL has rolled it back. Cancelling the task drops a query that
    /// waits behind others. It doesn't stop a statement that was already sent; `statementTimeout`
    /// bounds its time.
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
        guard write != nil || statement.effect.isWrite else {
            return try await run(statement, parameters)
        }
        // A conflict that names a constraint comes from the statement itself, for example when a
        // list isn't in the version that the statement names. A retry would fail in the same way.
        return try await repeating({ $0.constraint == nil }) { () async throws(PostgresError) in
            try await run(statement, parameters, after: write)
        }
    }

    /// Runs a read without the cost of a task.
    ///
    /// - Parameter done: Called on the loop with the rows, after the code that is running now.
    public func read(
        _ statement: Statement, _ parameters: [PostgresParameter],
        done: @escaping @Sendable (Result<Rows, PostgresError>) -> Void
    ) {
        loop.preconditionIsCurrent()
        precondition(!statement.effect.isWrite, "writes are retried, which takes a task")
        let query = PendingQuery(statement, parameters)
        // Deferred, because the connection is in the middle of its results.
        query.resumption = Resumption { [loop] outcome in loop.deferred { done(outcome) } }
        wait(query)
    }

    /// Runs a write that no one waits for, and ignores its outcome. Does nothing while an earlier
    /// run of the same statement has no outcome yet, so such writes can't take all connections from
    /// others.
    public func runInBackground(_ statement: Statement, _ parameters: [PostgresParameter]) {
        loop.preconditionIsCurrent()
        guard inBackground.insert(statement).inserted else { return }
        // The task starts at once, so this write comes before later queries.
        Task.immediate(executorPreference: loop) {
            _ = try? await self.query(statement, parameters)
            self.inBackground.remove(statement)
        }
    }

    private func run(
        _ statement: Statement, _ parameters: [PostgresParameter],
        after write: BoundStatement? = nil
    ) async throws(PostgresError) -> Rows {
        let query = PendingQuery(statement, parameters, after: write)
        guard state.isWaiting(in: query.lane) else { return try await outcome(of: query).get() }
        // Other queries are waiting, too. A query whose task was cancelled must not delay them.
        nonisolated(unsafe) let waiting = query
        return try await withTaskCancellationHandler {
            await outcome(of: query)
        } onCancel: {
            loop.execute { unsafe self.cancel(waiting) }
        }.get()
    }

    private func outcome(of query: PendingQuery) async -> PendingQuery.Outcome {
        await Resumption.outcome { resumption in
            query.resumption = resumption
            // A cancellation that came before this found nothing to remove.
            if Task.isCancelled, state.isWaiting(in: query.lane) {
                query.finish(.failure(PostgresError(.cancelled)))
            } else {
                wait(query)
            }
        }
    }

    private func wait(_ query: PendingQuery) {
        if let refusal = state.enqueue(query, at: loop.now) {
            query.finish(.failure(refusal))
        } else {
            settle()
        }
    }

    /// Fails a query whose task was cancelled, unless the query was already sent.
    private func cancel(_ query: PendingQuery) {
        if state.cancel(query) { query.finish(.failure(PostgresError(.cancelled))) }
    }

    // MARK: Leases

    /// Waits for a connection of its own. Nothing else uses it until it is released.
    func lease() async throws(PostgresError) -> PostgresConnection {
        loop.preconditionIsCurrent()
        let outcome = await Resumption.outcome { resumption in
            let lease = PendingLease(resumption)
            if let refusal = state.enqueue(lease, at: loop.now) {
                lease.finish(.failure(refusal))
            } else {
                settle()
            }
        }
        return try outcome.get().connection
    }

    func release(_ connection: PostgresConnection) {
        let isClean = connection.isIdle && connection.isOutsideTransaction
        perform(state.release(connection.number, isClean: isClean))
    }

    // MARK: Statistics

    /// The pool's current state. Must be called on the loop.
    public var statistics: PoolStatistics {
        loop.preconditionIsCurrent()
        return state.statistics
    }

    /// Why there is no connection, as long as connecting fails.
    var outage: PostgresError? { state.outage }

    // MARK: Shares

    private func noteConnections() {
        configuration.shares.note(
            member, ready: state.readyCount, connecting: state.connectingCount, at: loop.now)
    }

    private func shareChanged() {
        perform(state.shareChanged(to: configuration.shares.share(of: member)))
        noteConnections()
        tryMoreLater()
    }

    /// Tries one more connection from time to time, until the pool has as many as it wants.
    private func tryMoreLater() {
        guard growth == nil, !state.isClosed, state.share < state.connectionCount else { return }
        growth = loop.schedule(after: ConnectionDivision.tryInterval) { [weak self] in
            guard let self else { return }
            self.growth = nil
            self.configuration.shares.tryMore(at: self.loop.now)
            self.tryMoreLater()
        }
    }

    // MARK: Actions

    public func turnEnds() {
        awaitsTurnEnd = false
        while let action = state.next(at: loop.now) { perform(action) }
    }

    private func perform(_ actions: [PoolState.Action]) {
        for action in actions { perform(action) }
        settle()
    }

    private func perform(_ action: PoolState.Action) {
        switch action {
        case .connect(let number):
            pauses.removeValue(forKey: number)?.cancel()
            connections[number].connect()
        case .pause(let number, let delay):
            // The random spread prevents many servers from reconnecting all at once.
            let spread = delay * Double.random(in: 0.75...1)
            pauses[number] = loop.schedule(after: spread) { [weak self] in
                guard let self else { return }
                self.perform(self.state.pauseHasEnded(of: number))
                self.noteConnections()
            }
        case .reset(let number): connections[number].reset()
        case .replace(let number): connections[number].replace()
        case .send(let batch, on: let number):
            for query in batch { times.recordWait(loop.now - query.wait.start) }
            connections[number].send(batch)
        case .lease(let number, to: let lease, since: let start):
            times.recordWait(loop.now - start)
            lease.finish(.success(LeasedConnection(connection: connections[number])))
        case .fail(.query(let query), let error): query.finish(.failure(error))
        case .fail(.lease(let lease, _), let error): lease.finish(.failure(error))
        case .awaitLongRead: awaitLongRead()
        case .endLongRead: longReads.end()
        }
    }

    private func awaitLongRead() {
        let isGranted = longReads.take { [weak self, loop, longReads] in
            loop.execute { [weak self] in
                guard let self else { return longReads.end() }
                self.longReadIsGranted()
            }
        }
        if isGranted { longReadIsGranted() }
    }

    private func longReadIsGranted() {
        if let action = state.longReadIsGranted() { perform(action) }
        settle()
    }

    /// Makes sure that waiting queries and transactions are served at the end of the turn, or given
    /// up in time.
    private func settle() {
        guard state.isWaiting else { return }
        if let expiry = state.expiry { queueDeadline.set(atLatest: expiry) }
        guard !awaitsTurnEnd else { return }
        awaitsTurnEnd = true
        loop.atEndOfTurn(self)
    }
}

extension PostgresPool: ConnectionOwner {
    func mayUse(_ connection: PostgresConnection, onTimeline timeline: String) -> Bool {
        guard let actions = state.found(timeline) else { return false }
        perform(actions)
        return true
    }

    func connectionIsReady(_ connection: PostgresConnection) {
        if state.outage != nil { logger.notice("PostgreSQL is back") }
        perform(state.connectionIsReady(connection.number))
        noteConnections()
    }

    func connectionIsIdle(_ connection: PostgresConnection) {
        perform(state.connectionIsIdle(connection.number))
    }

    func connectionIsSpoiled(_ connection: PostgresConnection, _ fault: SessionFault) {
        perform(state.connectionIsSpoiled(connection.number, fault, at: loop.now))
    }

    func connectionWasLost(
        _ connection: PostgresConnection, _ error: PostgresError, _ loss: ConnectionLoss,
        pending: [SharedQuery]
    ) {
        // A refused attempt is only one of several, and the first one says so.
        let isRefused = error.sqlState == SQLState.tooManyConnections
        if state.outage == nil, !state.isClosed, loss != .wasReplaced, !isRefused {
            logger.warning("PostgreSQL connection lost: \(error.debugDescription)")
        }
        perform(
            state.connectionWasLost(
                connection.number, error, loss, pending: pending, at: loop.now))
        noteConnections()
        if isRefused, configuration.shares.wasRefused(at: loop.now) {
            logger.warning(
                """
                PostgreSQL allows no more connections, so the loops share what \
                there is: \(error.debugDescription)
                """)
        }
    }
}
