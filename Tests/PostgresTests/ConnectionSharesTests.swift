import Sockets
import TestSupport
import Testing

@testable import Postgres

/// The pools of a process, whose states share what a server allows.
private struct SharedServer {
    let configuration: PostgresConfiguration
    var division = ConnectionDivision()
    var pools: [PoolState]
    var now = MonotonicTime(nanoseconds: 0)
    /// How many connections the server allows, and how many of these other programs have.
    var allowed: Int
    var others = 0
    /// When each process of a closed connection ends.
    var endings: [MonotonicTime] = []
    private var pauses: [Pair: MonotonicTime] = [:]
    private var connecting: [Pair] = []
    private var connected: Set<Pair> = []
    private(set) var attempts = 0

    struct Pair: Hashable {
        let pool: Int
        let index: Int
    }

    init(pools count: Int, wanting wanted: Int, allowed: Int) {
        var configuration = PostgresConfiguration(connectionString: "")
        configuration.connections = wanted
        self.configuration = configuration
        self.allowed = allowed
        pools = (0..<count).map { _ in PoolState(configuration) }
        for number in 0..<count {
            _ = division.add(wanting: wanted)
            perform(pools[number].open(), of: number)
        }
    }

    var ready: [Int] { pools.map(\.readyCount) }

    private var processes: Int { ready.reduce(0, +) + others + endings.count { $0 > now } }

    private mutating func perform(_ actions: [PoolState.Action], of pool: Int) {
        for action in actions {
            switch action {
            case .connect(let index):
                pauses[Pair(pool: pool, index: index)] = nil
                connecting.append(Pair(pool: pool, index: index))
            case .pause(let index, let delay):
                pauses[Pair(pool: pool, index: index)] = now + delay
            case .replace(let index), .reset(let index):
                endings.append(now + .milliseconds(20))
                lose(Pair(pool: pool, index: index), .wasReplaced, nil)
            default: Issue.record("\(action)")
            }
        }
        note(pool)
    }

    private mutating func lose(_ pair: Pair, _ loss: ConnectionLoss, _ sqlState: String?) {
        connected.remove(pair)
        let actions = pools[pair.pool].connectionWasLost(
            pair.index, PostgresError(.unavailable, sqlState: sqlState), loss, pending: [], at: now)
        perform(actions, of: pair.pool)
    }

    /// A connection of a pool breaks.
    mutating func breakOne(of pool: Int) {
        guard let pair = connected.filter({ $0.pool == pool }).min(by: { $0.index < $1.index })
        else {
            return
        }
        endings.append(now + .milliseconds(20))
        lose(pair, .broke, nil)
    }

    private mutating func note(_ pool: Int) {
        division.note(
            pool, ready: pools[pool].readyCount, connecting: pools[pool].connectingCount, at: now)
    }

    private mutating func share() {
        for pool in pools.indices where pools[pool].share != division.share(of: pool) {
            perform(pools[pool].shareChanged(to: division.share(of: pool)), of: pool)
        }
    }

    /// Lets time pass. The server takes its time for each attempt, and responds in any order.
    mutating func pass(_ duration: Duration, _ random: inout Random) {
        let end = now + duration
        while now < end {
            now = now + .milliseconds(5)
            let over = pauses.filter { $0.value <= now }.keys
            for pair in over.sorted(by: { ($0.pool, $0.index) < ($1.pool, $1.index) }) {
                pauses[pair] = nil
                perform(pools[pair.pool].pauseHasEnded(of: pair.index), of: pair.pool)
            }
            connecting.shuffle(using: &random)
            for _ in 0..<random.below(connecting.count + 1) {
                let pair = connecting.removeFirst()
                attempts += 1
                if processes < allowed {
                    connected.insert(pair)
                    perform(pools[pair.pool].connectionIsReady(pair.index), of: pair.pool)
                } else {
                    lose(pair, .wasNotMade, SQLState.tooManyConnections)
                    division.wasRefused(at: now)
                }
                share()
            }
            division.tryMore(at: now)
            share()
        }
    }
}

@Suite("The pools of a process that may have fewer connections than they want")
struct ConnectionSharesTests {
    @Test("each have at least one, and nearly as many as the others", arguments: 0..<60)
    func shares(seed: Int) {
        var random = Random(seed: seed)
        let count = 1 + random.below(6)
        let wanted = 1 + random.below(6)
        var server = SharedServer(
            pools: count, wanting: wanted, allowed: count + random.below(count * wanted))
        server.pass(.seconds(4), &random)
        for _ in 0..<4 {
            expectFairness(server, count, wanted)
            // Another program comes or goes, the limit changes, or connections break.
            switch random.below(3) {
            case 0: server.others = random.below(max(1, server.allowed - count + 1))
            case 1: server.allowed = server.others + count + random.below(count * wanted + 3)
            default:
                for pool in 0..<count { server.breakOne(of: pool) }
            }
            server.pass(.seconds(60), &random)
        }
        expectFairness(server, count, wanted)
        let before = server.attempts
        server.pass(.seconds(60), &random)
        #expect(server.attempts - before < 20 * count, "it keeps trying in vain")
    }

    private func expectFairness(_ server: SharedServer, _ count: Int, _ wanted: Int) {
        let ready = server.ready
        let free = server.allowed - server.others
        #expect(ready.allSatisfy { $0 >= 1 }, "\(ready) of \(free)")
        #expect((ready.max() ?? 0) - (ready.min() ?? 0) <= 1, "\(ready) of \(free)")
        // One may be left for others.
        guard server.others == 0 else { return }
        #expect(ready.reduce(0, +) >= min(free - 1, count * wanted), "\(ready) of \(free)")
    }

    @Test("get what is free again, one after the other")
    func growth() {
        var random = Random(seed: 1)
        var server = SharedServer(pools: 2, wanting: 5, allowed: 4)
        server.pass(.seconds(2), &random)
        #expect(server.ready.reduce(0, +) <= 4 && server.ready.allSatisfy { $0 >= 1 })
        #expect(server.division.isLimited)
        server.allowed = 100
        server.pass(.seconds(20), &random)
        #expect(server.ready == [5, 5])
        #expect(!server.division.isLimited)
    }

    @Test("leave one to other programs, unless each pool has only one")
    func others() {
        var random = Random(seed: 1)
        var server = SharedServer(pools: 2, wanting: 5, allowed: 6)
        server.pass(.seconds(40), &random)
        #expect(server.ready.reduce(0, +) == 5)
        server.others = 1
        server.pass(.seconds(40), &random)
        #expect(server.ready.reduce(0, +) == 4)
        server.others = 4
        server.breakOne(of: 0)
        server.pass(.seconds(40), &random)
        #expect(server.ready == [1, 1])
    }

    @Test("need not share if PostgreSQL refuses a connection whose predecessor has just ended")
    func ending() {
        var division = ConnectionDivision()
        for number in 0..<2 {
            _ = division.add(wanting: 3)
            division.note(number, ready: 3, connecting: 0, at: MonotonicTime(nanoseconds: 0))
        }
        var now = MonotonicTime(nanoseconds: 0) + .seconds(60)
        division.note(0, ready: 2, connecting: 1, at: now)
        division.note(0, ready: 2, connecting: 0, at: now)
        division.wasRefused(at: now + .milliseconds(100))
        #expect(division.shares == [3, 3])
        now = now + .seconds(1)
        division.wasRefused(at: now)
        #expect(division.shares == [2, 2])
        division.tryMore(at: now + .seconds(14))
        #expect(division.shares == [2, 2])
    }

    @Test("grow again although some pools want less than their part")
    func uneven() {
        var division = ConnectionDivision()
        let wanted = [5, 5, 5, 5, 3, 3, 3, 3]
        for count in wanted { _ = division.add(wanting: count) }
        var now = MonotonicTime(nanoseconds: 0)
        // 28 of 32 are there or being made when the server refuses one.
        for (pool, count) in [4, 4, 4, 4, 3, 3, 3, 3].enumerated() {
            division.note(pool, ready: count, connecting: 0, at: now)
        }
        division.wasRefused(at: now)
        #expect(division.isLimited)
        for _ in 0..<100 where division.isLimited {
            for (pool, share) in division.shares.enumerated() {
                division.note(pool, ready: share, connecting: 0, at: now)
            }
            now = now + ConnectionDivision.tryInterval
            division.tryMore(at: now)
        }
        #expect(division.shares == wanted)
    }
}
