import Synchronization

/// A value that is made when someone first asks, and kept for all.
public final class MadeOnce<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    public init() {}

    /// - Parameter make: Must always make the same. Others who ask wait for it.
    public func value(_ make: () throws -> Value) rethrows -> Value {
        try kept.withLock { kept in
            if let value = kept { return value }
            let value = try make()
            kept = value
            return value
        }
    }
}
