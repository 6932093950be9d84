import Sockets

/// A transaction in progress, valid until it is committed or rolled back. Only for its pool's loop.
// @unchecked: every member checks that it runs on the loop.
public final class Transaction: @unchecked Sendable {
    private let loop: EventLoop
    let connection: PostgresConnection
    /// Identifies the connection that the transaction began on. A broken connection may have been
    /// replaced, but its transaction is gone.
    private let epoch: Int
    private var hasBegun = false

    init(loop: EventLoop, connection: PostgresConnection) {
        self.loop = loop
        self.connection = connection
        epoch = connection.epoch
    }

    /// Runs a statement. After an error every further statement fails, too.
    ///
    /// BEGIN is sent together with the first statement.
    ///
    /// - Parameter write: A statement to execute first, in the same round trip.
    /// - Returns: The rows of `statement`.
    @discardableResult
    public func query(
        _ statement: Statement, _ parameters: [PostgresParameter] = [],
        after write: BoundStatement? = nil
    ) async throws(PostgresError) -> Rows {
        loop.preconditionIsCurrent()
        let place = hasBegun ? PendingQuery.Place.inTransaction : .beginsTransaction
        hasBegun = true
        let query = PendingQuery(statement, parameters, after: write, place: place)
        return try await Resumption.outcome { resumption in
            query.resumption = resumption
            // Checked here, since the loop may do other things before the task suspends.
            guard connection.state == .ready, connection.epoch == epoch else {
                return query.finish(.failure(PostgresError(.connectionLost)))
            }
            connection.send([SharedQuery(query, since: loop.now)])
        }.get()
    }

    /// Commits the transaction. Does nothing if no statement was run.
    func commit() async throws(PostgresError) {
        guard hasBegun else { return }
        let rows = try await query(.commit)
        // PostgreSQL responds to the COMMIT of a failed transaction with ROLLBACK, and no error.
        guard rows.commandTag == "COMMIT" else {
            throw PostgresError(.connectionLost, detail: "committed after an error")
        }
    }

    /// Rolls the transaction back. Does nothing if no statement was run, or if the transaction is
    /// gone with its connection.
    func rollBack() async {
        guard hasBegun else { return }
        _ = try? await query(.rollback)
    }
}

extension Statement {
    static let commit = Statement("commit", .write, "COMMIT")
    static let rollback = Statement("rollback", .write, "ROLLBACK")
}
