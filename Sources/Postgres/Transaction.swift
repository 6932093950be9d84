import Sockets

/// A transaction in progress. Valid inside the `withTransaction` that made it, on its loop.
// @unchecked: every member checks that it runs on the loop.
public final class Transaction: @unchecked Sendable {
    private let loop: EventLoop
    private let connection: PostgresConnection
    /// A broken connection may be made anew while the transaction it had is gone.
    private let epoch: Int
    private var hasBegun = false

    init(loop: EventLoop, connection: PostgresConnection) {
        self.loop = loop
        self.connection = connection
        epoch = connection.epoch
    }

    /// Runs a statement. After an error every further statement fails, too.
    ///
    /// BEGIN travels with the first one.
    @discardableResult
    public func query(
        _ statement: Statement, _ parameters: [PostgresParameter] = []
    ) async throws(PostgresError) -> Rows {
        loop.preconditionIsCurrent()
        guard connection.state == .ready, connection.epoch == epoch else {
            throw PostgresError(.connectionLost)
        }
        let place = hasBegun ? PendingQuery.Place.inTransaction : .beginsTransaction
        hasBegun = true
        let query = PendingQuery(statement, parameters, at: loop.now, place: place)
        return try await withUnsafeContinuation { continuation in
            query.resumption = Resumption(continuation)
            connection.send([query])
        }.get()
    }

    /// Does nothing if no statement was run.
    func commit() async throws(PostgresError) {
        guard hasBegun else { return }
        let rows = try await query(.commit)
        // PostgreSQL answers a COMMIT of a failed transaction with ROLLBACK, and no error.
        guard rows.commandTag == "COMMIT" else {
            throw PostgresError(.connectionLost, detail: "committed after an error")
        }
    }

    /// Does nothing if no statement was run, or if the connection is gone and the transaction with
    /// it.
    func rollBack() async {
        guard hasBegun else { return }
        _ = try? await query(.rollback)
    }
}

extension Statement {
    static let commit = Statement("commit", .write, "COMMIT")
    static let rollback = Statement("rollback", .write, "ROLLBACK")
}
