/// The messages that were sent to a connection and have no outcome yet: queries, and the flush
/// behind them. It assigns each result to its query, without sending or receiving anything. Its
/// `Pipeline` knows each message by its index.
struct Batch {
    private enum Message {
        case query(SharedQuery)
        /// Makes the commits before it durable.
        case flush(wasSkipped: Bool)
    }

    private var messages: [Message] = []
    /// The writes whose commits are not durable yet, and their rows. They succeed when the flush does.
    private var unflushed: [(query: SharedQuery, rows: Rows)] = []
    /// Queries that were skipped because a neighbour failed. They are sent again when everything
    /// else is complete.
    private var skipped: [SharedQuery] = []
    private var flushWasSkipped = false

    var hasSkipped: Bool { !skipped.isEmpty || flushWasSkipped }

    /// Adds queries, and the messages that have to be sent with them.
    ///
    /// - Returns: The messages to send, in this order.
    mutating func add(_ queries: [SharedQuery]) -> Range<Int> {
        let start = messages.count
        messages += queries.map { .query($0) }
        if flushWasSkipped || queries.contains(where: \.leader.needsFlush) {
            messages.append(.flush(wasSkipped: flushWasSkipped))
        }
        flushWasSkipped = false
        return start..<messages.count
    }

    /// The statement of a message, with its parameters.
    func statement(of index: Int) -> BoundStatement {
        switch messages[index] {
        case .query(let query): BoundStatement(query.leader.statement, query.leader.parameters)
        case .flush: BoundStatement(.flush)
        }
    }

    /// The write that precedes a query in the same message.
    func precedingWrite(of index: Int) -> BoundStatement? {
        if case .query(let query) = messages[index] { query.leader.preceding } else { nil }
    }

    func pipelineQuery(_ index: Int) -> Pipeline<Int>.Query {
        switch messages[index] {
        case .query(let shared):
            let query = shared.leader
            return Pipeline.Query(
                id: index, statement: query.statement,
                isAlone: shared.isAlone || query.place != .outside,
                beginsTransaction: query.place == .beginsTransaction,
                preceding: query.preceding?.statement)
        case .flush(let wasSkipped):
            return Pipeline.Query(id: index, statement: .flush, isAlone: wasSkipped)
        }
    }

    /// Takes the outcome of a message.
    ///
    /// - Parameter finish: Called with each query that this completes.
    mutating func receive(
        _ outcome: PendingQuery.Outcome, for index: Int,
        finish: (SharedQuery, PendingQuery.Outcome) -> Void
    ) {
        switch (messages[index], outcome) {
        case (.flush, _):
            for (query, rows) in unflushed {
                finish(query, outcome.map { _ in rows }.mapError { _ in query.lossError })
            }
            unflushed = []
        case (.query(let query), .success(let rows)):
            guard query.leader.needsFlush else { return finish(query, outcome) }
            unflushed.append((query, rows))
        case (.query(let query), .failure):
            finish(query, outcome)
        }
    }

    /// Notes that PostgreSQL skipped a message.
    mutating func skip(_ index: Int) {
        switch messages[index] {
        case .query(var query):
            query.wasSkipped()
            skipped.append(query)
        case .flush: flushWasSkipped = true
        }
    }

    /// Forgets the messages. All of them must have been completed or skipped.
    ///
    /// - Returns: The queries to add and send again.
    mutating func takeSkipped() -> [SharedQuery] {
        messages.removeAll(keepingCapacity: true)
        defer { skipped = [] }
        return skipped
    }

    /// Forgets everything, because the connection was lost.
    ///
    /// - Parameter pending: The messages that were sent but not completed.
    /// - Returns: The queries that were sent and have no outcome.
    mutating func lose(_ pending: [Int]) -> [SharedQuery] {
        let queries = pending.compactMap { index -> SharedQuery? in
            if case .query(let query) = messages[index] { query } else { nil }
        }
        defer { self = Batch() }
        return unflushed.map(\.query) + queries + skipped
    }
}

extension Statement {
    /// Commits something that changes nothing. A transaction that wrote nothing would not be flushed.
    fileprivate static let flush = Statement(
        "flush", .write, "SELECT pg_logical_emit_message(true, 'fave-games flush', '')")
}
