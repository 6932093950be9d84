@testable import Postgres

/// Queries that are sent, and sent again, as `PostgresConnection` and `PostgresPool` do it, to a server that
/// does what PostgreSQL does and fails where the input says.
struct PipelineRun {
    private enum Outcome: Equatable {
        case done
        case failed(String)
        /// Sent, and its connection broke: whether it was executed is unknown.
        case unknown
    }

    private static let maximumQueries = 64

    private var choices: Choices
    private var server = SimulatedServer()
    private var pipeline = Pipeline<Int>()
    private var waiting: [Pipeline<Int>.Query] = []
    private var effects: [Int: Statement.Effect] = [:]
    private var wasRepeated: Set<Int> = []
    private var outcomes: [Int: Outcome] = [:]

    init(_ choices: Choices) {
        self.choices = choices
    }

    func check() {
        var run = self
        var batches = 0
        while !run.choices.isAtEnd || !run.waiting.isEmpty {
            run.queue()
            run.sendBatch()
            batches += 1
            require(batches < 4 * Self.maximumQueries, "\(run.waiting.count) go round in circles")
        }
        for (id, effect) in run.effects { run.checkOutcome(of: id, effect) }
    }

    private mutating func queue() {
        let count = min(choices.index(below: 16), Self.maximumQueries - effects.count)
        for _ in 0..<max(count, waiting.isEmpty && effects.isEmpty ? 1 : 0) {
            let id = effects.count
            let index = choices.index(below: PipelineProperties.statements.count)
            let statement = PipelineProperties.statements[index]
            server.statements[id] = statement
            if statement.effect == .read, choices.chance(24) {
                server.preceding[id] = PipelineProperties.precedingWrite
            }
            effects[id] = server.preceding[id] == nil ? statement.effect : .write
            // Not writes: this run knows nothing of what a transaction commits.
            let begins = effects[id] != .write && choices.chance(12)
            waiting.append(
                Pipeline.Query(
                    id: id, statement: statement, isAlone: begins || choices.chance(16),
                    beginsTransaction: begins, preceding: server.preceding[id]))
        }
        // Past the most that there are, the rest of the input says nothing.
        if effects.count == Self.maximumQueries { _ = choices.text() }
    }

    private mutating func sendBatch() {
        let batch = Array(waiting.prefix(1 + choices.index(below: 24)))
        guard !batch.isEmpty else { return }
        waiting.removeFirst(batch.count)
        var pending = batch.map(\.id)
        let commands = pipeline.send(batch)
        require(commands.last == .sync, "results without a Sync may never come")
        checkGroups(commands)
        let queries = commands.compactMap { if case .query(let id) = $0 { id } else { nil } }
        require(queries == pending, "sent \(queries) instead of \(pending)")

        // The server may have worked on more than has arrived when the connection breaks.
        var events: [SimulatedServer.Response] = []
        for command in commands { events += server.perform(command, &choices) }
        var isBroken = false
        var retained: Int?
        for response in events {
            if choices.chance(4) {
                isBroken = true
                break
            }
            receive(response, &pending, &retained)
            require(pipeline.queriesInFlight == pending.count, "queries in flight")
        }
        guard isBroken else {
            require(pipeline.isIdle && pending.isEmpty, "no response for \(pending)")
            return
        }
        let lost = pipeline.lose()
        require(lost.map(\.id) == pending, "lost \(lost.map(\.id)), not \(pending)")
        server.disconnect()
        for query in lost.reversed() {
            guard effects[query.id] == .read, wasRepeated.insert(query.id).inserted else {
                finish(query.id, .unknown)
                continue
            }
            waiting.insert(query, at: 0)
        }
    }

    /// A write shares its Sync with nothing but the query that it precedes.
    private func checkGroups(_ commands: [Pipeline<Int>.Command]) {
        for group in commands.split(separator: .sync) {
            let hasWrite = group.contains {
                if case .query(let id) = $0 { effects[id] == .write } else { false }
            }
            let others = group.filter {
                if case .precedingWrite = $0 { false } else { true }
            }
            require(!hasWrite || others.count == 1, "a write among others: \(group)")
        }
    }

    private mutating func receive(
        _ response: SimulatedServer.Response, _ pending: inout [Int], _ retained: inout Int?
    ) {
        let (event, asked) = response
        switch pipeline.receive(event) {
        case .complete(let id):
            require(id == asked && effects[id] == .read, "\(asked as Any) is the result of \(id)")
            finish(id, .done)
            pending.removeFirst()
        case .retain:
            retained = asked
        case .completeRetained(let id):
            require(id == retained, "\(retained as Any) is the result of \(id)")
            finish(id, .done)
            pending.removeFirst()
        case .fail(let id, let error):
            require(id == asked, "the error of \(asked as Any) is the result of \(id)")
            finish(id, .failed(error.sqlState ?? "none"))
            pending.removeFirst()
        case .resend(let id):
            require(id == asked, "\(id) is sent again instead of \(asked as Any)")
            pending.removeFirst()
            guard let statement = server.statements[id] else { return }
            waiting.insert(
                Pipeline.Query(
                    id: id, statement: statement, isAlone: true,
                    preceding: server.preceding[id]),
                at: 0)
        case .mismatch:
            fatalError("\(event) was not expected")
        case nil:
            // An aborted or failed Prepare says nothing of a query; a Sync may.
            require(asked == nil, "no response for \(asked as Any)")
        }
    }

    private mutating func finish(_ id: Int, _ outcome: Outcome) {
        require(outcomes.updateValue(outcome, forKey: id) == nil, "\(id) is completed twice")
    }

    private func checkOutcome(of id: Int, _ effect: Statement.Effect) {
        guard let outcome = outcomes[id] else { fatalError("\(id) was never completed") }
        let executions = server.executions[id, default: 0]
        let commits = server.commits[id, default: 0]
        require(effect == .read || executions <= 1, "the write \(id) ran \(executions) times")
        switch outcome {
        case .done:
            require(executions > 0, "\(id) is done, and never ran")
            require(effect == .read || commits == 1, "the write \(id) is done, and not there")
        case .failed:
            require(commits == 0, "the write \(id) failed, and is there")
        case .unknown:
            require(commits <= 1, "the write \(id) is there \(commits) times")
        }
    }
}
