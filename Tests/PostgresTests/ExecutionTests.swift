import Testing

@testable import Postgres

@Suite("When a statement was executed")
struct ExecutionTests {
    private let check = Execution(batch: 3, place: 1, laterBatch: 5)

    private func follows(_ batch: Int, _ place: Int) -> Bool {
        Execution(batch: batch, place: place, laterBatch: 9).follows(check)
    }

    @Test("is after those before it in its batch")
    func batch() { #expect([0, 1, 2].map { follows(3, $0) } == [false, false, true]) }

    @Test("is after those whose results had arrived before it was sent, and after no others")
    func batches() { #expect([2, 4, 5].map { follows($0, 2) } == [false, false, true]) }
}
