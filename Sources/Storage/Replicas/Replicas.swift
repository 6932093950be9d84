import Logging
import Postgres
import Sockets

/// A loop's standbys. It makes sure that their responses are as recent as the primary's.
///
/// The check of the loop's feed asks the primary what has changed, and where its write-ahead log
/// ends. A standby that has replayed the log up to there shows everything that the check saw,
/// including every commit that was acknowledged before the check was sent. Each read from a standby
/// is preceded, on the same connection, by a query that tests this. If the test fails, the primary
/// is asked.
///
/// Confined to the feed's loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
public final class Replicas: @unchecked Sendable {
    private let pool: PostgresPool
    private let feed: ChangeFeed
    private let replicas: [Replica]
    private var witness: (row: ReplicaDemand.Witness, madeAt: MonotonicTime)?
    /// The replica that gets the next response's reads, if it can.
    private var turn = 0
    private var care: Task<Void, Never>?

    /// Stored rows of `changes` are at least ten minutes old before they are deleted.
    private static let witnessLifetime = Duration.seconds(240)
    /// A witness of this age that a standby doesn't show is replaced, in case it was deleted.
    private static let doubtAfter = Duration.seconds(20)
    private static let pause = Duration.milliseconds(250)

    /// - Parameters:
    ///   - pool: The loop's pool of connections to the primary.
    ///   - configurations: One for each standby.
    /// - Throws: `badConfiguration` if libpq can't read a connection string.
    public init(
        _ configurations: [PostgresConfiguration], of pool: PostgresPool, _ feed: ChangeFeed,
        logger: Logger, longReads: LongReads = LongReads(limit: 1),
        applicationName: String = "fave-server"
    ) throws(PostgresError) {
        self.pool = pool
        self.feed = feed
        var replicas: [Replica] = []
        for configuration in configurations {
            var configuration = configuration
            configuration.acceptsStandbys = true
            replicas.append(
                try Replica(
                    configuration, on: pool.loop, logger: logger, longReads: longReads,
                    applicationName: applicationName))
        }
        self.replicas = replicas
    }

    private var loop: EventLoop { pool.loop }

    /// Starts connecting. Must be called on the loop.
    public func open() {
        for replica in replicas { replica.open() }
        care = Task.detached(executorPreference: loop) { [weak self] in
            while !Task.isCancelled {
                await self?.takeCare()
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Closes the connections. Must be called on the loop.
    public func close() {
        care?.cancel()
        for replica in replicas { replica.close() }
    }

    // MARK: Reading

    /// Makes sure that `reads()` includes everything that was committed before this call.
    ///
    /// - Returns: Whether this succeeded and a replica may be usable.
    public func prepare() async -> Bool {
        guard areUsable else { return false }
        return await feed.catchUp(isForStandby: true)
    }

    /// Whether a replica might serve a read, so that a check is worthwhile.
    private var areUsable: Bool { replicas.contains { $0.isUsable } }

    /// The replica for a response whose request came before the feed's last check was sent. Its
    /// reads are as recent as that check, so the fill of a cacheable response must have begun
    /// before this call.
    ///
    /// - Returns: `nil` if the response must be read from the primary.
    public func reads() -> ReplicaReads? {
        guard let demand else { return nil }
        for _ in replicas.indices {
            turn = (turn + 1) % replicas.count
            if replicas[turn].isUsable {
                return ReplicaReads(replicas[turn], behind: demand.gate)
            }
        }
        return nil
    }

    private var demand: ReplicaDemand? {
        guard let mark = feed.mark, let witness else { return nil }
        return ReplicaDemand(mark, witness.row)
    }

    // MARK: Care

    /// Makes sure that there is a witness, and probes each replica.
    private func takeCare() async {
        if feed.mark == nil { _ = await feed.catchUp() }
        guard let mark = feed.mark else { return }
        let isFresh =
            witness.map {
                $0.row.server == mark.server && loop.now - $0.madeAt < Self.witnessLifetime
            } ?? false
        if !isFresh { await testify() }
        guard let demand else { return }
        // The probes run concurrently, so a hanging one delays the others only until its time
        // limit.
        await withDiscardingTaskGroup { group in
            for replica in replicas {
                group.addTask { await replica.probe(demand) }
            }
        }
        // The row may have been deleted together with all others, rather than not have arrived yet.
        if let witness, replicas.contains(where: { $0.state == .unrelated }),
            loop.now - witness.madeAt > Self.doubtAfter
        {
            self.witness = nil
        }
    }

    private func testify() async {
        guard let row = try? await pool.row(ReplicaDemand.testify) else { return }
        let server = ChangeFeed.Server(start: row.start, timeline: row.timeline)
        witness = (
            .init(server: server, transaction: row.transaction, time: row.time), loop.now
        )
    }

    // MARK: Statistics

    /// The state of each replica, and counts of its work. Must be called on the loop.
    public var statistics: [(name: String, state: String, statistics: ReplicaStatistics)] {
        replicas.map { ($0.name, $0.state.rawValue, $0.statistics) }
    }

    /// Every state that a replica can be in.
    public static let states = Replica.State.allCases.map(\.rawValue)
}
