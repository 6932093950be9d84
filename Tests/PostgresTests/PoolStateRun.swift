import Sockets
import Testing

@testable import Postgres

/// A pool's state, its clock, and what was asked of it.
struct PoolStateRun {
    var state: PoolState
    var now = MonotonicTime(nanoseconds: 0)
    var queries: [String: PendingQuery] = [:]

    /// Opens a pool, so many of whose connections are ready.
    init(
        _ count: Int, ready: Int? = nil, configure: (inout PostgresConfiguration) -> Void = { _ in }
    ) {
        var configuration = PostgresConfiguration(connectionString: "")
        configuration.connections = count
        configuration.acquisitionTimeout = .seconds(2)
        configure(&configuration)
        state = PoolState(configuration)
        _ = state.open()
        for index in 0..<(ready ?? count) { _ = state.connectionIsReady(index) }
    }

    /// - Parameter name: The statement's.
    mutating func ask(
        _ name: String, _ effect: Statement.Effect = .read, _ parameter: Int = 0
    ) -> PostgresError.Code? {
        let query = PendingQuery(Statement(name, effect, ""), [.int(parameter)])
        queries[name] = query
        return state.enqueue(query, at: now)?.code
    }

    mutating func ask(_ names: [String], _ effect: Statement.Effect = .read) {
        for name in names { #expect(ask(name, effect) == nil) }
    }

    mutating func askForLease() -> PostgresError.Code? {
        state.enqueue(PendingLease(), at: now)?.code
    }

    mutating func endTurn() -> [String] {
        var actions: [PoolState.Action] = []
        while let action = state.next(at: now) { actions.append(action) }
        return Self.text(actions)
    }

    /// Loses a connection to which these queries were sent.
    mutating func lose(
        _ index: Int, _ loss: ConnectionLoss = .broke, _ pending: [SharedQuery] = [],
        sqlState: String? = nil
    ) -> [String] {
        Self.text(
            state.connectionWasLost(
                index, PostgresError(.unavailable, sqlState: sqlState), loss, pending: pending,
                at: now))
    }

    /// The next batch.
    mutating func batch() -> [SharedQuery] {
        guard case .send(let batch, on: _)? = state.next(at: now) else {
            Issue.record("nothing is sent")
            return []
        }
        return batch
    }

    static func text(_ actions: [PoolState.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .connect(let index): "connect \(index)"
            case .pause(let index, let pause): "pause \(index) \(Int(pause / .milliseconds(1)))"
            case .reset(let index): "reset \(index)"
            case .replace(let index): "replace \(index)"
            case .send(let batch, on: let index): "send \(text(batch)) on \(index)"
            case .lease(let index, to: _, since: _): "lease \(index)"
            case .fail(.query(let query), let error): "fail \(text([query])) \(error.code)"
            case .fail(.lease, let error): "fail lease \(error.code)"
            case .awaitLongRead: "await long read"
            case .endLongRead: "end long read"
            }
        }
    }

    /// The names, those that share an outcome in one word.
    static func text(_ batch: [SharedQuery]) -> String {
        batch.map { shared in
            ([shared.leader] + shared.followers).map(\.statement.name).joined(separator: "=")
        }.joined(separator: " ")
    }
}
