import HTTP
import HTTPTypes
import Synchronization

/// Whether the server wants requests: until it is told to stop. Any thread may use it.
public final class ReadyState: Sendable {
    private let isReady = Atomic(true)

    public init() {}

    /// From now on load balancers are told to send their clients elsewhere.
    public func end() { isReady.store(false, ordering: .relaxed) }

    /// `GET /ready`.
    static func show(_ call: Call) -> Response {
        let isReady = call.services.readiness.isReady.load(ordering: .relaxed)
        return isReady ? .signal("ready\n") : .signal("stopping\n", status: .serviceUnavailable)
    }
}
