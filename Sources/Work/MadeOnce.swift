import Synchronization

/// A value that is made on first use and then kept for all callers.
public final class MadeOnce<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    public init() {}

    /// - Parameter make: Must always make the same value. Other callers wait while it runs.
    public func value(_ make: () throws -> Value) rethrows -> Value {
        try kept.withLock { kept in
            if let value = kept { return value }
            let value = try make()
            kept = value
            return value
        }
    }
}
