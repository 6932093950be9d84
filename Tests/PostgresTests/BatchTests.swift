import CLibPQ
import Sockets
import Testing

@testable import Postgres

@Suite("A batch")
struct BatchTests {
    private static let read = Statement("read", .read, "SELECT 1")
    private static let asynchronous = Statement("asynchronous", .asynchronousWrite, "SELECT 2")
    private static let failure = PendingQuery.Outcome.failure(
        PostgresError(.server, sqlState: "22012"))

    private var batch = Batch()
    /// What has an outcome, as `statement: outcome`.
    private var outcomes: [String] = []

    private static func query(_ query: PendingQuery) -> SharedQuery {
        SharedQuery(query, since: MonotonicTime(nanoseconds: 0))
    }

    private static func read(_ name: String) -> SharedQuery {
        query(PendingQuery(Statement(name, .read, ""), []))
    }

    private static func write(_ name: String) -> SharedQuery {
        query(PendingQuery(Statement(name, .asynchronousWrite, ""), []))
    }

    /// A row with one boolean.
    private static func rows(_ value: Bool) throws -> PendingQuery.Outcome {
        let result = try #require(PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK))
        let rows = "value".withCString { name in
            var column = PGresAttDesc()
            column.name = UnsafeMutablePointer(mutating: name)
            column.format = 1
            column.typid = 16
            PQsetResultAttrs(result, 1, &column)
            var byte = CChar(value ? 1 : 0)
            PQsetvalue(result, 0, 0, &byte, 1)
            return Rows(result)
        }
        return .success(rows)
    }

    private static func text(_ query: SharedQuery, _ outcome: PendingQuery.Outcome) -> String {
        let result =
            switch outcome {
            case .success: "done"
            case .failure(let error): error.sqlState ?? "\(error.code)"
            }
        return "\(query.leader.statement.name): \(result)"
    }

    /// - Returns: The names of the statements that are to be sent.
    private mutating func send(_ queries: [SharedQuery]) -> [String] {
        let messages = batch.add(queries)
        return messages.map { batch.statement(of: $0).statement.name }
    }

    private mutating func receive(_ outcome: PendingQuery.Outcome, for message: Int) {
        var finished: [String] = []
        batch.receive(outcome, for: message) { finished.append(Self.text($0, $1)) }
        outcomes += finished
    }

    @Test(
        "responds to asynchronous writes when the flush behind them is, and those that fail at once"
    )
    mutating func flush() throws {
        let names = send([Self.write("a"), Self.write("b"), Self.read("c")])
        #expect(names == ["a", "b", "c", "flush"])
        receive(try Self.rows(true), for: 0)
        receive(Self.failure, for: 1)
        receive(try Self.rows(true), for: 2)
        #expect(outcomes == ["b: 22012", "c: done"])
        receive(try Self.rows(true), for: 3)
        #expect(outcomes == ["b: 22012", "c: done", "a: done"])
    }

    @Test("doesn't know the outcome of a write whose flush failed, or never came")
    mutating func lostFlush() throws {
        _ = send([Self.write("a")])
        receive(try Self.rows(true), for: 0)
        receive(Self.failure, for: 1)
        #expect(outcomes == ["a: outcomeUnknown"])

        batch = Batch()
        _ = send([Self.write("a"), Self.write("b")])
        receive(try Self.rows(true), for: 0)
        let lost = batch.lose([1, 2])
        #expect(lost.map(\.leader.statement.name) == ["a", "b"])
        #expect(lost.allSatisfy { $0.lossError.code == .outcomeUnknown })
        #expect(!batch.hasSkipped)
    }

    @Test("sends again what was skipped, each query alone")
    mutating func skipped() throws {
        _ = send([Self.read("a"), Self.read("b"), Self.read("c")])
        receive(Self.failure, for: 0)
        for message in 1...2 { batch.skip(message) }
        #expect(batch.hasSkipped)
        let skipped = batch.takeSkipped()
        #expect(!batch.hasSkipped)
        #expect(send(skipped) == ["b", "c"])
        #expect([0, 1].map { batch.pipelineQuery($0).isAlone } == [true, true])
        // One that is lost after that waits again, but shares its outcome no more.
        #expect(batch.lose([0, 1]).allSatisfy { $0.question == nil })
    }

    @Test("sends a flush again that was skipped, once, and completes the writes before it by that")
    mutating func skippedFlush() throws {
        _ = send([Self.write("a")])
        receive(try Self.rows(true), for: 0)
        #expect(!batch.pipelineQuery(1).isRepeated)
        batch.skip(1)
        #expect(batch.hasSkipped)
        #expect(send(batch.takeSkipped()) == ["flush"])
        #expect(batch.pipelineQuery(0).isRepeated)
        #expect(outcomes.isEmpty)
        receive(try Self.rows(true), for: 0)
        #expect(outcomes == ["a: done"])
    }

    @Test("sends a transaction's queries alone, and its first one behind BEGIN")
    mutating func transaction() {
        _ = send([Self.query(PendingQuery(Self.read, [], place: .beginsTransaction))])
        // Its commit is synchronous, so nothing has to be flushed.
        let names = send([Self.query(PendingQuery(Self.asynchronous, [], place: .inTransaction))])
        #expect(names == ["asynchronous"])
        let queries = [0, 1].map { batch.pipelineQuery($0) }
        #expect(queries.map(\.beginsTransaction) == [true, false])
        #expect(queries.map(\.isAlone) == [true, true])
    }
}
