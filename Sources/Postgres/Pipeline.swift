import DequeModule

/// What one connection in pipeline mode has sent and is owed, without the connection: requests and
/// results in, what to do out. Section 34.5 of PostgreSQL's manual describes the mode.
///
/// A Sync ends a group of messages. Reads that are sent together are one group: each is answered by
/// its own result, and when one fails, PostgreSQL skips those behind it up to the Sync; they are
/// sent again, each in a group of its own. A write is always alone in its group, and so is a
/// Prepare: no other query's error can reach it.
///
/// A statement outside a transaction block commits at its Sync, and can still fail there: a
/// deferred constraint or a serialization failure comes after its result. A query that is alone in
/// its group is therefore answered when the Sync has arrived, and never before.
struct Pipeline<ID: Equatable> {
    struct Query {
        let id: ID
        let statement: Statement
        /// Whether it has a group of its own; so has every write.
        let isAlone: Bool
        /// Whether it may not be sent once more.
        let isRepeated: Bool
        /// Whether BEGIN goes before it, in its group: without the one there is not the other.
        let beginsTransaction: Bool

        /// - Parameter isAlone: Of a read that is sent again, or belongs to a transaction.
        init(
            id: ID, statement: Statement, isAlone: Bool = false, beginsTransaction: Bool = false
        ) {
            self.id = id
            self.statement = statement
            self.isAlone = isAlone || beginsTransaction || statement.effect == .write
            isRepeated = isAlone
            self.beginsTransaction = beginsTransaction
        }
    }

    /// One call into libpq.
    enum Command: Equatable {
        case prepare(Statement)
        case begin
        case query(ID)
        /// Asks for the answers so far, without ending what shares a Sync.
        case flush
        case sync
    }

    /// PostgreSQL keeps small answers back until a Sync. After so many queries it is asked for
    /// them, so that slow ones don't look like a connection that is broken.
    static var queriesBetweenAnswers: Int { 8 }

    /// What `PQgetResult` gave.
    enum Event {
        case success
        /// An error of the server, for the command at the head.
        case failure(PostgresError)
        /// Skipped because of an earlier command's failure (`PGRES_PIPELINE_ABORTED`).
        case aborted
        /// `PGRES_PIPELINE_SYNC`.
        case sync
    }

    enum Action {
        /// The result at hand is this query's.
        case complete(ID)
        /// The result at hand is to be kept until the end of its group.
        case keep
        /// The kept result is this query's.
        case completeKept(ID)
        /// The query failed; a kept result was its.
        case fail(ID, PostgresError)
        /// Not executed: send it again, alone.
        case resend(ID)
        /// What arrived is not what was due: nothing that the connection says can be relied on.
        case mismatch
    }

    private enum Expectation {
        case prepared(Statement)
        case begun
        case result(Query)
        case sync
    }

    private var expectations = Deque<Expectation>()
    /// The query of the group at the head whose result has arrived and whose Sync has not.
    private var undecided: Query?
    /// Why the BEGIN of the group at the head failed, if it did.
    private var beginError: PostgresError?
    private var prepared: Set<Statement> = []
    private var preparationErrors: [Statement: PostgresError] = [:]

    /// How many queries are sent and not answered.
    private(set) var queriesInFlight = 0

    /// Whether nothing at all is owed.
    var isIdle: Bool { expectations.isEmpty }

    /// Takes queries to be sent, in this order, and gives what to tell libpq.
    mutating func send(_ batch: some Sequence<Query>) -> [Command] {
        var commands: [Command] = []
        var owesSync = false
        var unanswered = 0
        func sync(_ pipeline: inout Pipeline) {
            commands.append(.sync)
            pipeline.expectations.append(.sync)
            owesSync = false
            unanswered = 0
        }
        for query in batch {
            let needsPreparation = prepared.insert(query.statement).inserted
            if owesSync, needsPreparation || query.isAlone { sync(&self) }
            if needsPreparation {
                commands.append(.prepare(query.statement))
                expectations.append(.prepared(query.statement))
                sync(&self)
            }
            if query.beginsTransaction {
                commands.append(.begin)
                expectations.append(.begun)
            }
            commands.append(.query(query.id))
            expectations.append(.result(query))
            queriesInFlight += 1
            owesSync = true
            unanswered += 1
            if query.isAlone {
                sync(&self)
            } else if unanswered == Self.queriesBetweenAnswers {
                commands.append(.flush)
                unanswered = 0
            }
        }
        if owesSync { sync(&self) }
        return commands
    }

    /// Takes the next result.
    ///
    /// - Returns: What follows from it, if anything.
    mutating func receive(_ event: Event) -> Action? {
        guard let expectation = expectations.first else { return .mismatch }
        if case .sync = expectation { return receiveAtSync(event) }
        expectations.removeFirst()
        switch (expectation, event) {
        case (.prepared(let statement), .success):
            preparationErrors[statement] = nil
            return nil
        case (.prepared(let statement), .failure(let error)):
            // The queries that count on it will fail with "no such statement"; they get this
            // error instead, and the next one tries to prepare again.
            prepared.remove(statement)
            preparationErrors[statement] = error
            return nil
        case (.begun, .success):
            return nil
        case (.begun, .failure(let error)):
            beginError = error
            return nil
        case (.result(let query), .success):
            guard query.isAlone else {
                queriesInFlight -= 1
                return .complete(query.id)
            }
            undecided = query
            return .keep
        case (.result(let query), .failure(let error)):
            queriesInFlight -= 1
            return failure(of: query, error)
        case (.result(let query), .aborted) where !query.isAlone:
            queriesInFlight -= 1
            return .resend(query.id)
        case (.result(let query), .aborted):
            guard let error = beginError else { fallthrough }
            beginError = nil
            queriesInFlight -= 1
            return .fail(query.id, error)
        default:
            // It is still unanswered.
            expectations.prepend(expectation)
            return .mismatch
        }
    }

    /// Takes what arrives where a Sync is due: that, or an error raised by the commit before it.
    private mutating func receiveAtSync(_ event: Event) -> Action? {
        switch event {
        case .sync:
            expectations.removeFirst()
            guard let query = undecided else { return nil }
            undecided = nil
            queriesInFlight -= 1
            return .completeKept(query.id)
        case .failure(let error):
            // Of reads that are answered already nothing is left to fail.
            guard let query = undecided else { return nil }
            undecided = nil
            queriesInFlight -= 1
            return .fail(query.id, error)
        case .success, .aborted: return .mismatch
        }
    }

    private mutating func failure(of query: Query, _ error: PostgresError) -> Action {
        guard error.sqlState == SQLState.undefinedPreparedStatement else {
            return .fail(query.id, error)
        }
        prepared.remove(query.statement)
        if let cause = preparationErrors[query.statement] { return .fail(query.id, cause) }
        // Someone took our prepared statements away (DISCARD ALL, a pooler in between). It was not
        // executed, so even a write may be sent again, once.
        return query.isRepeated ? .fail(query.id, error) : .resend(query.id)
    }

    /// The connection is gone.
    ///
    /// - Returns: The queries that were sent and not answered, in order; a result without its Sync
    ///   is no answer.
    mutating func lose() -> [Query] {
        let unanswered = expectations.compactMap { expectation -> Query? in
            if case .result(let query) = expectation { query } else { nil }
        }
        let first = undecided.map { [$0] } ?? []
        self = Pipeline()
        return first + unanswered
    }
}
