import Sockets

/// A transaction in progress. Valid inside the `withTransaction` that made it, on its loop.
// @unchecked: every member checks that it runs on the loop.
public final class Transaction: @unchecked Sendable {
    private let loop: EventLoop
    private let connection: Connection
    /// A broken connection may be made anew while the transaction it had is gone.
    private let epoch: Int

    init(loop: EventLoop, connection: Connection) {
        self.loop = loop
        self.connection = connection
        epoch = connection.epoch
    }

    /// Runs a statement. After an error every further statement fails, too.
    @discardableResult
    public func query(
        _ statement: Statement, _ parameters: [PostgresParameter] = []
    ) async throws(PostgresError) -> Rows {
        loop.preconditionIsCurrent()
        guard connection.state == .ready, connection.epoch == epoch else {
            throw PostgresError(.connectionLost)
        }
        let outcome = await withUnsafeContinuation { continuation in
            connection.send([
                PendingQuery(
                    statement, parameters, queuedAt: loop.now, isInTransaction: true,
                    continuation: continuation)
            ])
        }
        return try outcome.get()
    }

    func commit() async throws(PostgresError) {
        let rows = try await query(.commit)
        // PostgreSQL answers a COMMIT of a failed transaction with ROLLBACK, and no error.
        guard rows.commandTag == "COMMIT" else {
            throw PostgresError(.connectionLost, detail: "committed after an error")
        }
    }
}

extension Statement {
    static let begin = Statement("begin", .write, "BEGIN")
    static let commit = Statement("commit", .write, "COMMIT")
    static let rollback = Statement("rollback", .write, "ROLLBACK")
}
