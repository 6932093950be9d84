import Postgres
import Sockets

/// The state machine of a feed, without its pool, its observers and its clock. Callers,
/// responses and turns of the loop go in, and what to do comes out. It decides which callers share a
/// check, when the next one is sent, and what each one has found.
///
/// After `ask` has returned true, its driver sends one check after the other, until `next` returns
/// `rest`. It passes what came of the check to `responded` or `failed`, carries out the outcome, and
/// then waits for a turn of the loop each time that `gathers` returns true.
struct FeedState<Caller> {
    /// What the feed is doing for its callers.
    private enum Phase {
        /// No one waits. The first caller makes a check due.
        case idle
        /// The driver is about to send a check. Callers that come before that share it. Then it is in
        /// flight.
        case due
        /// A check was sent for these callers. Further ones may know of a change that it is too early
        /// for, so they wait for the next check. This one ends with a response or an error.
        case inFlight([Caller])
        /// A check has ended, and its callers get the result. Then the feed gathers the next callers, unless
        /// a single client seems to be at work: it was the only caller, and no one else has come.
        ///
        /// - Parameter callers: How many shared the check.
        case ended(callers: Int)
        /// The driver waits for a turn of the loop, which is the first or a later one in a row. If it
        /// brings further callers than waited when it began, there may be another, unless as many have
        /// come as are expected. If not, the next check is in flight, or no one waits and the feed is idle.
        case gathering(turn: Int, callers: Int, expected: Int)
    }

    /// What the next check can tell.
    private enum Track {
        /// Not what has changed. A response of the latest server, or the first response of all, begins
        /// to track. That of another primary makes this the latest server, and track is still lost.
        ///
        /// - Parameter latest: The server that the last check reached; `nil` if none has yet.
        case lost(latest: Changes.Server?)
        /// The next check finds what has changed since this point. A response of the same primary brings
        /// a later point. Track is lost when another server or a standby responds, and when PostgreSQL
        /// rejects the check, as while the table is gone. After other errors the point stays, and the
        /// next check tells what this one could not.
        case since(Changes.Point)
    }

    /// What the driver does next.
    enum Step {
        /// Send the check: what has changed since the point?
        ///
        /// - Parameter point: `nil` if nothing is known.
        case check(since: Changes.Point?)
        /// End: no one waits.
        case rest
    }

    /// The result of a check. The driver carries it out in this order.
    struct Outcome {
        /// Whether to delete the changes that were restored from another cluster.
        let deletesChanges: Bool
        /// The news for the observers, if there is any.
        let finding: ChangeFeed.Finding?
        /// Whether to connect again. Other connections may still lead to the former primary, and
        /// results from there must not pass for this server's data.
        let reconnects: Bool
        /// The callers who get `isChecked`.
        let callers: [Caller]
        let isChecked: Bool
    }

    private var phase = Phase.idle
    private var track = Track.lost(latest: nil)
    /// The callers who wait for the next check; empty while the feed is idle.
    private var waiting: [Caller] = []
    /// Whether rows from another cluster were deleted since the last complete check. Once is
    /// enough, and a server that allows no writes can't delete them anyway.
    private var hasDeleted = false
    /// When PostgreSQL last responded, if it ever did.
    private(set) var lastCheck: MonotonicTime?
    /// When PostgreSQL last failed to respond, if it has not responded since.
    private var lastFailure: MonotonicTime?
    /// The number of checks that were sent.
    private(set) var checks = 0

    /// The loop has at most this many turns between two checks.
    private static var gatheringTurns: Int { 4 }

    // MARK: Callers

    /// A caller comes.
    ///
    /// - Returns: Whether the driver must start. If not, it is at work already.
    mutating func ask(_ caller: Caller) -> Bool {
        waiting.append(caller)
        guard case .idle = phase else { return false }
        phase = .due
        return true
    }

    /// A caller comes who waits for the check that is due or in flight, however early it was sent.
    ///
    /// - Returns: Whether there is one.
    mutating func join(_ caller: Caller) -> Bool {
        if waiting.isEmpty {
            guard case .inFlight(let callers) = phase else { return false }
            phase = .inFlight(callers + [caller])
        } else {
            waiting.append(caller)
        }
        return true
    }

    /// The result for a caller who needs no later check than a recent one; `nil` if there was no recent
    /// one.
    func recentResponse(at now: MonotonicTime) -> Bool? {
        if let lastFailure, now - lastFailure < .seconds(1) { return false }
        if isTracking, let lastCheck, now - lastCheck < .milliseconds(1) { return true }
        return nil
    }

    // MARK: Checks

    mutating func next() -> Step {
        guard !waiting.isEmpty else {
            phase = .idle
            return .rest
        }
        phase = .inFlight(waiting)
        waiting = []
        checks += 1
        return .check(since: point)
    }

    mutating func responded(_ response: Changes.Response, at now: MonotonicTime) -> Outcome {
        guard let point = response.point, server == nil || server == point.server else {
            if response.point == nil { lastFailure = now }
            let finding = loseTrack(latest: response.point?.server)
            return end(finding, isChecked: false, reconnects: true)
        }
        let finding = finding(response, to: point)
        let deletesChanges = deletesChanges(response)
        track = .since(point)
        lastCheck = now
        lastFailure = nil
        return end(finding, isChecked: true, deletesChanges: deletesChanges)
    }

    mutating func failed(_ error: PostgresError, at now: MonotonicTime) -> Outcome {
        lastFailure = now
        // The table may be gone, because it is being restored.
        return end(error.code == .server ? loseTrack() : nil, isChecked: false)
    }

    private mutating func end(
        _ finding: ChangeFeed.Finding?, isChecked: Bool, reconnects: Bool = false,
        deletesChanges: Bool = false
    ) -> Outcome {
        guard case .inFlight(let callers) = phase else {
            preconditionFailure("No check is in flight.")
        }
        phase = .ended(callers: callers.count)
        return Outcome(
            deletesChanges: deletesChanges, finding: finding, reconnects: reconnects,
            callers: callers, isChecked: isChecked)
    }

    /// All rows may have been restored from a cluster whose transactions are ahead. Then no check can
    /// find out what has changed until another row is added.
    private mutating func deletesChanges(_ response: Changes.Response) -> Bool {
        if response.isComplete {
            hasDeleted = false
            return false
        }
        guard isTracking, !hasDeleted else { return false }
        hasDeleted = true
        return true
    }

    private func finding(
        _ response: Changes.Response, to point: Changes.Point
    ) -> ChangeFeed.Finding {
        guard let previous = self.point, point.continues(previous), response.isComplete,
            response.keys.count <= Changes.limit, !response.keys.contains(ChangeKey.everything)
        else { return .lostTrack }
        return .changed(
            point.day == previous.day ? response.keys : response.keys + [ChangeKey.today])
    }

    /// - Returns: What to tell the observers; `nil` if they know.
    private mutating func loseTrack(latest: Changes.Server? = nil) -> ChangeFeed.Finding? {
        let finding: ChangeFeed.Finding? = isTracking ? .lostTrack : nil
        track = .lost(latest: latest ?? server)
        return finding
    }

    /// Whether to wait for the loop's next turn before the next check. The clients that have just got
    /// a response may already have sent their next request, and PostgreSQL has less to do if more
    /// callers share a check.
    mutating func gathers() -> Bool {
        var turn = 1
        let expected: Int
        switch phase {
        case .gathering(let last, let callers, let all):
            guard callers < waiting.count, waiting.count < all, last < Self.gatheringTurns
            else { return false }
            turn = last + 1
            expected = all
        case .ended(let callers):
            // A client usually sends one request at a time.
            expected = callers + waiting.count
            guard expected > 1 else { return false }
        case .idle, .due, .inFlight: preconditionFailure("No check has ended.")
        }
        phase = .gathering(turn: turn, callers: waiting.count, expected: expected)
        return true
    }

    // MARK: Track

    /// Whether the next check can tell what has changed.
    var isTracking: Bool { if case .since = track { true } else { false } }

    private var point: Changes.Point? {
        if case .since(let point) = track { point } else { nil }
    }

    /// The server that the last check reached.
    private var server: Changes.Server? {
        switch track {
        case .lost(let latest): latest
        case .since(let point): point.server
        }
    }
}
