import Postgres

/// The replica that one response is read from, until something has to be read from the primary. All
/// later reads then go to the primary, too, because a response must not go back in time. Confined
/// to its loop.
// @unchecked: only tasks of the loop refer to it.
public final class ReplicaReads: @unchecked Sendable {
    private var replica: Replica?
    private let gate: BoundStatement

    init(_ replica: Replica, behind gate: BoundStatement) {
        self.replica = replica
        self.gate = gate
    }

    /// Runs a statement on the replica if the statement's dependencies are declared. The feed does
    /// not reliably report other writes.
    ///
    /// - Returns: `nil` if the primary must be asked.
    func query(_ statement: Statement, _ parameters: [PostgresParameter]) async -> Rows? {
        guard statement.isRepeatable, let replica else {
            end()
            return nil
        }
        if let rows = await replica.query(statement, parameters, behind: gate) { return rows }
        end()
        return nil
    }

    /// Sends all further reads to the primary.
    func end() { replica = nil }
}
