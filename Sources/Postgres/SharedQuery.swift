import Sockets

/// A pending query, and the equal ones that share its outcome. They are sent once, and wait as one.
struct SharedQuery {
    private(set) var leader: PendingQuery
    private(set) var followers: [PendingQuery] = []
    private(set) var wait: Wait
    /// Whether the query is to be sent with a Sync of its own, because PostgreSQL skipped it when a
    /// neighbour failed.
    private(set) var isAlone = false
    /// Whether the query was already retried after its connection broke.
    private var wasRepeated = false

    init(_ query: PendingQuery, since now: MonotonicTime) {
        leader = query
        wait = Wait(since: now)
    }

    /// The key of the reads that may share this one's outcome; `nil` if none may.
    var question: PendingQuery.Question? { isAlone ? nil : leader.question }

    /// The error for the callers if the connection broke after the query was sent.
    var lossError: PostgresError { leader.lossError }

    /// Shares this query's outcome with an equal one. Must be called before this query is sent.
    mutating func lead(_ other: SharedQuery) {
        followers.append(other.leader)
        followers += other.followers
    }

    /// Gives the outcome to the callers.
    func finish(_ outcome: PendingQuery.Outcome) {
        leader.finish(outcome)
        for follower in followers { follower.finish(outcome) }
    }

    func contains(_ query: PendingQuery) -> Bool {
        leader == query || followers.contains(query)
    }

    /// The query without one of its callers; `nil` if there is no other caller.
    func without(_ query: PendingQuery) -> SharedQuery? {
        var rest = self
        if leader != query {
            rest.followers.removeAll { $0 == query }
        } else {
            guard let next = rest.followers.popLast() else { return nil }
            rest.leader = next
        }
        return rest
    }

    /// Pauses the wait, because the query is about to be sent.
    mutating func willBeSent(at now: MonotonicTime) { wait.pause(at: now) }

    mutating func wasSkipped() { isAlone = true }

    /// Decides whether the query waits again after its connection broke.
    ///
    /// A query is retried only once, and only if it is a read outside a transaction, because it may
    /// already have been executed.
    ///
    /// - Returns: Whether the query waits again, for the rest of its waiting time.
    mutating func waitsAgainAfterLoss(at now: MonotonicTime) -> Bool {
        guard leader.isReadOutside, !wasRepeated else { return false }
        wasRepeated = true
        wait.resume(at: now)
        return true
    }
}

/// How long something has waited for a connection, not counting the time with a connection.
struct Wait {
    /// When the wait would have started if it had had no pauses.
    private(set) var start: MonotonicTime
    private var pausedAt: MonotonicTime?

    init(since now: MonotonicTime) { start = now }

    mutating func pause(at now: MonotonicTime) { pausedAt = now }

    mutating func resume(at now: MonotonicTime) {
        guard let pausedAt else { return }
        start = start + (now - pausedAt)
        self.pausedAt = nil
    }
}
