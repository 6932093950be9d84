import Sockets

/// A query on its way: waiting, sent, or to be sent again. Confined to its loop.
final class PendingQuery: Equatable {
    typealias Outcome = Result<Rows, PostgresError>

    let statement: Statement
    let parameters: [PostgresParameter]
    let queuedAt: MonotonicTime
    /// A query inside a transaction stands or falls with it.
    let isInTransaction: Bool
    /// Whether it was already sent a second time after a connection had broken.
    var wasRepeated = false
    /// To be sent with a Sync of its own.
    var isAlone = false
    private var continuation: UnsafeContinuation<Outcome, Never>?
    /// Queries that ask the same and share its outcome.
    private var followers: [PendingQuery] = []

    init(
        _ statement: Statement, _ parameters: [PostgresParameter], queuedAt: MonotonicTime,
        isInTransaction: Bool, continuation: UnsafeContinuation<Outcome, Never>
    ) {
        self.statement = statement
        self.parameters = parameters
        self.queuedAt = queuedAt
        self.isInTransaction = isInTransaction
        self.continuation = continuation
    }

    /// Only the first outcome counts.
    func finish(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
        for follower in followers { follower.finish(outcome) }
        followers = []
    }

    /// What another read must be equal in to share this one's outcome; `nil` if none can.
    var question: Question? {
        guard statement.effect == .read, !isInTransaction, !isAlone else { return nil }
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

    /// Whether it may be sent again although it may have been executed: once, and only a read that
    /// stands alone.
    func mayRepeatAfterLoss() -> Bool {
        guard statement.effect == .read, !isInTransaction, !wasRepeated else { return false }
        wasRepeated = true
        return true
    }

    /// What to tell the caller if the connection broke after it was sent.
    var lossError: PostgresError {
        // COMMIT is a write in a transaction: its outcome is unknown, that of the others is not.
        statement.effect == .write && (!isInTransaction || statement == .commit)
            ? PostgresError(.outcomeUnknown) : PostgresError(.connectionLost)
    }

    static func == (a: PendingQuery, b: PendingQuery) -> Bool { a === b }
}
