import Sockets

/// A query that has no outcome yet: it is waiting, was sent, or will be sent again. Confined to its
/// loop.
final class PendingQuery: Equatable {
    typealias Outcome = Result<Rows, PostgresError>

    /// Whether the query belongs to a transaction, with which it succeeds or fails.
    enum Place {
        case outside
        /// The first query of its transaction. BEGIN is sent before it.
        case beginsTransaction
        case inTransaction
    }

    let statement: Statement
    let parameters: [PostgresParameter]
    /// A write that is executed before the query, in the same transaction and the same message.
    let preceding: BoundStatement?
    let place: Place
    /// A read that is sent before the query on the same connection, and returns one boolean. Unless
    /// that is true, the query fails.
    let gate: BoundStatement?
    /// Whether the query is to be sent with a Sync of its own.
    private(set) var isAlone = false
    private(set) var wait: Wait
    /// When the query was last sent.
    var sentAt: MonotonicTime?
    /// Whether the query was already retried after its connection broke.
    private var wasRepeated = false
    /// Resumes the caller with the outcome. Set before the query is sent.
    var resumption = Resumption<Outcome>()
    /// Equal queries that share this one's outcome.
    private var followers: [PendingQuery] = []
    /// The flush that makes this query's commit durable.
    private var flush: PendingQuery?
    /// For a flush: the queries that it has made durable, and their rows.
    private var flushed: [(PendingQuery, Rows)] = []
    /// The gate as it was last sent before this query.
    private var gatekeeper: PendingQuery?
    /// For a gate: whether its answer has arrived and is true.
    private var isOpen = false
    /// Whether this is a gate, which is of no use without the queries behind it.
    private let isGate: Bool

    init(
        _ statement: Statement, _ parameters: [PostgresParameter],
        after preceding: BoundStatement? = nil, behind gate: BoundStatement? = nil,
        at now: MonotonicTime, place: Place = .outside
    ) {
        self.gate = gate
        isGate = false
        self.statement = statement
        self.parameters = parameters
        self.preceding = preceding
        self.place = place
        wait = Wait(since: now)
    }

    /// The gate of queries that are about to be sent.
    init(gate: BoundStatement, at now: MonotonicTime) {
        statement = gate.statement
        parameters = gate.parameters
        preceding = nil
        place = .outside
        self.gate = nil
        isGate = true
        wait = Wait(since: now)
    }

    /// What the query does, with the write before it.
    private var effect: Statement.Effect { preceding?.statement.effect ?? statement.effect }

    /// The lane in which the query waits if it is outside a transaction.
    var lane: Lane { Lane(effect) }

    /// Gives the outcome to the caller and to the followers. Only the first outcome counts.
    ///
    /// A query whose commit is not durable yet is answered when its flush is.
    func finish(_ outcome: Outcome) {
        if isGate, case .success(let rows) = outcome { isOpen = (try? rows.first?[0]) == true }
        if let gatekeeper {
            self.gatekeeper = nil
            // PostgreSQL answers in the order of sending, so the gate's answer is here.
            if case .success = outcome, !gatekeeper.isOpen {
                return finish(.failure(PostgresError(.gateClosed)))
            }
        }
        if let flush, case .success(let rows) = outcome {
            self.flush = nil
            flush.flushed.append((self, rows))
            return
        }
        for (query, rows) in flushed {
            query.finish(outcome.map { _ in rows }.mapError { _ in query.lossError })
        }
        flushed = []
        resumption.resume(returning: outcome)
        for follower in followers { follower.finish(outcome) }
        followers = []
    }

    /// Fails the query for its own caller, whose task was cancelled.
    ///
    /// - Returns: Whether the query is no longer needed because no follower shares its outcome.
    func abandon() -> Bool {
        resumption.resume(returning: .failure(PostgresError(.cancelled)))
        return followers.isEmpty
    }

    /// The key that two reads must have in common to share an outcome; `nil` if this query can't
    /// share its outcome.
    var question: Question? {
        guard !effect.isWrite, place == .outside, !isAlone else { return nil }
        return Question(statement: statement, parameters: parameters, gate: gate)
    }

    struct Question: Hashable {
        let statement: Statement
        let parameters: [PostgresParameter]
        let gate: BoundStatement?
    }

    /// Adds a waiting query as a follower that shares this one's outcome. Must be called before
    /// this query is sent.
    func lead(_ follower: PendingQuery) {
        followers.append(follower)
    }

    /// Whether the query's commit has to be made durable by a flush.
    var needsFlush: Bool { effect == .asynchronousWrite && place == .outside }

    /// Lets the query be answered only when `flush` is. Must be called before both are sent, in this
    /// order, on the same connection.
    func awaitFlush(_ flush: PendingQuery) { self.flush = flush }

    /// Lets the query succeed only if `gate` does, and is true. Must be called before both are sent,
    /// the gate first, on the same connection.
    func stand(behind gate: PendingQuery) { gatekeeper = gate }

    /// Pauses the query's wait, because it is about to be sent.
    func willBeSent(at now: MonotonicTime) {
        wait.pause(at: now)
    }

    /// Notes that PostgreSQL skipped the query because a neighbour failed. The query will be sent
    /// again, alone.
    func wasSkipped() {
        isAlone = true
    }

    /// Decides whether a query waits again after its connection broke.
    ///
    /// A query is retried only once, and only if it is a read outside a transaction, because it may
    /// already have been executed.
    ///
    /// - Returns: Whether the query waits again, for the rest of its waiting time.
    func waitsAgainAfterLoss(at now: MonotonicTime) -> Bool {
        guard !effect.isWrite, place == .outside, !wasRepeated, !isGate else { return false }
        wasRepeated = true
        wait.resume(at: now)
        return true
    }

    /// The error for the caller if the connection broke after the query was sent.
    var lossError: PostgresError {
        // In a transaction, only a COMMIT has an unknown outcome. Without one, PostgreSQL rolls
        // back the other writes.
        effect.isWrite && (place == .outside || statement == .commit)
            ? PostgresError(.outcomeUnknown) : PostgresError(.connectionLost)
    }

    static func == (a: PendingQuery, b: PendingQuery) -> Bool { a === b }
}

/// How long something has waited for a connection, not counting the time during which it had one.
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
