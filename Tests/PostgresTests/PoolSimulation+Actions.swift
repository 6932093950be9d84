import Sockets
import Testing

@testable import Postgres

/// What the pool's driver does.
extension PoolSimulation {
    /// The end of a turn of the loop.
    mutating func endTurn() {
        guard awaitsTurnEnd else { return }
        awaitsTurnEnd = false
        while let action = state.next(at: now) { perform(action) }
        if turn == .ofPool { #expect(longReadsRunning == 1, "a turn is kept and not used") }
        guard !isClosed, connections.contains(where: { $0.status == .ready }),
            connections.allSatisfy({ $0.status != .ready || $0.isFree })
        else { return }
        // All are free, so only long reads may wait, for another pool's.
        for lane in Lane.allCases where lane != .longReads || !poolAwaitsTurn {
            #expect(waiting(in: lane).isEmpty, "\(lane) wait for nothing")
        }
    }

    private var longReadsRunning: Int {
        connections.count { $0.batch.contains { $0.leader.lane == .longReads } }
    }

    mutating func perform(_ actions: [PoolState.Action]) {
        for action in actions { perform(action) }
        settle()
    }

    mutating func settle() {
        guard state.isWaiting else {
            #expect(!callers.contains { $0.stage == .waiting }, "one was forgotten")
            let keepsTurn = turn == .ofPool && longReadsRunning == 0 && !awaitsTurnEnd
            #expect(!keepsTurn, "a turn is kept and not used")
            return
        }
        guard let expiry = state.expiry, expiry >= now else {
            Issue.record("nothing would be given up")
            return
        }
        alarm = min(alarm ?? expiry, expiry)
        awaitsTurnEnd = true
    }

    private mutating func perform(_ action: PoolState.Action) {
        switch action {
        case .connect(let index):
            switch connections[index].status {
            case .down, .pausing: connections[index].status = .connecting
            case .connecting, .ready: Issue.record("\(index) would be a second connection")
            }
            #expect(!isClosed)
            #expect(activeCount <= share, "more than its share")
        case .pause(let index, let pause):
            #expect(connections[index].status == .down)
            let bounds = configuration.reconnectDelays
            #expect(
                pause == lastPause.map { min($0 * 2, bounds.upperBound) } ?? bounds.lowerBound)
            lastPause = pause
            connections[index].status = .pausing(until: now + pause)
        case .reset(let index):
            #expect(connections[index].status == .ready)
            lose(index, .broke, completed: 0)
        case .replace(let index):
            #expect(connections[index].isFree)
            lose(index, .wasReplaced, completed: 0)
        case .send(let batch, on: let index): send(batch, on: index)
        case .lease(let index, to: let lease, since: _):
            #expect(connections[index].isFree)
            connections[index].isLeased = true
            serve(.writes, on: index)
            finish(number(of: lease), "leased")
        case .fail(.query(let query), let error):
            if error.isOfWaiting { checkEnd(of: number(of: query.leader)) }
            finish(query, "\(error.code)")
        case .fail(.lease(let lease, _), let error):
            if error.isOfWaiting { checkEnd(of: number(of: lease)) }
            finish(number(of: lease), "\(error.code)")
        case .awaitLongRead:
            #expect(turn != .ofPool && !poolAwaitsTurn, "it has its turn, or waits for it")
            if turn == .free { grantTurn() } else { poolAwaitsTurn = true }
        case .endLongRead:
            #expect(turn == .ofPool, "it ends what it has not")
            turn = .free
        }
    }

    private mutating func send(_ batch: [SharedQuery], on index: Int) {
        #expect(connections[index].isFree)
        let lanes = Set(batch.map(\.leader.lane))
        guard let lane = lanes.first, lanes.count == 1 else {
            Issue.record("a batch of \(lanes.count) lanes")
            return
        }
        switch lane {
        case .shortReads: #expect(batch.count <= configuration.batchSize)
        case .longReads: #expect(batch.count == 1 && turn == .ofPool && longReadsRunning == 0)
        case .writes: #expect(batch.count <= configuration.writeBatchSize)
        }
        connections[index].batch = batch
        serve(lane, on: index)
        for shared in batch {
            for query in [shared.leader] + shared.followers {
                let number = number(of: query)
                #expect(callers[number].stage == .waiting)
                callers[number].stage = .sent
                callers[number].sendings += 1
                if !shared.followers.isEmpty { callers[number].wasShared = true }
                callers[number].waited += now - callers[number].waitingSince
                #expect(callers[number].sendings <= (query.isReadOutside ? 2 : 1))
                #expect(query == shared.leader || isEqualRead(query, shared.leader))
            }
        }
    }

    private func isEqualRead(_ one: PendingQuery, _ other: PendingQuery) -> Bool {
        one.lane != .writes && configuration.sharesReads && one.statement == other.statement
            && one.parameters == other.parameters
    }

    /// Checks that the connections serve no more of a lane than there are shares with it, and none
    /// more than a share.
    private mutating func serve(_ lane: Lane, on index: Int) {
        connections[index].served.insert(lane)
        let shares = Lane.shares(of: connections.count { $0.status == .ready })
        for lane in Lane.allCases {
            #expect(
                connections.count { $0.served.contains(lane) }
                    <= shares.count { $0.contains(lane) })
        }
        let served = connections[index].served
        #expect(shares.contains { served.isSubset(of: $0) }, "\(served) are not one share")
    }
}

extension PostgresError {
    fileprivate var isOfWaiting: Bool { code == .acquisitionTimeout || code == .unavailable }
}
