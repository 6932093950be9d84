import Sockets

/// The state machine of a pool, without its connections, its clock and the tasks that wait.
/// Queries, transactions and the events of the connections go in, and actions come out. It decides
/// which connection serves which query, which queries wait and for how long, which are given up,
/// and when to connect.
///
/// The connections are numbered from 0. An action must be carried out before the next event, except
/// the events that follow from carrying it out. Whenever `isWaiting` is true after an event, the
/// caller must call `next(at:)` once the turn ends, until that returns `nil`.
struct PoolState {
    enum Action {
        case connect(Int)
        /// Call `pauseHasEnded(of:)` after this pause, unless `connect` comes first for the
        /// connection.
        case pause(Int, Duration)
        /// Break the connection, which is ready.
        case reset(Int)
        /// Close the connection, which nothing uses.
        case replace(Int)
        case send([SharedQuery], on: Int)
        case lease(Int, to: PendingLease, since: MonotonicTime)
        case fail(LaneQueues.Waiter, PostgresError)
        /// Ask for a turn among the pools' long reads, and call `longReadIsGranted()` when it comes.
        case awaitLongRead
        case endLongRead
    }

    private enum LongReadTurn: Equatable {
        case none, awaited, granted
        case used(by: Int)
    }

    private let configuration: PostgresConfiguration
    private var slots: [ConnectionSlot]
    /// How many connections the pool may have. Other pools have the others that PostgreSQL allows.
    private(set) var share: Int
    private var queues = LaneQueues()
    private var longReadTurn = LongReadTurn.none
    private var reconnectDelay: Duration
    /// The largest timeline that a primary was on. Each promotion begins a larger one.
    private var newestTimeline: String?
    private var events = PoolStatistics()
    private(set) var isClosed = false
    /// When the pool last replaced connections because their sessions had a fault.
    private var lastReplacement: MonotonicTime?
    /// Since when PostgreSQL has refused every connection because there are too many.
    private var refusedSince: MonotonicTime?
    /// Why there is no connection. Set from the last failed attempt to connect until one succeeds.
    private(set) var outage: PostgresError?
    /// When to call `expire(at:)`, as long as something waits.
    private(set) var expiry: MonotonicTime?

    init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
        slots = (0..<max(1, configuration.connections)).map { _ in ConnectionSlot() }
        share = slots.count
        reconnectDelay = configuration.reconnectDelays.lowerBound
    }

    var connectionCount: Int { slots.count }

    mutating func open() -> [Action] { connectAll() }

    mutating func close() -> [Action] {
        isClosed = true
        for index in slots.indices { slots[index].change(to: .down) }
        let waiters = queues.take { _ in true }
        let actions = waiters.map { Action.fail($0, PostgresError(.closed)) }
        switch longReadTurn {
        case .granted, .used:
            longReadTurn = .none
            return actions + [.endLongRead]
        case .none, .awaited: return actions
        }
    }

    // MARK: Waiting

    /// Whether something waits for a connection.
    var isWaiting: Bool { !queues.isEmpty }

    func isWaiting(in lane: Lane) -> Bool { queues.count(in: lane) > 0 }

    /// - Returns: Why the query can't wait; `nil` if it does.
    mutating func enqueue(_ query: PendingQuery, at now: MonotonicTime) -> PostgresError? {
        enqueue(.query(SharedQuery(query, since: now)), in: query.lane, at: now)
    }

    /// - Returns: Why the transaction can't wait; `nil` if it does.
    mutating func enqueue(_ lease: PendingLease, at now: MonotonicTime) -> PostgresError? {
        enqueue(.lease(lease, Wait(since: now)), in: .writes, at: now)
    }

    private mutating func enqueue(
        _ waiter: LaneQueues.Waiter, in lane: Lane, at now: MonotonicTime
    ) -> PostgresError? {
        if isClosed { return PostgresError(.closed) }
        if let outage, !hasReadyConnection { return outage }
        guard queues.count(in: lane) < configuration.queueLimit else {
            events.rejections += 1
            return PostgresError(.queueFull)
        }
        queues.append(waiter, in: lane)
        if expiry == nil { expiry = now + configuration.acquisitionTimeout }
        return nil
    }

    /// Removes a query whose task was cancelled.
    ///
    /// - Returns: Whether it was waiting. If not, it was sent, and gets its outcome from there.
    mutating func cancel(_ query: PendingQuery) -> Bool { queues.remove(query) }

    /// Gives up the waits that have lasted too long.
    mutating func expire(at now: MonotonicTime) -> [Action] {
        let limit = configuration.acquisitionTimeout
        let expired = queues.take { $0.start + limit <= now }
        events.timeouts += expired.count
        expiry = queues.oldestStart.map { $0 + limit }
        let error = outage ?? PostgresError(.acquisitionTimeout)
        return expired.map { .fail($0, error) }
    }

    // MARK: Serving

    /// The next action for the free connections; `nil` if there is nothing to do.
    mutating func next(at now: MonotonicTime) -> Action? {
        for index in slots.indices where slots[index].isFree {
            guard let lane = longestWaiting(for: index) else { continue }
            guard lane != .longReads || longReadTurn == .granted else {
                longReadTurn = .awaited
                return .awaitLongRead
            }
            return serve(lane, on: index, at: now)
        }
        // The turn was not used: the long read is gone, or has no connection now. Other pools may
        // have the turn.
        return longReadTurn == .granted ? endLongRead() : nil
    }

    /// The lane that has waited longest, among the connection's lanes that may be served now.
    private func longestWaiting(for index: Int) -> Lane? {
        var longest: (lane: Lane, start: MonotonicTime)?
        for lane in slots[index].lanes {
            guard let start = queues.firstStart(in: lane) else { continue }
            if lane == .longReads, longReadTurn != .none, longReadTurn != .granted { continue }
            if let longest, longest.start <= start { continue }
            longest = (lane, start)
        }
        return longest?.lane
    }

    private mutating func serve(_ lane: Lane, on index: Int, at now: MonotonicTime) -> Action {
        if let (lease, wait) = queues.takeLease(in: lane) {
            slots[index].isLeased = true
            return .lease(index, to: lease, since: wait.start)
        }
        let batch = queues.takeBatch(
            of: batchSize(in: lane), in: lane, sharesReads: configuration.sharesReads, at: now)
        if lane == .longReads { longReadTurn = .used(by: index) }
        slots[index].isBusy = true
        return .send(batch, on: index)
    }

    /// How many queries to send together. A write that waits for a lock or for the disk delays the
    /// responses of the queries behind it, and of the asynchronous writes before it, which share a
    /// flush with it. So does a long read while it runs. It is better for the queries behind it to
    /// wait for the connection that becomes idle first.
    private func batchSize(in lane: Lane) -> Int {
        switch lane {
        case .shortReads: return configuration.batchSize
        case .longReads: return 1
        case .writes:
            let free = max(1, slots.count { $0.isFree && $0.lanes.contains(lane) })
            let share = (queues.count(in: lane) + free - 1) / free
            return min(share, configuration.writeBatchSize)
        }
    }

    /// The transaction that had the connection is over.
    ///
    /// - Parameter isClean: Whether the connection is idle and outside a transaction.
    mutating func release(_ index: Int, isClean: Bool) -> [Action] {
        slots[index].isLeased = false
        // This should never happen. If it does, the next user must not end up in this transaction.
        return isClean || slots[index].status != .ready ? replaceUnused() : [.reset(index)]
    }

    // MARK: Long reads

    /// The pool's turn has come.
    mutating func longReadIsGranted() -> Action? {
        longReadTurn = .granted
        return isClosed || !isWaiting(in: .longReads) ? endLongRead() : nil
    }

    private mutating func endLongRead() -> Action {
        longReadTurn = .none
        return .endLongRead
    }

    /// Ends the long read's turn if this connection was running the long read.
    private mutating func endLongRead(on index: Int) -> Action? {
        longReadTurn == .used(by: index) ? endLongRead() : nil
    }

    // MARK: Connections

    private var hasReadyConnection: Bool { slots.contains { $0.status == .ready } }

    /// A connection has found a server, which is a primary on this timeline.
    ///
    /// - Returns: `nil` if the server must not be used.
    mutating func found(_ timeline: String) -> [Action]? {
        guard let newest = newestTimeline else {
            newestTimeline = timeline
            return []
        }
        guard timeline > newest else { return timeline == newest ? [] : nil }
        // The other connections no longer lead to the primary.
        newestTimeline = timeline
        return resetAll()
    }

    /// Drops every connection, and makes new ones.
    func resetAll() -> [Action] {
        slots.indices.filter { slots[$0].status == .ready }.map { .reset($0) }
    }

    mutating func connectionIsReady(_ index: Int) -> [Action] {
        events.connects += 1
        slots[index].change(to: .ready)
        outage = nil
        refusedSince = nil
        reconnectDelay = configuration.reconnectDelays.lowerBound
        shareLanes()
        // PostgreSQL can be reached, so the other connections needn't wait for their pauses to end.
        return replaceUnused() + connectAll()
    }

    /// Everything that was sent has been completed.
    mutating func connectionIsIdle(_ index: Int) -> [Action] {
        slots[index].isBusy = false
        let replacements = replaceUnused()
        return endLongRead(on: index).map { [$0] + replacements } ?? replacements
    }

    /// A connection's session has a fault that a new session may not have. It is replaced once nothing
    /// uses it, and so are the others that probably have the fault, too. If the fault remains, for
    /// example because the database is read-only, that is in vain each time. So there is a least time
    /// between two replacements.
    mutating func connectionIsSpoiled(
        _ index: Int, _ fault: SessionFault, at now: MonotonicTime
    ) -> [Action] {
        if let lastReplacement, now - lastReplacement < configuration.replacementInterval {
            return []
        }
        lastReplacement = now
        // Otherwise, each of the others would first have to fail, too.
        for other in slots.indices where slots[other].status == .ready {
            slots[other].isSpoiled =
                other == index || fault == .isOutdated || slots[other].lanes.contains(.writes)
        }
        return replaceUnused()
    }

    /// The pool may have this many connections now.
    mutating func shareChanged(to share: Int) -> [Action] {
        self.share = max(1, min(share, slots.count))
        return replaceUnused() + connectAll()
    }

    /// Closes the spoiled connections that nothing uses, and as many others as exceed the pool's share.
    private func replaceUnused() -> [Action] {
        guard !isClosed else { return [] }
        var surplus = readyCount - share
        guard surplus > 0 || slots.contains(where: \.isSpoiled) else { return [] }
        let unused = slots.indices.reversed().filter { slots[$0].isFree }
        let spoiled = unused.filter { slots[$0].isSpoiled }
        surplus = max(0, surplus - spoiled.count)
        let others = unused.filter { !slots[$0].isSpoiled }.prefix(surplus)
        return (spoiled + others).map { .replace($0) }
    }

    mutating func connectionWasLost(
        _ index: Int, _ error: PostgresError, _ loss: ConnectionLoss, pending: [SharedQuery],
        at now: MonotonicTime
    ) -> [Action] {
        events.losses += 1
        slots[index].change(to: .down)
        // A broken connection may be back in a moment, and queries wait for that. They are rejected
        // at once only after an attempt to connect has failed.
        if loss == .wasNotMade, !hasReadyConnection, !isMomentary(error, at: now) {
            outage =
                error.code == .unavailable
                ? error : PostgresError(.unavailable, detail: error.debugDescription)
        }
        var actions = endLongRead(on: index).map { [$0] } ?? []
        for query in pending.reversed() {
            var query = query
            // A query isn't retried if its connection was silent: the next one is likely to be
            // silent, too.
            if loss == .broke, query.waitsAgainAfterLoss(at: now) {
                queues.prepend(query)
            } else {
                actions.append(.fail(.query(query), query.lossError))
            }
        }
        actions += expire(at: now)
        if loss == .wasReplaced {
            actions += connect([index])
        } else if !isClosed {
            actions.append(.pause(index, nextDelay()))
        }
        // The idle connections may be silent, too, which would only be noticed one after the other.
        // If they aren't, replacing them costs little.
        if loss == .wasSilent {
            actions += slots.indices.filter { slots[$0].isFree }.map { .reset($0) }
        }
        shareLanes()
        return actions
    }

    /// Whether an attempt to connect was refused because there are too many connections, which may
    /// end in a moment: another pool gives up its surplus.
    private mutating func isMomentary(_ error: PostgresError, at now: MonotonicTime) -> Bool {
        guard error.sqlState == SQLState.tooManyConnections else { return false }
        let since = refusedSince ?? now
        refusedSince = since
        return now - since < configuration.acquisitionTimeout
    }

    /// The pause before the connection's next attempt is over.
    mutating func pauseHasEnded(of index: Int) -> [Action] { connect([index]) }

    private mutating func connectAll() -> [Action] { connect(slots.indices) }

    private mutating func connect(_ indices: some Sequence<Int>) -> [Action] {
        guard !isClosed else { return [] }
        let free = share - slots.count { $0.status != .down }
        return indices.filter { slots[$0].status == .down }.prefix(max(0, free)).map { index in
            slots[index].change(to: .connecting)
            return .connect(index)
        }
    }

    private mutating func nextDelay() -> Duration {
        defer {
            reconnectDelay = min(reconnectDelay * 2, configuration.reconnectDelays.upperBound)
        }
        return reconnectDelay
    }

    /// Assigns lanes to the connections that are ready, because PostgreSQL may allow fewer than are
    /// configured. Connections with a transaction come last, so they get the writes.
    private mutating func shareLanes() {
        let ready = slots.indices.filter { slots[$0].status == .ready }
        let ordered = ready.filter { !slots[$0].isLeased } + ready.filter { slots[$0].isLeased }
        for (index, lanes) in zip(ordered, Lane.shares(of: ready.count)) {
            slots[index].lanes = lanes
        }
    }

    // MARK: Statistics

    var readyCount: Int { slots.count { $0.status == .ready } }

    var connectingCount: Int { slots.count { $0.status == .connecting } }

    var statistics: PoolStatistics {
        var statistics = events
        statistics.idle = slots.count(where: \.isFree)
        statistics.used = readyCount - statistics.idle
        statistics.maximum = slots.count
        statistics.waiting = Lane.allCases.map { ("\($0)", queues.count(in: $0)) }
        return statistics
    }
}
