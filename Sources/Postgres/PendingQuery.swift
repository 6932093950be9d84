import Sockets

/// A query of one caller, who is waiting for its outcome. Confined to its loop.
final class PendingQuery: Equatable {
    typealias Outcome = Result<Rows, PostgresError>

    /// Whether the query belongs to a transaction. It succeeds or fails together with its
    /// transaction.
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
    /// Gives the caller the outcome. Set before the query waits or is sent.
    var resumption = Resumption<Outcome>()

    init(
        _ statement: Statement, _ parameters: [PostgresParameter],
        after preceding: BoundStatement? = nil, place: Place = .outside
    ) {
        self.statement = statement
        self.parameters = parameters
        self.preceding = preceding
        self.place = place
    }

    /// The effect of the query and of the write before it.
    private var effect: Statement.Effect { preceding?.statement.effect ?? statement.effect }

    /// The lane where the query waits if it is outside a transaction.
    var lane: Lane { Lane(effect) }

    /// Gives the outcome to the caller.
    func finish(_ outcome: Outcome) { resumption.resume(returning: outcome) }

    /// The key that two reads must have in common to share an outcome; `nil` if this query can't
    /// share its outcome.
    var question: Question? {
        guard isReadOutside else { return nil }
        return Question(statement: statement, parameters: parameters)
    }

    struct Question: Hashable {
        let statement: Statement
        let parameters: [PostgresParameter]
    }

    /// Whether the query is a read outside a transaction. Only such a query may be sent again after
    /// it may have been executed.
    var isReadOutside: Bool { !effect.isWrite && place == .outside }

    /// Whether the query's commit has to be made durable by a flush.
    var needsFlush: Bool { effect == .asynchronousWrite && place == .outside }

    /// The error for the caller if the connection broke after the query was sent.
    var lossError: PostgresError {
        // In a transaction, only a COMMIT has an unknown outcome. Without one, PostgreSQL rolls
        // back the other writes.
        effect.isWrite && (place == .outside || statement == .commit)
            ? PostgresError(.outcomeUnknown) : PostgresError(.connectionLost)
    }

    static func == (a: PendingQuery, b: PendingQuery) -> Bool { a === b }
}
