import Sockets

/// A query on its way: waiting, sent, or to be sent again. Confined to its loop.
final class PendingQuery: Equatable {
    typealias Outcome = Result<Rows, PostgresError>

    /// Whether it belongs to a transaction, with which it succeeds or fails.
    enum Place {
        case outside
        /// The first of its transaction, which BEGIN goes before.
        case beginsTransaction
        case inTransaction
    }

    let statement: Statement
    let parameters: [PostgresParameter]
    let place: Place
    /// To be sent with a Sync of its own.
    private(set) var isAlone = false
    private(set) var wait: Wait
    /// Whether it was already sent a second time after a connection had broken.
    private var wasRepeated = false
    /// Who waits for it; set before it is sent.
    var resumption = Resumption<Outcome>()
    /// Queries that ask the same and share its outcome.
    private var followers: [PendingQuery] = []

    init(
        _ statement: Statement, _ parameters: [PostgresParameter], at now: MonotonicTime,
        place: Place = .outside
    ) {
        self.statement = statement
        self.parameters = parameters
        self.place = place
        wait = Wait(since: now)
    }

    /// Only the first outcome counts.
    func finish(_ outcome: Outcome) {
        resumption.resume(returning: outcome)
        for follower in followers { follower.finish(outcome) }
        followers = []
    }

    /// The task that waits for it was cancelled.
    ///
    /// - Returns: Whether nobody waits for it any more: others may share its outcome.
    func abandon() -> Bool {
        resumption.resume(returning: .failure(PostgresError(.cancelled)))
        return followers.isEmpty
    }

    /// What another read must be equal in to share this one's outcome; `nil` if none can.
    var question: Question? {
        guard statement.effect != .write, place == .outside, !isAlone else { return nil }
        return Question(statement: statement, parameters: parameters)
    }

    struct Question: Hashable {
        let statement: Statement
        let parameters: [PostgresParameter]
    }

    /// Takes a query along that waits with this one, before it is sent.
    func lead(_ follower: PendingQuery) {
        followers.append(follower)
    }

    /// Its turn has come: it doesn't wait any more.
    func willBeSent(at now: MonotonicTime) {
        wait.pause(at: now)
    }

    /// It was not executed, because of a neighbour's failure, and goes out again by itself.
    func wasSkipped() {
        isAlone = true
    }

    /// The connection broke after it was sent.
    ///
    /// - Returns: Whether it waits again, for the rest of its time: once, and only a read outside a
    ///   transaction, since it may have been executed.
    func waitsAgainAfterLoss(at now: MonotonicTime) -> Bool {
        guard statement.effect != .write, place == .outside, !wasRepeated else { return false }
        wasRepeated = true
        wait.resume(at: now)
        return true
    }

    /// What to tell the caller if the connection broke after it was sent.
    var lossError: PostgresError {
        // COMMIT is a write in a transaction: its outcome is unknown, that of the others is not.
        statement.effect == .write && (place == .outside || statement == .commit)
            ? PostgresError(.outcomeUnknown) : PostgresError(.connectionLost)
    }

    static func == (a: PendingQuery, b: PendingQuery) -> Bool { a === b }
}

/// How long something has waited for a connection, not counting the time that it had one.
struct Wait {
    /// When it would have begun, had it waited without a pause.
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
