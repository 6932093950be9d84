import Logging
import Postgres
import Sockets

/// One standby that a loop reads from.
///
/// The standby is used while it is up to date, and left alone when it fails, hangs, lags, or turns
/// out not to be a standby. Background probes find out when it can be used again. Confined to its
/// loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class Replica: @unchecked Sendable {
    /// Whether it is used, and if not, why.
    enum State: String, CaseIterable {
        case serving
        /// It has not responded, or has not been asked yet.
        case unreachable
        /// It has not replayed up to the last check for a while.
        case lagging
        /// It is not in recovery: it has been promoted, or never was a standby.
        case primary
        /// It lacks the primary's writes: it follows another timeline or cluster, or has not
        /// replayed that far.
        case unrelated
    }

    let name: String
    private let pool: PostgresPool
    private let logger: Logger
    private(set) var state = State.unreachable
    private(set) var statistics = ReplicaStatistics()
    /// Until this time, reads don't try the replica, because it was just behind.
    private var resting = MonotonicTime(nanoseconds: 0)
    private var rest = Replica.rests.lowerBound
    /// When the replica was first found to be behind, if it has been behind since.
    private var behindSince: MonotonicTime?
    private var pending = 0
    /// When the replica's current silence began: it owes responses and has given none since.
    private var silentSince = MonotonicTime(nanoseconds: 0)
    private var failures = 0

    /// How long reads leave a replica alone after it was behind, doubling each time.
    private static let rests = Duration.milliseconds(1)...Duration.milliseconds(64)
    /// A replica that has been behind for this long is out until a probe finds it up to date.
    private static let patience = Duration.seconds(1)
    /// A replica that owes responses for this long gets no more reads until it gives one.
    private static let silence = Duration.milliseconds(200)
    /// After this many failures in a row, the replica is out until a probe succeeds.
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
    /// - Returns: `nil` if it isn't, or if it failed. The caller must then ask the primary.
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

    /// - Parameter reason: The state to report if this continues.
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
        // The statement was at fault, or waited behind others, or conflicted with replay.
        case .server, .queueFull, .cancelled, .unexpectedResult:
            failures += 1
            if failures >= Self.failureLimit { become(.unreachable, error) }
        default: become(.unreachable, error)
        }
    }

    /// Asks the replica for its state, and takes it out of use or back into use.
    ///
    /// - Parameter demand: How recent its responses must be.
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

/// Counts of a replica's work.
public struct ReplicaStatistics: Sendable {
    /// Reads that it served.
    public var served = 0
    /// Reads that it was not recent enough for, so the primary served them.
    public var behind = 0
    /// Reads that it failed, so the primary served them.
    public var failed = 0
    /// How often it was taken out.
    public var removals = 0
    /// At the last probe, the number of bytes of the write-ahead log that the replica still had to
    /// replay to be as recent as the last change.
    public var lag = 0
}
