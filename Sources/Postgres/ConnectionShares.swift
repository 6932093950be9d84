import Sockets
import Synchronization

/// Divides the connections that PostgreSQL allows among the pools of a process, so that no loop is
/// left without any while another has several. The pools that are made with copies of one
/// `PostgresConfiguration` share. Any thread may use this object.
final class ConnectionShares: Sendable {
    private struct State {
        var division = ConnectionDivision()
        var observers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// - Parameter observer: Called when the pool's share has changed, on any thread.
    /// - Returns: The pool's number.
    func join(wanting count: Int, _ observer: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.observers.append(observer)
            return state.division.add(wanting: count)
        }
    }

    func share(of pool: Int) -> Int { state.withLock { $0.division.share(of: pool) } }

    /// Notes how many connections a pool has and is making.
    func note(_ pool: Int, ready: Int, connecting: Int, at now: MonotonicTime) {
        change { $0.note(pool, ready: ready, connecting: connecting, at: now) }
    }

    /// Notes that PostgreSQL has refused a connection because there are too many.
    ///
    /// - Returns: Whether this is the first time since there were enough for all.
    func wasRefused(at now: MonotonicTime) -> Bool {
        change { division in
            let wasLimited = division.isLimited
            division.wasRefused(at: now)
            return division.isLimited && !wasLimited
        }
    }

    func tryMore(at now: MonotonicTime) { change { $0.tryMore(at: now) } }

    private func change<Result: Sendable>(_ body: (inout ConnectionDivision) -> Result) -> Result {
        let (result, observers) = state.withLock { state in
            let before = state.division.shares
            let result = body(&state.division)
            let after = state.division.shares
            return (
                result,
                state.observers.indices.filter { before[$0] != after[$0] }
                    .map { state.observers[$0] }
            )
        }
        for observer in observers { observer() }
        return result
    }
}

/// How many connections each pool of a process may have, without the pools and the clock.
struct ConnectionDivision {
    private struct Pool {
        let wanted: Int
        var ready = 0
        var connecting = 0
    }

    private var pools: [Pool] = []
    /// How many connections all pools together may have; `nil` if they can have all that they want.
    private var limit: Int?
    /// When a connection last ended. PostgreSQL counts it until its process has ended.
    private var lastEnd: MonotonicTime?
    private var lastTry = MonotonicTime(nanoseconds: 0)
    private var isGrowing = false

    /// After this time, the process of a connection has ended.
    static let processEnd = Duration.seconds(1)
    /// How long to wait before trying whether PostgreSQL allows more by now.
    static let tryInterval = Duration.seconds(15)

    var isLimited: Bool { limit != nil }

    var shares: [Int] { pools.indices.map(share) }

    mutating func add(wanting count: Int) -> Int {
        pools.append(Pool(wanted: count))
        return pools.count - 1
    }

    /// Each pool has at least one. It may not get that one if there are fewer connections than pools.
    func share(of pool: Int) -> Int {
        guard let limit else { return pools[pool].wanted }
        let (share, rest) = limit.quotientAndRemainder(dividingBy: pools.count)
        return max(1, min(pools[pool].wanted, share + (pool < rest ? 1 : 0)))
    }

    mutating func note(_ pool: Int, ready: Int, connecting: Int, at now: MonotonicTime) {
        if ready < pools[pool].ready { lastEnd = now }
        pools[pool].ready = ready
        pools[pool].connecting = connecting
        // PostgreSQL has allowed the last one, and may allow the next one, too.
        if isGrowing, let limit, hasAll(of: limit) { grow(from: limit) }
    }

    /// PostgreSQL has refused a connection. One less than it allows is used then, unless each pool has
    /// only one: another server or `fave-admin` may need it.
    mutating func wasRefused(at now: MonotonicTime) {
        if let lastEnd, now - lastEnd < Self.processEnd { return }
        isGrowing = false
        lastTry = now
        let known = pools.reduce(0) { $0 + $1.ready + $1.connecting }
        limit = max(pools.count, min(limit ?? .max, known - 1))
    }

    /// Tries one more connection from time to time, if all are in use that PostgreSQL allowed before.
    mutating func tryMore(at now: MonotonicTime) {
        guard let limit, now - lastTry >= Self.tryInterval, hasAll(of: limit) else { return }
        lastTry = now
        isGrowing = true
        grow(from: limit)
    }

    private mutating func grow(from limit: Int) {
        let wanted = pools.reduce(0) { $0 + $1.wanted }
        self.limit = limit + 1 < wanted ? limit + 1 : nil
        if self.limit == nil { isGrowing = false }
    }

    /// Whether the pools have all connections that they may have. That can be fewer than the limit, if
    /// some want less than their part of it.
    private func hasAll(of limit: Int) -> Bool { readyCount >= min(limit, shares.reduce(0, +)) }

    private var readyCount: Int { pools.reduce(0) { $0 + $1.ready } }
}
