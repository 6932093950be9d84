import TestSupport
import Testing

@testable import Postgres

/// Pipelines of random queries against a simulated server that fails at random.
@Suite("Random pipelines")
struct PipelineSimulationTests {
    /// What PostgreSQL does with the commands of a pipeline.
    private struct Server {
        var prepared: Set<String> = []
        /// The prepared statements whose result has another type since a table was changed.
        var outdated: Set<String> = []
        var isAborted = false
        var statements: [Int: Statement] = [:]
        /// The writes that precede queries in their groups.
        var preceding: [Int: Statement] = [:]
        /// Queries whose execution fails.
        var failing: Set<Int> = []
        /// Writes whose commit fails.
        var failingAtCommit: Set<Int> = []
        var executions: [Int: Int] = [:]
        /// Writes that were committed, each as often as it was.
        var commits: [Int: Int] = [:]
        /// The write that the next Sync commits.
        private var pending: Int?
        var random: Random

        init(random: Random) { self.random = random }

        /// The connection broke: PostgreSQL rolls back what has not come to its Sync.
        mutating func disconnect() {
            prepared = []
            outdated = []
            isAborted = false
            pending = nil
        }

        /// The events that follow, and which query each responds to.
        mutating func perform(
            _ command: Pipeline<Int>.Command
        ) -> [(Pipeline<Int>.Event, Int?)] {
            switch command {
            case .flush:
                return []
            case .sync:
                isAborted = false
                if random.chance(2) { prepared = [] }  // DISCARD ALL, by someone else
                if random.chance(2) { outdated = prepared }
                outdated.formIntersection(prepared)
                guard let write = pending else { return [(.sync, nil)] }
                pending = nil
                if failingAtCommit.contains(write) {
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
                if random.chance(10) { return [(fail("42P01"), nil)] }
                prepared.insert(statement.name)
                return [(.success, nil)]
            case .begin:
                return [(random.chance(10) ? fail("25006") : .success, nil)]
            case .precedingWrite(let id):
                if isAborted { return [(.aborted, nil)] }
                guard let statement = preceding[id], prepared.contains(statement.name) else {
                    return [(fail("26000"), nil)]
                }
                if outdated.contains(statement.name) { return [(fail("0A000"), nil)] }
                if random.chance(10) { return [(fail("23503"), nil)] }
                pending = id
                return [(.success, nil)]
            case .query(let id):
                if isAborted { return [(.aborted, id)] }
                guard let statement = statements[id], prepared.contains(statement.name) else {
                    return [(fail("26000"), id)]
                }
                if outdated.contains(statement.name) { return [(fail("0A000"), id)] }
                executions[id, default: 0] += 1
                if failing.contains(id) { return [(fail("22012"), id)] }
                if statement.effect == .write { pending = id }
                return [(.success, id)]
            }
        }

        private mutating func fail(_ state: String) -> Pipeline<Int>.Event {
            isAborted = true
            pending = nil
            return .failure(PostgresError(.server, sqlState: state))
        }

        /// Whether the query's group changes something.
        func isWrite(_ id: Int) -> Bool {
            statements[id]?.effect == .write || preceding[id] != nil
        }
    }

    @Test("give every query its own outcome, once, and run no write twice", arguments: 0..<50)
    func invariants(seed: Int) {
        var random = Random(seed: seed)
        var server = Server(random: Random(seed: seed + 1_000_003))
        var machine = Pipeline<Int>()
        let statements = (0..<6).map {
            Statement("s\($0)", $0 < 4 ? .read : .write, "SELECT \($0)")
        }
        var waiting: [Pipeline<Int>.Query] = []
        for id in 0..<200 {
            guard let statement = statements.randomElement(using: &random) else { continue }
            server.statements[id] = statement
            if random.chance(10) { server.failing.insert(id) }
            if statement.effect == .read, random.chance(15) {
                server.preceding[id] = Statement("w\(id % 2)", .write, "SELECT 'w'")
            }
            if random.chance(20), server.isWrite(id) { server.failingAtCommit.insert(id) }
            let begins = !server.isWrite(id) && random.chance(10)
            waiting.append(
                Pipeline.Query(
                    id: id, statement: statement, isAlone: begins, beginsTransaction: begins,
                    preceding: server.preceding[id]))
        }

        var outcomes: [Int: String] = [:]
        var rounds = 0
        while !waiting.isEmpty, rounds < 5_000 {
            rounds += 1
            let count = min(waiting.count, Int.random(in: 1...16, using: &random))
            let batch = Array(waiting.prefix(count))
            waiting.removeFirst(count)
            let commands = machine.send(batch)
            #expect(machine.queriesInFlight == batch.count)
            #expect(commands.last == .sync, "results without a Sync may never come")
            // A break in the middle: the pending are those sent and not completed yet.
            let breaksAt =
                random.chance(5) ? Int.random(in: 0..<commands.count, using: &random) : nil
            var completed: Set<Int> = []
            var retained: Int?
            for (index, command) in commands.enumerated() {
                if index == breaksAt { break }
                for (event, asked) in server.perform(command) {
                    switch machine.receive(event) {
                    case .complete(let id):
                        #expect(id == asked, "a result went to another query")
                        #expect(!server.isWrite(id), "it may fail yet")
                        #expect(outcomes.updateValue("done", forKey: id) == nil)
                        completed.insert(id)
                    case .retain:
                        #expect(asked != nil, "the result is nobody's")
                        retained = asked
                    case .completeRetained(let id):
                        #expect(id == retained, "a result went to another query")
                        #expect(outcomes.updateValue("done", forKey: id) == nil)
                        completed.insert(id)
                    case .fail(let id, let error):
                        #expect(id == asked, "an error went to another query")
                        #expect(outcomes.updateValue(error.sqlState ?? "?", forKey: id) == nil)
                        completed.insert(id)
                    case .resend(let id):
                        #expect(id == asked)
                        #expect(server.executions[id, default: 0] == 0, "it was executed already")
                        completed.insert(id)
                        waiting.insert(
                            Pipeline.Query(
                                id: id, statement: statement(id, server), isAlone: true,
                                preceding: server.preceding[id]),
                            at: 0)
                    case .mismatch: Issue.record("\(event) was not expected")
                    case nil:
                        #expect(asked == nil, "query \(asked ?? -1) got no response")
                    }
                }
            }
            if breaksAt != nil {
                let lost = machine.lose().map(\.id)
                #expect(lost == batch.map(\.id).filter { !completed.contains($0) })
                for id in lost { outcomes[id] = "lost" }
                server.disconnect()
            }
            #expect(machine.isIdle)
            #expect(machine.queriesInFlight == 0)
        }

        #expect(waiting.isEmpty)
        #expect(outcomes.count == 200)
        for (id, outcome) in outcomes {
            switch outcome {
            case "done": #expect(!server.failing.contains(id))
            case "22012": #expect(server.failing.contains(id))
            case "40001": #expect(server.failingAtCommit.contains(id))
            default:
                #expect(["lost", "42P01", "26000", "0A000", "25006", "23503"].contains(outcome))
            }
            #expect(server.executions[id, default: 0] <= 1)
            guard server.isWrite(id), outcome != "lost" else { continue }
            #expect((server.commits[id] ?? 0) == (outcome == "done" ? 1 : 0), "\(id): \(outcome)")
        }
        #expect(outcomes.values.count { $0 == "done" } > 60)
    }

    private func statement(_ id: Int, _ server: Server) -> Statement {
        server.statements[id] ?? Statement("none", .read, "")
    }
}
