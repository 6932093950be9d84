import Logging
import Postgres
import Sockets

/// One standby, as a loop reads from it.
///
/// It is used while it keeps up, and left alone when it fails, hangs, lags, or turns out to be
/// something else. Probes in the background find out when it can be used again. Confined to its loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class Replica: @unchecked Sendable {
    /// Whether it is used, and if not, why.
    enum State: String, CaseIterable {
        case serving
        /// It has not responded, or nobody has asked it yet.
        case unreachable
        /// It has not replayed up to the last check for a while.
        case lagging
        /// It is not in recovery: it has been promoted, or never was a standby.
        case primary
        /// It does not show what the primary has written: it follows another timeline or cluster, or
        /// has not come that far.
        case unrelated
    }

    let name: String
    private let pool: PostgresPool
    private let logger: Logger
    private(set) var state = State.unreachable
    private(set) var statistics = ReplicaStatistics()
    /// While this is in the future, reads don't try the replica: it was behind a moment ago.
    private var resting = MonotonicTime(nanoseconds: 0)
    private var rest = Replica.rests.lowerBound
    /// When it was first found to be behind, without having kept up since.
    private var behindSince: MonotonicTime?
    private var pending = 0
    /// Since when the replica has owed responses without giving one.
    private var silentSince = MonotonicTime(nanoseconds: 0)
    private var failures = 0

    /// How long reads leave a replica alone that was behind, doubling each time.
    private static let rests = Duration.milliseconds(1)...Duration.milliseconds(64)
    /// A replica that has not kept up for this long is out until a probe finds that it does.
    private static let patience = Duration.seconds(1)
    /// A replica that owes responses for this long gets no more reads until it gives one.
    private static let silence = Duration.milliseconds(200)
    /// So many failures in a row, and it is out until a probe succeeds.
    private static let failureLimit = 3

    /// - Throws: `badConfiguration` if libpq can't read the connection string.
    init(
        _ configuration: PostgresConfiguration, on loop: EventLoop, logger: Logger,
        longReads: LongReads, applicationName: String
    ) throws(PostgresError) {
        name = configuration.serverName
        self.logger = logger
        pool = try PostgresPool(
            configuration, on: loop, logger: logger, longReads: longReads,
            applicationName: applicationName)
    }

    private var loop: EventLoop { pool.loop }

    func open() { pool.open() }

    func close() { pool.close() }

    /// Whether a read may try the replica now.
    var isUsable: Bool {
        state == .serving && loop.now >= resting
            && (pending == 0 || loop.now - silentSince < Self.silence)
    }

    /// Runs a read, if the replica is as recent as its gate demands.
    ///
    /// - Returns: `nil` if it isn't, or if it failed: the primary has to be asked.
    func query(
        _ statement: Statement, _ parameters: [PostgresParameter], behind gate: BoundStatement
    ) async -> Rows? {
        if pending == 0 { silentSince = loop.now }
        pending += 1
        defer { pending -= 1 }
        do {
            let rows = try await pool.query(statement, parameters, behind: gate)
            silentSince = loop.now
            caughtUp()
            statistics.served += 1
            return rows
        } catch {
            if error.code == .gateClosed {
                silentSince = loop.now
                statistics.behind += 1
                wasBehind()
            } else {
                statistics.failed += 1
                failed(error)
            }
            return nil
        }
    }

    private func caughtUp() {
        behindSince = nil
        rest = Self.rests.lowerBound
        failures = 0
    }

    /// - Parameter reason: Why, should it go on.
    private func wasBehind(_ reason: State = .lagging) {
        failures = 0
        resting = loop.now + rest
        rest = min(rest * 2, Self.rests.upperBound)
        let since = behindSince ?? loop.now
        behindSince = since
        if loop.now - since > Self.patience { become(reason) }
    }

    private func failed(_ error: PostgresError) {
        switch error.code {
        case .closed: break
        // The statement was at fault, or it waited behind others, or was in the way of replay.
        case .server, .queueFull, .cancelled, .unexpectedResult:
            failures += 1
            if failures >= Self.failureLimit { become(.unreachable, error) }
        default: become(.unreachable, error)
        }
    }

    /// Asks the replica how it is, and takes it out or back.
    ///
    /// - Parameter demand: What its responses must be as recent as.
    func probe(_ demand: ReplicaDemand) async {
        do {
            let probe = try await pool.row(ReplicaDemand.probe, demand.parameters)
            statistics.lag = max(0, probe.lag ?? 0)
            if !probe.isStandby {
                become(.primary)
            } else if probe.isOpen {
                caughtUp()
                become(.serving)
            } else {
                // Without the witness, its log is as long as the primary's, but is not the same.
                wasBehind(probe.isBehind || probe.showsWitness ? .lagging : .unrelated)
            }
        } catch {
            if error.code != .closed { become(.unreachable, error) }
        }
    }

    private func become(_ new: State, _ error: PostgresError? = nil) {
        guard new != state else { return }
        let old = state
        state = new
        let reason = error.map { ": \($0.debugDescription)" } ?? ""
        switch new {
        case .serving: logger.notice("replica \(name) serves reads")
        case .unreachable: logger.warning("replica \(name) is left out: no response\(reason)")
        case .lagging: logger.warning("replica \(name) is left out: it lags behind the primary")
        case .primary: logger.warning("replica \(name) is left out: it is not a standby")
        case .unrelated:
            logger.warning("replica \(name) is left out: it does not follow the primary")
        }
        if old == .serving { statistics.removals += 1 }
    }
}

/// What a replica has done.
public struct ReplicaStatistics: Sendable {
    /// Reads that it served.
    public var served = 0
    /// Reads that it was not recent enough for, so the primary served them.
    public var behind = 0
    /// Reads that it failed, so the primary served them.
    public var failed = 0
    /// How often it was taken out.
    public var removals = 0
    /// How many bytes of the write-ahead log it had still to replay to be as recent as the last
    /// change, when it was last probed.
    public var lag = 0
}
