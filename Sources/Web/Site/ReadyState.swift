import Endpoints
import Synchronization

/// Whether the server can serve requests, as far as it knows without asking the database. It waits
/// for the database when it starts, and asks for no more requests once it is stopping. Any thread may
/// use it.
public final class ReadyState: Sendable {
    private let waits = Atomic(false)
    private let state = Mutex(Health.Problem?.none)

    /// Whether people can only read. The server is ready nevertheless.
    public let maintenance = MaintenanceMode()

    public init() {}

    /// From now on requests that need the database get a 503.
    ///
    /// - Parameter reason: What the server waits for, for monitors.
    public func wait(for reason: String) {
        set(.waiting(reason))
        waits.store(true, ordering: .relaxed)
    }

    /// From now on requests that need the database get a 503.
    ///
    /// - Parameter reason: Why the server can't start as it is set up, for operators.
    public func refuse(_ reason: String) {
        set(.refused(reason))
        waits.store(true, ordering: .relaxed)
    }

    /// From now on requests are served.
    public func begin() {
        set(nil)
        waits.store(false, ordering: .relaxed)
    }

    /// Makes health checks report to load balancers and monitors that the server is stopping.
    public func end() { set(.stopping) }

    private func set(_ problem: Health.Problem?) {
        state.withLock { if $0 != .stopping { $0 = problem } }
    }

    var problem: Health.Problem? { state.withLock { $0 } }

    /// Whether the database is not ready yet.
    var isWaiting: Bool { waits.load(ordering: .relaxed) }
}
