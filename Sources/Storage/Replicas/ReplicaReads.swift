import Postgres

/// The replica that one response is read from, until something has to be read from the primary. What
/// follows is then read there, too: a response must not go back in time. Confined to its loop.
// @unchecked: only tasks of the loop refer to it.
public final class ReplicaReads: @unchecked Sendable {
    private var replica: Replica?
    private let gate: BoundStatement

    init(_ replica: Replica, behind gate: BoundStatement) {
        self.replica = replica
        self.gate = gate
    }

    /// Runs a statement at the replica. Only those go there whose dependencies are declared: the feed
    /// tells of everything else that is written only by chance.
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

    /// Has everything from now on read from the primary.
    func end() { replica = nil }
}
