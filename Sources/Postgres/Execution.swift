/// When PostgreSQL executed a statement, among the others of the pool.
public struct Execution: Sendable {
    /// The batch that the statement was sent in. A pool numbers its batches in the order of sending.
    private let batch: Int
    /// The statement's place in the batch.
    private let place: Int
    /// The first batch that is sent after the result has arrived.
    private let laterBatch: Int

    init(batch: Int, place: Int, laterBatch: Int) {
        self.batch = batch
        self.place = place
        self.laterBatch = laterBatch
    }

    /// Whether the statement was certainly begun after the other one had ended, and so sees everything
    /// that the other one saw. A batch has a connection to itself, and PostgreSQL executes its statements
    /// one after the other.
    public func follows(_ other: Execution) -> Bool {
        batch >= other.laterBatch || (batch == other.batch && place > other.place)
    }
}

/// Numbers the batches of a pool. Confined to its loop.
final class BatchCounter {
    /// The number of the next batch.
    private(set) var next = 0

    func number() -> Int {
        defer { next += 1 }
        return next
    }
}
