import Sockets

/// A transaction that waits for a connection of its own. Confined to its loop.
final class PendingLease {
    typealias Outcome = Result<LeasedConnection, PostgresError>

    private var resumption: Resumption<Outcome>

    init(_ resumption: consuming Resumption<Outcome> = Resumption()) {
        self.resumption = resumption
    }

    func finish(_ outcome: Outcome) { resumption.resume(returning: outcome) }
}

// @unchecked: it is made and used on one loop, and only passes through a continuation.
struct LeasedConnection: @unchecked Sendable {
    let connection: PostgresConnection
}
