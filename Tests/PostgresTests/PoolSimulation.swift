import Sockets
import Testing

@testable import Postgres

/// A pool's state among simulated connections, callers and other pools, to which anything may happen
/// at any time. It checks each action, and what must always be true.
struct PoolSimulation {
    /// A query or a transaction, and what has become of it.
    struct Caller {
        enum Stage: Equatable {
            case waiting, sent
            case done(String)
        }

        let query: PendingQuery?
        var stage = Stage.waiting
        var sendings = 0
        /// Whether it was sent as one with others, whose wait counts for it, too.
        var wasShared = false
        /// How long it had waited when its present wait began.
        var waited = Duration.zero
        var waitingSince: MonotonicTime
    }

    /// A connection, as the pool's driver has it.
    struct Connection {
        enum Status: Equatable {
            case down
            case pausing(until: MonotonicTime)
            case connecting, ready
        }

        var status = Status.down
        var batch: [SharedQuery] = []
        var isLeased = false
        /// The lanes that it has served since the lanes were last assigned.
        var served: Set<Lane> = []

        var isFree: Bool { status == .ready && batch.isEmpty && !isLeased }
    }

    enum Turn { case free, ofPool, ofOther }

    let configuration: PostgresConfiguration
    var state: PoolState
    var now = MonotonicTime(nanoseconds: 0)
    var connections: [Connection]
    var callers: [Caller] = []
    /// The callers' numbers.
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var leases: [PendingLease] = []
    /// When `expire(at:)` is called next, as the driver's deadline has it.
    var alarm: MonotonicTime?
    /// Whose turn it is among the long reads of all pools.
    var turn = Turn.free
    var poolAwaitsTurn = false
    /// Whether the pool is called at the end of the turn.
    var awaitsTurnEnd = false
    private var newestTimeline = ""
    var lastPause: Duration?
    var isClosed = false
    /// How many connections the pool may have.
    var share: Int
    /// When connections were last replaced because one had a fault.
    private var lastReplacement: MonotonicTime?

    init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
        state = PoolState(configuration)
        connections = Array(repeating: Connection(), count: configuration.connections)
        share = configuration.connections
        perform(state.open())
    }

    // MARK: Callers

    mutating func ask(_ query: PendingQuery) {
        let number = add(query, query)
        let refusal = state.enqueue(query, at: now)
        note(refusal, of: number, in: query.lane)
    }

    mutating func askForLease() {
        let lease = PendingLease()
        leases.append(lease)
        let number = add(lease, nil)
        let refusal = state.enqueue(lease, at: now)
        note(refusal, of: number, in: .writes)
    }

    private mutating func add(_ identity: AnyObject, _ query: PendingQuery?) -> Int {
        numbers[ObjectIdentifier(identity)] = callers.count
        callers.append(Caller(query: query, waitingSince: now))
        return callers.count - 1
    }

    private mutating func note(_ refusal: PostgresError?, of number: Int, in lane: Lane) {
        let others = waiting(in: lane).filter { $0 != number }
        let isOut = state.outage != nil && !connections.contains { $0.status == .ready }
        switch refusal?.code {
        case nil:
            // Those that wait again are more than the limit allows, and may share their places.
            let new = others.count { callers[$0].sendings == 0 }
            #expect(new < configuration.queueLimit && !isOut && !isClosed)
        case .queueFull: #expect(others.count >= configuration.queueLimit)
        case .unavailable: #expect(isOut)
        default: #expect(isClosed)
        }
        if let refusal { finish(number, "\(refusal.code)") }
        settle()
    }

    func waiting(in lane: Lane) -> [Int] {
        callers.indices.filter {
            callers[$0].stage == .waiting && (callers[$0].query?.lane ?? .writes) == lane
        }
    }

    mutating func cancel(_ number: Int) {
        guard let query = callers[number].query else { return }
        let stage = callers[number].stage
        let wasWaiting = state.cancel(query)
        #expect(wasWaiting == (stage == .waiting))
        if wasWaiting { finish(number, "cancelled") }
        settle()
    }

    mutating func finish(_ number: Int, _ outcome: String) {
        if case .done(let other) = callers[number].stage {
            Issue.record("\(number) has \(outcome) after \(other)")
        }
        callers[number].stage = .done(outcome)
    }

    mutating func finish(_ shared: SharedQuery, _ outcome: String) {
        for query in [shared.leader] + shared.followers {
            finish(number(of: query), outcome)
        }
    }

    func number(of object: AnyObject) -> Int {
        numbers[ObjectIdentifier(object)] ?? -1
    }

    // MARK: Connections

    mutating func becomeReady(_ index: Int, timeline: String) {
        guard let actions = state.found(timeline) else {
            #expect(timeline < newestTimeline)
            return lose(index, .wasNotMade, completed: 0)
        }
        #expect(timeline >= newestTimeline, "it is a former primary")
        perform(actions)
        if timeline > newestTimeline {
            newestTimeline = timeline
            #expect(!connections.contains { $0.status == .ready }, "it leads to a former primary")
        }
        connections[index].status = .ready
        newLanes()
        lastPause = nil
        perform(state.connectionIsReady(index))
        #expect(state.outage == nil)
        #expect(activeCount >= share, "a connection pauses, though the server is there")
        checkSurplus()
    }

    /// How many connections there are, or are being made.
    var activeCount: Int { connections.count { $0.status == .connecting || $0.status == .ready } }

    /// Checks that no connection beyond the pool's share is left unused.
    private func checkSurplus() {
        let ready = connections.count { $0.status == .ready }
        #expect(isClosed || ready <= share || !connections.contains { $0.isFree }, "a surplus")
    }

    /// Other pools have begun, or have got or given up connections.
    mutating func change(share: Int) {
        self.share = share
        perform(state.shareChanged(to: share))
        checkSurplus()
        #expect(isClosed || activeCount >= share, "it doesn't use its share")
    }

    /// A connection's session turns out to have a fault.
    mutating func spoil(_ index: Int, _ fault: SessionFault) {
        let before = connections
        perform(state.connectionIsSpoiled(index, fault, at: now))
        guard !isClosed else { return }
        let isDue = lastReplacement.map { now - $0 >= configuration.replacementInterval } ?? true
        if isDue {
            lastReplacement = now
            #expect(!before[index].isFree || connections[index].status != .ready)
        } else {
            #expect(before.map(\.status) == connections.map(\.status), "replaced too often")
        }
    }

    mutating func respond(_ index: Int) {
        for query in connections[index].batch { finish(query, "success") }
        connections[index].batch = []
        perform(state.connectionIsIdle(index))
        checkSurplus()
    }

    /// - Parameter completed: How many queries of the batch have had their results before the loss.
    mutating func lose(_ index: Int, _ loss: ConnectionLoss, completed: Int) {
        let batch = connections[index].batch
        for query in batch.prefix(completed) { finish(query, "success") }
        let pending = Array(batch.dropFirst(completed))
        connections[index].batch = []
        connections[index].status = .down
        newLanes()
        let actions = state.connectionWasLost(
            index, PostgresError(.unavailable), loss, pending: pending, at: now)
        let failed = actions.flatMap { action -> [PendingQuery] in
            guard case .fail(.query(let query), _) = action else { return [] }
            return [query.leader] + query.followers
        }
        // The others wait again. They must be reads, and have waited only once before.
        for query in pending.flatMap({ [$0.leader] + $0.followers })
        where !failed.contains(query) {
            #expect(loss == .broke && query.isReadOutside)
            let number = number(of: query)
            callers[number].stage = .waiting
            callers[number].waitingSince = now
        }
        perform(actions)
        #expect(
            isClosed || connections[index].status != .down || activeCount >= share,
            "it is never made again")
        if loss == .wasSilent {
            #expect(!connections.contains { $0.isFree }, "it may be silent, too")
        }
    }

    private mutating func newLanes() {
        for index in connections.indices { connections[index].served = [] }
    }

    mutating func release(_ index: Int, isClean: Bool) {
        connections[index].isLeased = false
        let epochIsReady = connections[index].status == .ready
        perform(state.release(index, isClean: isClean))
        if epochIsReady, !isClean {
            #expect(connections[index].status != .ready, "a transaction is left open")
        }
        if isClean { checkSurplus() }
    }

    /// Another server was promoted, or someone says so.
    mutating func reconnect() {
        perform(state.resetAll())
        #expect(!connections.contains { $0.status == .ready })
    }

    mutating func close() {
        isClosed = true
        let actions = state.close()
        for index in connections.indices {
            connections[index].status = .down
            for query in connections[index].batch { finish(query, "\(query.lossError.code)") }
            connections[index].batch = []
        }
        perform(actions)
    }

    // MARK: Time

    /// Lets time pass, and whatever is due happen in its order.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let (time, event) = nextEvent(), time <= end {
            now = max(now, time)
            if let index = event {
                endPause(of: index)
            } else {
                alarm = nil
                perform(state.expire(at: now))
            }
        }
        now = end
        checkWaits()
    }

    mutating func endPause(of index: Int) {
        connections[index].status = .down
        perform(state.pauseHasEnded(of: index))
        #expect(connections[index].status == .connecting || activeCount >= share)
    }

    /// The next end of a connection's pause, or the alarm, which is `nil`.
    private func nextEvent() -> (MonotonicTime, Int?)? {
        var events: [(MonotonicTime, Int?)] = connections.indices.compactMap { index in
            guard case .pausing(let end) = connections[index].status else { return nil }
            return (end, index)
        }
        if let alarm { events.append((alarm, nil)) }
        return events.min { $0.0 < $1.0 }
    }

    private func checkWaits() {
        for caller in callers where caller.stage == .waiting {
            let waited = caller.waited + (now - caller.waitingSince)
            #expect(waited < configuration.acquisitionTimeout, "it waits for too long")
        }
    }

    /// Checks that a caller that is given up has waited for all of its time.
    func checkEnd(of number: Int) {
        let caller = callers[number]
        let waited = caller.waited + (now - caller.waitingSince)
        #expect(waited >= configuration.acquisitionTimeout || caller.wasShared, "given up early")
    }

    // MARK: Long reads of other pools

    mutating func otherTakesTurn() {
        if turn == .free { turn = .ofOther }
    }

    mutating func otherEndsTurn() {
        guard turn == .ofOther else { return }
        turn = .free
        if poolAwaitsTurn { grantTurn() }
    }

    mutating func grantTurn() {
        poolAwaitsTurn = false
        turn = .ofPool
        if let action = state.longReadIsGranted() { perform([action]) }
        settle()
    }
}
