import Foundation
import Postgres
import Sockets

/// The transaction of a request whose writes are committed together; if the request is carried out once,
/// together with the record of its response.
///
/// Each write of the request, and each of its transactions, is a part that succeeds or fails alone, as it
/// does on its own: a part that fails leaves the others as they are. The transaction begins with the
/// first write. If that fails, its connection is given back. So the request holds no connection while it
/// waits for something slow before it has written anything.
///
/// The parts run one after the other.
// @unchecked: its members run on the loop of the pool, as those of `Transaction` check.
public final class RequestTransaction: @unchecked Sendable {
    private let pool: PostgresPool
    /// `nil` if the request has no key.
    private let request: IdempotentRequest?
    private var transaction: Transaction?
    /// Whether a part has succeeded.
    private var hasWritten = false
    /// Whether another copy of the request is being carried out.
    private(set) var isContended = false
    private var isFinished = false

    init(_ pool: PostgresPool, for request: IdempotentRequest? = nil) {
        self.pool = pool
        self.request = request
    }

    var isOpen: Bool { transaction != nil }

    /// Runs a statement as a part.
    func query(
        _ statement: Statement, _ parameters: [PostgresParameter], after write: BoundStatement?
    ) async throws(PostgresError) -> Rows {
        try await pool.repeating({ $0.constraint == nil }) { () async throws(PostgresError) in
            let transaction = try await begin()
            do throws(PostgresError) {
                let rows = try await transaction.query(statement, parameters, after: write)
                hasWritten = true
                return rows
            } catch {
                await undo(transaction)
                throw error
            }
        }
    }

    /// Runs a transaction of the request as a part.
    func part<Result>(_ body: (Transaction) async throws -> Result) async throws -> Result {
        try await pool.repeating {
            let transaction = try await begin()
            do {
                let result = try await body(transaction)
                hasWritten = true
                return result
            } catch {
                await undo(transaction)
                throw error
            }
        }
    }

    /// Commits the parts that have succeeded. There can be no further ones.
    func commit() async throws(PostgresError) {
        isFinished = true
        guard let transaction else { return }
        do throws(PostgresError) {
            try await pool.commit(transaction)
            self.transaction = nil
        } catch {
            await rollBack()
            throw error
        }
    }

    /// Undoes the parts that have succeeded. There can be no further ones.
    func cancel() async {
        isFinished = true
        await rollBack()
    }

    private func rollBack() async {
        guard let transaction else { return }
        self.transaction = nil
        hasWritten = false
        await pool.rollBack(transaction)
    }

    /// Begins a part.
    private func begin() async throws(PostgresError) -> Transaction {
        guard !isFinished, !isContended else { throw PostgresError(.cancelled) }
        if let transaction {
            try await transaction.query(.savepoint)
            return transaction
        }
        let transaction = try await pool.beginTransaction()
        self.transaction = transaction
        guard let request else { return transaction }
        do throws(PostgresError) {
            let isFirst = try await transaction.query(
                IdempotencyRecords.claim, [.bytes(request.keyHash)])
            guard isFirst == [true] else {
                isContended = true
                throw PostgresError(.cancelled)
            }
        } catch {
            await rollBack()
            throw error
        }
        return transaction
    }

    /// Undoes a part that has failed.
    private func undo(_ transaction: Transaction) async {
        guard hasWritten else { return await rollBack() }
        // If this fails, the connection is lost, and so everything that follows fails, too.
        _ = try? await transaction.query(.rollBackToSavepoint)
    }
}

extension Store {
    /// Commits everything that `body` writes through its store together, or nothing if `body` throws.
    ///
    /// - Throws: `PostgresError`, and what `body` throws.
    public func together<Made>(_ body: (Store) async throws -> Made) async throws -> Made {
        let transaction = RequestTransaction(database.pool)
        do {
            let made = try await body(reading(.together(transaction)))
            try await transaction.commit()
            return made
        } catch {
            await transaction.cancel()
            throw error
        }
    }
}

extension Statement {
    fileprivate static let savepoint = Statement("savepoint", .write, "SAVEPOINT part")
    fileprivate static let rollBackToSavepoint = Statement(
        "roll_back_to_savepoint", .write, "ROLLBACK TO part")
}
