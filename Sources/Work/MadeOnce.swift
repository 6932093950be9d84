import Synchronization

/// A value that is made on first use and then shared by all callers.
public final class MadeOnce<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)

    public init() {}

    /// - Parameter make: Must always make the same value. Other callers wait while it runs.
    public func value(_ make: () throws -> Value) rethrows -> Value {
        try made.withLock { made in
            if let value = made { return value }
            let value = try make()
            made = value
            return value
        }
    }
}
