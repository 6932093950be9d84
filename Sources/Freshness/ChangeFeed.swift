public import Postgres
public import Sockets

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
/// busier the loop is, the more callers share each check. `FeedState` decides; the feed itself
/// sends, waits and tells, without a task.
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

    private struct Caller {
        let done: (Bool) -> Void
    }

    private let pool: PostgresPool
    private var state = FeedState<Caller>()
    private var observers: [(Finding, Execution?) -> Void] = []

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// - Parameter observer: Receives each finding, before the callers of the check do, and when the
    ///   check was executed; `nil` if it failed.
    public func observe(_ observer: @escaping (Finding, Execution?) -> Void) {
        observers.append(observer)
    }

    private var loop: EventLoop { pool.loop }

    /// Whether the next check can tell what has changed since the previous one.
    public var isTracking: Bool { state.isTracking }

    /// The number of checks that were sent to PostgreSQL.
    public var checks: Int { state.checks }

    /// The time since PostgreSQL last responded to a check; `nil` if it never did.
    public var sinceLastCheck: Duration? { state.lastCheck.map { loop.now - $0 } }

    // MARK: Callers

    /// Checks for changes.
    ///
    /// - Parameter done: Called on the loop. Its argument says whether PostgreSQL has responded. If
    ///   so, the observers know of every change that was committed before this call.
    public func check(_ done: @escaping (Bool) -> Void) {
        loop.preconditionIsCurrent()
        // Deferred, so that all callers of this turn share the check.
        if state.ask(Caller(done: done)) { loop.deferred { self.send() } }
    }

    /// Checks for changes.
    ///
    /// - Returns: Whether PostgreSQL has responded.
    public func check() async -> Bool {
        await unsafe withUnsafeContinuation { continuation in
            check { unsafe continuation.resume(returning: $0) }
        }
    }

    /// Makes sure that the observers learn of everything that changed up to now, or before a check that
    /// PostgreSQL responded to in the last millisecond. Values that are made afterwards need not be made
    /// again because of these changes. The millisecond is for requests whose response from memory has
    /// just turned out to be outdated.
    ///
    /// A check that can say what has changed travels with the short reads that the caller sends next,
    /// before them: `Execution` says whether they follow it. Other reads wait for `settle()`.
    ///
    /// - Returns: Whether PostgreSQL has responded, or is about to. `false` at once if it failed to
    ///   respond within the last second.
    public func catchUp() async -> Bool {
        if let response = state.recentResponse(at: loop.now) { return response }
        guard isTracking else { return await check() }
        await unsafe withUnsafeContinuation { continuation in
            check { _ in }
            // If a check is due, it is sent by then.
            loop.deferred { unsafe continuation.resume() }
        }
        return true
    }

    /// Returns once the checks of earlier callers have ended.
    public func settle() async {
        await unsafe withUnsafeContinuation { continuation in
            loop.preconditionIsCurrent()
            let isPending = state.join(Caller { _ in unsafe continuation.resume() })
            if !isPending { unsafe continuation.resume() }
        }
    }

    // MARK: Checks

    private func send() {
        guard case .check(let point) = state.next() else { return }
        pool.read(Changes.check.statement, Changes.parameters(since: point)) { self.receive($0) }
    }

    private func receive(_ result: Result<Rows, PostgresError>) {
        do throws(PostgresError) {
            let rows = try result.get()
            let response = try Changes.check.row(rows)
            perform(state.responded(response, at: loop.now), rows.execution)
        } catch {
            perform(state.failed(error, at: loop.now), nil)
        }
        proceed()
    }

    /// Waits for a turn of the loop, or sends the next check if someone waits for it.
    private func proceed() {
        if state.gathers() { loop.atNextTurn(self) } else { send() }
    }

    private func perform(_ outcome: FeedState<Caller>.Outcome, _ execution: Execution?) {
        if outcome.deletesChanges {
            Task.detached(executorPreference: loop) { [pool] in
                _ = try? await pool.row(Changes.delete)
            }
        }
        if let finding = outcome.finding {
            for observer in observers { observer(finding, execution) }
        }
        if outcome.reconnects { pool.reconnect() }
        for caller in outcome.callers { caller.done(outcome.isChecked) }
    }

    // MARK: Turns

    public func turnContinues() {
        // Deferred, because tasks may check in this turn, too.
        loop.deferred { self.proceed() }
    }
}
