import Foundation
import Postgres
import Sockets

/// Tells a loop what has changed in the database, from any server, before the loop uses its cached
/// values.
///
/// A check asks PostgreSQL for the changes that are visible now and were not visible in the
/// snapshot of the previous check. Everything that was committed before the check was sent is
/// visible to it, so everything that it does not name is unchanged. A response from memory is then
/// as recent as a response that is read from the database at the same time. Raft calls this a read
/// index. Notifications could not do this, because they arrive after the commit was acknowledged.
///
/// All callers that come before a check is sent share it, and there is one check at a time. So the
/// busier the loop is, the more callers share each check.
///
/// Confined to its loop.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
public final class ChangeFeed: NextTurnHandler, @unchecked Sendable {
    /// The result of a check.
    public enum Finding: Sendable {
        /// The keys of what has changed since the previous check.
        case changed([String])
        /// Anything may have changed: this is the first check, the changes are too many or no longer
        /// stored, or another server responded.
        case lostTrack
    }

    /// The question of the next check: what has changed since this point?
    private struct Point {
        let snapshot: Snapshot
        /// The server that took the snapshot. Another server's snapshots mean nothing here.
        let server: Server
        /// When the server last lost its statistics, as in each crash. A crash of one of its
        /// processes changes neither its start nor its timeline, but transactions that were not
        /// flushed are undone, and other transactions get their ids.
        let crash: Date
        /// The table of changes. After a restore it is a different table.
        let table: Int
        /// In days since 2000.
        let day: Int
    }

    /// A run of a primary. A server that becomes the primary begins a timeline, and a former
    /// primary is restarted. So the history of a run is continuous: its transactions can be
    /// compared. The system identifier can't differ unless the start does, and PostgreSQL would
    /// read it from a file.
    private struct Server: Equatable, Sendable {
        /// When the server was started.
        let start: Date
        let timeline: String
    }

    /// The transactions that a snapshot does not show: those from `end` on, and the running ones.
    private struct Snapshot: Equatable, Sendable {
        /// All transactions before this one are shown, or were rolled back.
        let start: Substring
        let end: Substring
        /// The running transactions between the two, separated by commas.
        let running: Substring

        /// Reads the text of a `pg_snapshot`: `10:20:10,14,15`.
        init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            (start, end, running) = (parts[0], parts[1], parts[2])
        }
    }

    private let pool: PostgresPool
    private var point: Point?
    /// The server that the last check reached, even if the feed has lost track since.
    private var latestServer: Server?
    private var waiting: [(Bool) -> Void] = []
    /// Whether rows from another cluster were deleted since the last complete check. Once is
    /// enough, and a server that allows no writes can't delete them anyway.
    private var hasDeleted = false
    /// Continues in the next turn.
    private var pause: UnsafeContinuation<Void, Never>?
    private var isChecking = false
    private var lastCheck: MonotonicTime?
    private var lastFailure: MonotonicTime?
    /// The number of checks that were sent to PostgreSQL.
    public private(set) var checks = 0
    private var observers: [(Finding) -> Void] = []

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// - Parameter observer: Receives each finding, before the callers of the check do.
    public func observe(_ observer: @escaping (Finding) -> Void) { observers.append(observer) }

    private func tell(_ finding: Finding) { for observer in observers { observer(finding) } }

    private var loop: EventLoop { pool.loop }

    /// Whether the next check can tell what has changed since the previous one.
    public var isTracking: Bool { point != nil }

    /// The time since PostgreSQL last responded to a check; `nil` if it never did.
    public var sinceLastCheck: Duration? { lastCheck.map { loop.now - $0 } }

    /// Checks for changes.
    ///
    /// - Parameter done: Called on the loop. Its argument says whether PostgreSQL has responded. If
    ///   so, the observers know of every change that was committed before this call.
    public func check(_ done: @escaping (Bool) -> Void) {
        loop.preconditionIsCurrent()
        waiting.append(done)
        guard !isChecking else { return }
        isChecking = true
        // Detached: it also serves callers that check in the meantime.
        Task.detached(executorPreference: loop) { await self.run() }
    }

    /// Checks for changes.
    ///
    /// - Returns: Whether PostgreSQL has responded.
    public func check() async -> Bool {
        await withUnsafeContinuation { continuation in
            check { continuation.resume(returning: $0) }
        }
    }

    /// Makes sure that the observers know of everything that changed up to now, or up to a
    /// millisecond ago. Values that are made afterwards need not be made again because of these
    /// changes.
    ///
    /// - Returns: Whether PostgreSQL has responded. `false` at once if it failed to respond within
    ///   the last second.
    public func catchUp() async -> Bool {
        if let lastFailure, loop.now - lastFailure < .seconds(1) { return false }
        // The millisecond is for requests whose response from memory has just turned out to be
        // outdated.
        if point != nil, let lastCheck, loop.now - lastCheck < .milliseconds(1) { return true }
        return await check()
    }

    private func run() async {
        while !waiting.isEmpty {
            // Later callers may know of a change that this check is too early for.
            let callers = waiting
            waiting = []
            let hasResponse = await ask()
            for caller in callers { caller(hasResponse) }
            await gather()
        }
        isChecking = false
    }

    /// Waits while each turn brings further callers, for a few turns. The clients that have just
    /// got a response may already have sent their next request, and PostgreSQL has less to do if
    /// more callers share a check.
    private func gather() async {
        for _ in 0..<Self.gatheringTurns {
            let count = waiting.count
            await withUnsafeContinuation {
                pause = $0
                loop.atNextTurn(self)
            }
            guard waiting.count > count else { return }
        }
    }

    private static let gatheringTurns = 4

    public func turnContinues() {
        let pause = pause
        self.pause = nil
        pause?.resume()
    }

    private func ask() async -> Bool {
        let asked = point
        let response: Response
        checks += 1
        do {
            response = try await pool.row(
                Self.changes,
                [
                    .text(asked.map { String($0.snapshot.start) }),
                    .text(asked.map { String($0.snapshot.end) }),
                    .text(asked.map { "{\($0.snapshot.running)}" }),
                ])
        } catch {
            lastFailure = loop.now
            // The table may be gone, because it is being restored.
            if error.code == .server { loseTrack() }
            return false
        }
        // A standby's snapshot does not list the transactions that are running on its primary, and
        // its rows are older.
        guard let server = response.server, let crash = response.crash,
            let snapshot = Snapshot(response.snapshot)
        else {
            loseTrack()
            lastFailure = loop.now
            pool.reconnect()
            return false
        }
        // Other connections may still lead to the former primary. Results from there must not pass
        // for this server's data.
        if let latestServer, latestServer != server {
            self.latestServer = server
            loseTrack()
            pool.reconnect()
            return false
        }
        latestServer = server
        // All rows may have been restored from a cluster whose transactions are ahead. Then no
        // check can find out what has changed until another row is added.
        if response.isComplete {
            hasDeleted = false
        } else if asked != nil, !hasDeleted {
            hasDeleted = true
            Task.detached(executorPreference: loop) { await self.deleteChanges() }
        }
        // The feed may have lost track while the check was in flight. The response is then a new
        // beginning.
        let isSequel =
            asked != nil && asked?.snapshot == point?.snapshot && server == point?.server
            && crash == point?.crash && response.table == point?.table && response.isComplete
            && response.keys.count <= Self.limit
        var keys = response.keys
        if let point, point.day != response.day { keys.append(ChangeKey.today) }
        point = Point(
            snapshot: snapshot, server: server, crash: crash, table: response.table,
            day: response.day)
        lastCheck = loop.now
        lastFailure = nil
        tell(
            isSequel && !keys.contains(ChangeKey.everything) ? .changed(keys) : .lostTrack)
        return true
    }

    private func deleteChanges() async { _ = try? await pool.row(Changes.delete) }

    private func loseTrack() {
        guard point != nil else { return }
        point = nil
        tell(.lostTrack)
    }

    private struct Response: Sendable {
        let snapshot: String
        /// `nil` if it is a standby.
        let server: Server?
        let crash: Date?
        let table: Int
        /// The date in UTC, in days since 2000.
        let day: Int
        /// Whether no change since the point has been deleted.
        let isComplete: Bool
        let keys: [String]
    }

    /// More keys than this are not read: making the responses again is as quick.
    private static let limit = 5_000

    /// `$1` to `$3` are the start, the end and the running transactions of the previous check; NULL
    /// for the first check. Busy loops run this some thousand times a second, so nothing is sorted,
    /// and the snapshot is not read again from its text.
    private static let changes = Query(
        "changes", .read,
        Columns<Response>([
            "pg_current_snapshot()::text",
            "CASE WHEN NOT pg_is_in_recovery() THEN pg_postmaster_start_time() END",
            "CASE WHEN NOT pg_is_in_recovery() THEN \(PostgresPool.timeline) END",
            "pg_stat_get_bgwriter_stat_reset_time()",
            "to_regclass('changes')::oid::bigint",
            "\(Today.sql) - date '2000-01-01'",
            // Reads one row that still exists, unlike a search for the oldest one.
            """
            (SELECT c.xid FROM changes c WHERE c.xid <= $1::text::xid8
             ORDER BY c.xid DESC LIMIT 1) IS NOT NULL
            """,
            // The changes that a snapshot does not show: later ones, and those of running
            // transactions. So a transaction that stays open does not make this read more. A change
            // with a future transaction is visible only if it was restored from another cluster.
            """
            ARRAY(SELECT unnest(c.keys) FROM changes c
                  WHERE c.xid >= $2::text::xid8 AND c.xid < pg_snapshot_xmax(pg_current_snapshot())
                     OR c.xid = ANY ($3::text::xid8[])
                  LIMIT \(limit + 1))
            """,
        ]) { row throws(PostgresError) in
            let snapshot: String = try row.next()
            let start: Date? = try row.next()
            let timeline: String? = try row.next()
            return try Response(
                snapshot: snapshot,
                server: start.flatMap { start in
                    timeline.map { Server(start: start, timeline: $0) }
                },
                crash: row.next(), table: row.next(), day: row.next(),
                isComplete: row.next(), keys: row.next())
        }
    )
}
