@testable import Postgres

/// What PostgreSQL does with the commands of a pipeline.
struct SimulatedServer {
    /// An event, and the query that it responds to.
    typealias Response = (event: Pipeline<Int>.Event, query: Int?)

    var statements: [Int: Statement] = [:]
    /// The writes that precede queries in their groups.
    var preceding: [Int: Statement] = [:]
    private(set) var executions: [Int: Int] = [:]
    /// Writes that were committed, each as often as it was.
    private(set) var commits: [Int: Int] = [:]
    private var prepared: Set<String> = []
    /// The prepared statements whose result has another type since a table was changed.
    private var outdated: Set<String> = []
    private var isAborted = false
    /// Until the Sync: a run begins transactions only to see their first query through.
    private var isInTransaction = false
    /// The write that the next Sync commits.
    private var pending: Int?

    /// The connection broke: what has not come to its Sync is rolled back.
    mutating func disconnect() {
        prepared = []
        outdated = []
        isAborted = false
        isInTransaction = false
        pending = nil
    }

    mutating func perform(
        _ command: Pipeline<Int>.Command, _ choices: inout Choices
    ) -> [Response] {
        switch command {
        case .flush:
            return []
        case .sync:
            isAborted = false
            isInTransaction = false
            // DISCARD ALL, by someone else.
            if choices.chance(12) { prepared = [] }
            if choices.chance(6) { outdated = prepared }
            outdated.formIntersection(prepared)
            guard let write = pending else { return [(.sync, nil)] }
            pending = nil
            if choices.chance(48) {
                return [
                    (.failure(PostgresError(.server, sqlState: "40001")), write), (.sync, nil),
                ]
            }
            commits[write, default: 0] += 1
            return [(.sync, write)]
        case .deallocateAll:
            prepared = []
            outdated = []
            return [(.success, nil)]
        case .prepare(let statement):
            if isAborted { return [(.aborted, nil)] }
            if choices.chance(24) { return [(fail("42P01"), nil)] }
            prepared.insert(statement.name)
            return [(.success, nil)]
        case .begin:
            isInTransaction = true
            return [choices.chance(24) ? (fail("25006"), nil) : (.success, nil)]
        case .precedingWrite(let id):
            if isAborted { return [(.aborted, nil)] }
            guard let statement = preceding[id], prepared.contains(statement.name) else {
                return [(fail("26000"), nil)]
            }
            if outdated.contains(statement.name) { return [(fail("0A000"), nil)] }
            if choices.chance(48) { return [(fail("23503"), nil)] }
            if !isInTransaction { pending = id }
            return [(.success, nil)]
        case .query(let id):
            if isAborted { return [(.aborted, id)] }
            guard let statement = statements[id], prepared.contains(statement.name) else {
                return [(fail("26000"), id)]
            }
            if outdated.contains(statement.name) { return [(fail("0A000"), id)] }
            executions[id, default: 0] += 1
            if choices.chance(48) { return [(fail("22012"), id)] }
            if statement.effect == .write, !isInTransaction { pending = id }
            return [(.success, id)]
        }
    }

    private mutating func fail(_ state: String) -> Pipeline<Int>.Event {
        isAborted = true
        pending = nil
        return .failure(PostgresError(.server, sqlState: state))
    }
}
