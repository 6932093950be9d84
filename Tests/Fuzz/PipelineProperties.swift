@testable import Postgres

/// Whatever becomes of its queries and its connections, a pipeline gives each query one outcome and
/// has no write executed twice; and whatever a server responds, it completes no query twice and loses
/// none.
enum PipelineProperties {
    static let statements = [
        Statement("r0", .read, ""), Statement("r1", .read, ""), Statement("r2", .read, ""),
        Statement("w0", .write, ""), Statement("w1", .write, ""),
    ]
    static let precedingWrite = Statement("p", .write, "")

    static func check(_ input: UnsafeRawBufferPointer) {
        var choices = Choices(input)
        if choices.chance(64) {
            checkAnyResponses(&choices)
        } else {
            PipelineRun(choices).check()
        }
    }

    /// Results in any order, such as no server gives.
    private static func checkAnyResponses(_ choices: inout Choices) {
        var pipeline = Pipeline<Int>()
        var next = 0
        while !choices.isAtEnd {
            let batch = (0...choices.index(below: 12)).map { _ in
                defer { next += 1 }
                return Pipeline.Query(
                    id: next, statement: statements[choices.index(below: statements.count)],
                    isAlone: choices.chance(64),
                    preceding: choices.chance(32) ? precedingWrite : nil)
            }
            let writes = Set(batch.filter { $0.statement.effect == .write }.map(\.id))
            let followers = Set(batch.filter { $0.preceding != nil }.map(\.id))
            _ = pipeline.send(batch)
            var pending = batch.map(\.id)
            var hasEnded = false
            while !hasEnded, !pipeline.isIdle {
                require(pipeline.queriesInFlight == pending.count, "queries in flight")
                let event = anyEvent(&choices)
                switch pipeline.receive(event) {
                case .complete(let id):
                    require(!writes.contains(id), "the write \(id) is completed before its Sync")
                    take(id, from: &pending)
                case .completeRetained(let id), .fail(let id, _): take(id, from: &pending)
                case .resend(let id):
                    // What precedes a query may have failed in its place.
                    let isRefused =
                        switch event {
                        case .failure: true
                        case .aborted: followers.contains(id)
                        default: false
                        }
                    require(!writes.contains(id) || isRefused, "the write \(id) is sent again")
                    take(id, from: &pending)
                case .mismatch: hasEnded = true
                case .retain, nil: break
                }
            }
            if pipeline.isIdle { require(pending.isEmpty, "idle without \(pending)") }
            require(pipeline.lose().map(\.id) == pending, "lost another query")
            require(pipeline.isIdle && pipeline.queriesInFlight == 0, "not idle once it is lost")
        }
    }

    /// In the order of the queries: PostgreSQL responds in no other.
    private static func take(_ id: Int, from pending: inout [Int]) {
        require(pending.first == id, "\(id) is completed, and due is \(pending)")
        pending.removeFirst()
    }

    private static func anyEvent(_ choices: inout Choices) -> Pipeline<Int>.Event {
        switch choices.index(below: 9) {
        case 0, 1, 2: .success
        case 3, 4: .sync
        case 5: .aborted
        case 6: .failure(PostgresError(.server, sqlState: "26000"))
        case 7: .failure(PostgresError(.server, sqlState: "0A000"))
        default: .failure(PostgresError(.server, sqlState: "40001"))
        }
    }
}
