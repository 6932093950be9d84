import Synchronization

/// Whether the server wants requests, which it does until it is told to stop. Any thread may use
/// it.
public final class ReadyState: Sendable {
    private let ready = Atomic(true)

    public init() {}

    /// From now on load balancers and monitors are told that the server is stopping.
    public func end() { ready.store(false, ordering: .relaxed) }

    var isReady: Bool { ready.load(ordering: .relaxed) }
}
