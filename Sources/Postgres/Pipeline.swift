import Collections

/// What one connection in pipeline mode has sent and is owed, without the connection: requests and
/// results in, what to do out. Section 34.5 of PostgreSQL's manual describes the mode.
///
/// Reads that are sent together share one Sync. When one of them fails, PostgreSQL skips those
/// behind it up to the Sync; they are sent again, each with a Sync of its own. A write always has
/// a Sync of its own, so that nobody else's error can reach it. So has a Prepare.
struct Pipeline<ID: Equatable> {
    struct Query {
        let id: ID
        let statement: Statement
        /// Sent with a Sync of its own although it is a read.
        var isAlone = false
    }

    /// One call into libpq.
    enum Command: Equatable {
        case prepare(Statement)
        case query(ID)
        /// Asks for the answers so far, without ending what shares a Sync.
        case flush
        case sync
    }

    /// PostgreSQL keeps small answers back until a Sync. After so many queries it is asked for them,
    /// so that a connection where nothing comes for as long as they may take is a broken one.
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
        case fail(ID, PostgresError)
        /// Not executed: send it again, alone.
        case resend(ID)
    }

    private enum Expectation {
        case prepared(Statement)
        case result(Query)
        case sync
    }

    private var expectations = Deque<Expectation>()
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
            let isAlone = query.isAlone || query.statement.effect == .write
            if owesSync, needsPreparation || isAlone { sync(&self) }
            if needsPreparation {
                commands.append(.prepare(query.statement))
                expectations.append(.prepared(query.statement))
                sync(&self)
            }
            commands.append(.query(query.id))
            expectations.append(.result(query))
            queriesInFlight += 1
            owesSync = true
            unanswered += 1
            if isAlone {
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
    /// - Returns: What follows from it for a query, if anything.
    mutating func receive(_ event: Event) -> Action? {
        guard let expectation = expectations.popFirst() else { return nil }
        switch (expectation, event) {
        case (.sync, _):
            return nil
        case (.prepared(let statement), .success):
            preparationErrors[statement] = nil
            return nil
        case (.prepared(let statement), .failure(let error)):
            // The queries that count on it will fail with "no such statement"; they get this
            // error instead, and the next one tries to prepare again.
            prepared.remove(statement)
            preparationErrors[statement] = error
            return nil
        case (.prepared(let statement), _):
            prepared.remove(statement)
            return nil
        case (.result(let query), .success):
            queriesInFlight -= 1
            return .complete(query.id)
        case (.result(let query), .failure(let error)):
            queriesInFlight -= 1
            return failure(of: query, error)
        case (.result(let query), .aborted), (.result(let query), .sync):
            queriesInFlight -= 1
            return .resend(query.id)
        }
    }

    private mutating func failure(of query: Query, _ error: PostgresError) -> Action {
        guard error.sqlState == SQLState.undefinedPreparedStatement else {
            return .fail(query.id, error)
        }
        prepared.remove(query.statement)
        if let cause = preparationErrors[query.statement] { return .fail(query.id, cause) }
        // Somebody took our prepared statements away (DISCARD ALL, a pooler in between).
        return query.isAlone ? .fail(query.id, error) : .resend(query.id)
    }

    /// The connection is gone.
    ///
    /// - Returns: The queries that were sent and not answered, in order.
    mutating func lose() -> [Query] {
        let unanswered = expectations.compactMap { expectation -> Query? in
            if case .result(let query) = expectation { query } else { nil }
        }
        self = Pipeline()
        return unanswered
    }
}
