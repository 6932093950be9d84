extension PostgresPool {
    /// Runs `body` in a transaction on a connection of its own, and commits if `body` returns.
    ///
    /// If the transaction fails because of another one (a deadlock or a serialization failure), or
    /// because a statement was prepared for tables that have changed since, it is retried after a short
    /// pause, with at most three attempts in total. So `body` must change nothing but the database.
    ///
    /// - Throws: Any error that `body` throws, after rolling back; `PostgresError` otherwise.
    public func withTransaction<Result>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        try await repeating { try await runTransaction(body) }
    }

    /// Runs `body`. If it fails because of another transaction, or because a statement has to be
    /// prepared again, runs it again after a short pause, at most three times in total.
    public func repeating<Result, Failure: Error>(
        _ condition: (PostgresError) -> Bool = { _ in true },
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        var attempt = 1
        while true {
            do {
                return try await body()
            } catch {
                guard attempt < 3, let conflict = error as? PostgresError,
                    conflict.isRetryableConflict || conflict.isOutdated, condition(conflict)
                else { throw error }
                // The other transaction must wake up before it can continue. A retry without a
                // pause would often take the same lock before that, and fail again.
                let pause = Int.random(in: 10...30) * attempt * attempt
                try? await Task.sleep(for: .milliseconds(pause))
                attempt += 1
            }
        }
    }

    private func runTransaction<Result>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        let transaction = try await beginTransaction()
        do {
            let result = try await body(transaction)
            try await commit(transaction)
            return result
        } catch {
            await rollBack(transaction)
            throw error
        }
    }

    /// A transaction on a connection of its own. The caller must end it with `commit` or `rollBack`.
    public func beginTransaction() async throws(PostgresError) -> Transaction {
        Transaction(loop: loop, connection: try await lease())
    }

    /// - Throws: `PostgresError` if the transaction was not committed, or perhaps not. The caller
    ///   must then roll it back.
    public func commit(_ transaction: Transaction) async throws(PostgresError) {
        try await transaction.commit()
        release(transaction.connection)
    }

    public func rollBack(_ transaction: Transaction) async {
        await transaction.rollBack()
        release(transaction.connection)
    }
}
