import Synchronization

/// Whether people can only read at the moment, and what the operator tells them. The database says so to
/// all servers of the site. Any thread may use this.
public final class MaintenanceMode: Sendable {
    private let state = Mutex(String?.none)
    private let changeCount = Atomic(0)

    public init() {}

    /// What the operator says; `nil` if people can write.
    public var message: String? { state.withLock { $0 } }

    public func set(_ message: String?) {
        state.withLock {
            guard $0 != message else { return }
            $0 = message
            changeCount.add(1, ordering: .releasing)
        }
    }

    /// The number of changes of the message. If it was the same before and after a page was made, the page
    /// has the message of that time.
    var changes: Int { changeCount.load(ordering: .acquiring) }
}
