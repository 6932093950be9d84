import DequeModule

/// The state machine of one connection in pipeline mode, without the connection itself. Queries and
/// results go in, and commands and actions come out. It knows which queries were sent and which
/// results are still due. Section 34.5 of PostgreSQL's manual describes the mode.
///
/// A Sync ends a group of messages. Reads that are sent together form one group, and each is
/// completed by its own result. When one fails, PostgreSQL skips those after it, up to the Sync. The
/// skipped reads are sent again, each in a group of its own. A write is always alone in its group,
/// except for a query that it precedes. A Prepare is alone, too. So no other query's error can
/// affect them.
///
/// A statement outside a transaction block commits at its Sync, and can still fail there: a
/// deferred constraint or a serialization failure is reported after the statement's result. A query
/// that is alone in its group is therefore completed only when its Sync has arrived.
struct Pipeline<ID: Equatable> {
    struct Query {
        let id: ID
        let statement: Statement
        /// Whether the query has a group of its own. Always true for a write.
        let isAlone: Bool
        /// Whether the query must not be sent again.
        let isRepeated: Bool
        /// Whether BEGIN precedes the query in its group, so that the query isn't executed if BEGIN
        /// fails.
        let beginsTransaction: Bool
        /// A write that precedes the query in its group. If it fails, so does the query, which
        /// isn't executed. Outside a transaction block, both commit at the Sync.
        let preceding: Statement?

        /// - Parameter isAlone: True for a query that is sent again or belongs to a transaction.
        init(
            id: ID, statement: Statement, isAlone: Bool = false, beginsTransaction: Bool = false,
            preceding: Statement? = nil
        ) {
            self.id = id
            self.statement = statement
            self.isAlone =
                isAlone || beginsTransaction || preceding != nil || statement.effect.isWrite
            isRepeated = isAlone
            self.beginsTransaction = beginsTransaction
            self.preceding = preceding
        }
    }

    /// One call into libpq.
    enum Command: Equatable {
        /// Removes all prepared statements.
        case deallocateAll
        case prepare(Statement)
        case begin
        /// The write that precedes the query with this id.
        case precedingWrite(ID)
        case query(ID)
        /// Asks PostgreSQL for the responses so far, without ending the group.
        case flush
        case sync
    }

    /// PostgreSQL holds small responses back until a Sync. After this many queries the pipeline asks
    /// for them, so that slow queries don't look like a broken connection. It also does so after one that
    /// responds at once, unless nothing follows.
    static var queriesBetweenFlushes: Int { 8 }

    /// A result of `PQgetResult`.
    enum Event {
        case success
        /// An error from the server, for the oldest pending command.
        case failure(PostgresError)
        /// Skipped because of an earlier command's failure (`PGRES_PIPELINE_ABORTED`).
        case aborted
        /// `PGRES_PIPELINE_SYNC`.
        case sync
    }

    enum Action {
        /// The current result belongs to this query.
        case complete(ID)
        /// Retain the current result until the end of its group.
        case retain
        /// The retained result belongs to this query.
        case completeRetained(ID)
        /// The query failed. If a result was retained, it was this query's.
        case fail(ID, PostgresError)
        /// The query was not executed: send it again, alone.
        case resend(ID)
        /// The result is not the one that was due, so nothing from this connection can be relied
        /// on.
        case mismatch
    }

    private enum Expectation {
        case deallocated
        case prepared(Statement)
        case begun
        case written(Statement)
        case result(Query)
        case sync
    }

    private var expectations = Deque<Expectation>()
    /// The query of the first group whose result has arrived but whose Sync has not.
    private var undecided: Query?
    /// Why the first group's BEGIN or preceding write failed, if one did, and the write.
    private var precedingFailure: (error: PostgresError, statement: Statement?)?
    private var prepared: Set<Statement> = []
    private var preparationErrors: [Statement: PostgresError] = [:]
    /// Whether the statements may have been prepared for tables or functions that have changed since.
    /// All of them are prepared again then: what has changed probably concerns others, too.
    private var isOutdated = false
    /// The statements that have failed as outdated ones do, and have not succeeded since.
    private var suspects: Set<Statement> = []
    /// Whether a statement failed as an outdated one does, although it had been prepared again. What the
    /// session itself remembers may be outdated, so another session may not have the fault.
    private(set) var isSpoiled = false

    /// The number of queries that were sent but not completed.
    private(set) var queriesInFlight = 0

    /// Whether no result is due.
    var isIdle: Bool { expectations.isEmpty }

    /// Takes queries to send, in this order, and returns the commands for libpq.
    mutating func send(_ batch: some Sequence<Query>) -> [Command] {
        var commands: [Command] = []
        var owesSync = false
        var owesFlush = false
        var pending = 0
        func sync(_ pipeline: inout Pipeline) {
            commands.append(.sync)
            pipeline.expectations.append(.sync)
            owesSync = false
            owesFlush = false
            pending = 0
        }
        if isOutdated {
            isOutdated = false
            prepared = []
            commands.append(.deallocateAll)
            expectations.append(.deallocated)
            sync(&self)
        }
        func prepare(_ statement: Statement, _ pipeline: inout Pipeline) {
            guard pipeline.prepared.insert(statement).inserted else { return }
            if owesSync { sync(&pipeline) }
            commands.append(.prepare(statement))
            pipeline.expectations.append(.prepared(statement))
            sync(&pipeline)
        }
        for query in batch {
            if owesSync, query.isAlone { sync(&self) }
            if let write = query.preceding { prepare(write, &self) }
            prepare(query.statement, &self)
            if owesFlush {
                commands.append(.flush)
                owesFlush = false
                pending = 0
            }
            if query.beginsTransaction {
                commands.append(.begin)
                expectations.append(.begun)
            }
            if let write = query.preceding {
                commands.append(.precedingWrite(query.id))
                expectations.append(.written(write))
            }
            commands.append(.query(query.id))
            expectations.append(.result(query))
            queriesInFlight += 1
            owesSync = true
            pending += 1
            if query.isAlone {
                sync(&self)
            } else {
                owesFlush = pending == Self.queriesBetweenFlushes || query.statement.respondsAtOnce
            }
        }
        if owesSync { sync(&self) }
        return commands
    }

    /// Takes the next result.
    ///
    /// - Returns: The action to take, if any.
    mutating func receive(_ event: Event) -> Action? {
        guard let expectation = expectations.first else { return .mismatch }
        if case .sync = expectation { return receiveAtSync(event) }
        expectations.removeFirst()
        switch (expectation, event) {
        case (.deallocated, .success):
            return nil
        case (.deallocated, .failure):
            // This happens in a transaction that has failed.
            isOutdated = true
            return nil
        case (.prepared(let statement), .success):
            preparationErrors[statement] = nil
            return nil
        case (.prepared(let statement), .failure(let error))
        where error.sqlState == SQLState.duplicatePreparedStatement:
            preparationErrors[statement] = nil
            return nil
        case (.prepared(let statement), .failure(let error)):
            // The queries that need this statement will fail with "no such statement". They get
            // this error instead, and the next one tries to prepare again.
            prepared.remove(statement)
            preparationErrors[statement] = error
            return nil
        case (.begun, .success):
            return nil
        case (.written(let statement), .success):
            hasSucceeded(statement)
            return nil
        case (.begun, .failure(let error)):
            precedingFailure = (error, nil)
            return nil
        case (.written(let statement), .failure(let error)):
            precedingFailure = (error, statement)
            return nil
        case (.written, .aborted) where precedingFailure != nil:
            return nil
        case (.result(let query), .success):
            hasSucceeded(query.statement)
            guard query.isAlone else {
                queriesInFlight -= 1
                return .complete(query.id)
            }
            undecided = query
            return .retain
        case (.result(let query), .failure(let error)):
            queriesInFlight -= 1
            return failure(of: query, in: query.statement, error)
        case (.result(let query), .aborted) where !query.isAlone:
            queriesInFlight -= 1
            return .resend(query.id)
        case (.result(let query), .aborted):
            guard let (error, statement) = precedingFailure else { fallthrough }
            precedingFailure = nil
            queriesInFlight -= 1
            return failure(of: query, in: statement, error)
        default:
            // The expected command is still pending.
            expectations.prepend(expectation)
            return .mismatch
        }
    }

    /// Takes a result where a Sync is due: the Sync, or an error that the commit before it raised.
    private mutating func receiveAtSync(_ event: Event) -> Action? {
        switch event {
        case .sync:
            expectations.removeFirst()
            guard let query = undecided else { return nil }
            undecided = nil
            queriesInFlight -= 1
            return .completeRetained(query.id)
        case .failure(let error):
            // The group's reads are already completed, so there is nothing left to fail.
            guard let query = undecided else { return nil }
            undecided = nil
            queriesInFlight -= 1
            return .fail(query.id, error)
        case .success, .aborted: return .mismatch
        }
    }

    private mutating func hasSucceeded(_ statement: Statement) {
        if !suspects.isEmpty { suspects.remove(statement) }
    }

    /// - Parameter statement: The statement of the query's group that failed; `nil` for BEGIN.
    private mutating func failure(
        of query: Query, in statement: Statement?, _ error: PostgresError
    ) -> Action {
        guard let statement, error.response == .prepareAgain else { return .fail(query.id, error) }
        if error.sqlState == SQLState.undefinedPreparedStatement {
            // The other statement has probably been removed for the same reason. If not, preparing
            // it again does no harm.
            prepared.remove(query.statement)
            if let write = query.preceding { prepared.remove(write) }
            if let cause = preparationErrors[statement] { return .fail(query.id, cause) }
            // Something removed our prepared statements: DISCARD ALL, or a pooler in between.
        } else {
            guard suspects.insert(statement).inserted else {
                isSpoiled = true
                return .fail(query.id, error)
            }
            isOutdated = true
        }
        // PostgreSQL has undone whatever the query's group did, so even a write may be sent again, once.
        // A transaction has to be run again from its beginning.
        return query.isRepeated ? .fail(query.id, error.outdated) : .resend(query.id)
    }

    /// Forgets everything, because the connection was lost.
    ///
    /// - Returns: The queries that were sent but not completed, in order. A result without its Sync
    ///   is not a response.
    mutating func lose() -> [Query] {
        let pending = expectations.compactMap { expectation -> Query? in
            if case .result(let query) = expectation { query } else { nil }
        }
        let first = undecided.map { [$0] } ?? []
        self = Pipeline()
        return first + pending
    }
}
