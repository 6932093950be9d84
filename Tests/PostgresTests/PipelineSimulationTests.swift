import Testing

@testable import Postgres

/// Pipelines of random queries against a simulated server that fails at random.
@Suite("Random pipelines")
struct PipelineSimulationTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var x = state
            x ^= x >> 33
            x &*= 0xff51_afd7_ed55_8ccd
            return x ^ (x >> 29)
        }

        mutating func chance(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &self) < percent
        }
    }

    /// What PostgreSQL does with the commands of a pipeline.
    private struct Server {
        var prepared: Set<String> = []
        var isAborted = false
        var statements: [Int: Statement] = [:]
        /// Queries whose execution fails.
        var failing: Set<Int> = []
        var executions: [Int: Int] = [:]
        var random: Random

        /// The event that follows, if one does, and which query it answers.
        mutating func perform(_ command: Pipeline<Int>.Command) -> (Pipeline<Int>.Event, Int?)? {
            switch command {
            case .flush:
                return nil
            case .sync:
                isAborted = false
                if random.chance(2) { prepared = [] }  // DISCARD ALL, by somebody
                return (.sync, nil)
            case .prepare(let statement):
                if isAborted { return (.aborted, nil) }
                if random.chance(10) { return (fail("42P01"), nil) }
                prepared.insert(statement.name)
                return (.success, nil)
            case .query(let id):
                if isAborted { return (.aborted, id) }
                guard let name = statements[id]?.name, prepared.contains(name) else {
                    return (fail("26000"), id)
                }
                executions[id, default: 0] += 1
                return failing.contains(id) ? (fail("22012"), id) : (.success, id)
            }
        }

        private mutating func fail(_ state: String) -> Pipeline<Int>.Event {
            isAborted = true
            return .failure(PostgresError(.server, sqlState: state))
        }
    }

    @Test("give every query its own outcome, once, and run no write twice", arguments: 0..<50)
    func invariants(seed: Int) {
        var random = Random(state: UInt64(seed) &* 7919 &+ 1)
        var server = Server(random: Random(state: UInt64(seed) &+ 1_000_003))
        var machine = Pipeline<Int>()
        let statements = (0..<6).map {
            Statement("s\($0)", $0 < 4 ? .read : .write, "SELECT \($0)")
        }
        var waiting: [Pipeline<Int>.Query] = []
        for id in 0..<200 {
            guard let statement = statements.randomElement(using: &random) else { continue }
            server.statements[id] = statement
            if random.chance(10) { server.failing.insert(id) }
            waiting.append(Pipeline.Query(id: id, statement: statement))
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
            // A break in the middle: the unanswered are those sent and not answered yet.
            let breaksAt =
                random.chance(5) ? Int.random(in: 0..<commands.count, using: &random) : nil
            var answered: Set<Int> = []
            for (index, command) in commands.enumerated() {
                if index == breaksAt { break }
                guard let (event, asked) = server.perform(command) else { continue }
                switch machine.receive(event) {
                case .complete(let id):
                    #expect(id == asked, "a result went to another query")
                    #expect(outcomes.updateValue("done", forKey: id) == nil)
                    answered.insert(id)
                case .fail(let id, let error):
                    #expect(id == asked, "an error went to another query")
                    #expect(outcomes.updateValue(error.sqlState ?? "?", forKey: id) == nil)
                    answered.insert(id)
                case .resend(let id):
                    #expect(id == asked)
                    #expect(server.executions[id, default: 0] == 0, "it was executed already")
                    answered.insert(id)
                    waiting.insert(
                        Pipeline.Query(id: id, statement: statement(id, server), isAlone: true),
                        at: 0)
                case nil:
                    #expect(asked == nil, "query \(asked ?? -1) got no answer")
                }
            }
            if breaksAt != nil {
                let lost = machine.lose().map(\.id)
                #expect(lost == batch.map(\.id).filter { !answered.contains($0) })
                for id in lost { outcomes[id] = "lost" }
                server.prepared = []
                server.isAborted = false
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
            default: #expect(["lost", "42P01", "26000"].contains(outcome))
            }
            #expect(server.executions[id, default: 0] <= 1)
        }
        #expect(outcomes.values.count { $0 == "done" } > 60)
    }

    private func statement(_ id: Int, _ server: Server) -> Statement {
        server.statements[id] ?? Statement("none", .read, "")
    }
}
