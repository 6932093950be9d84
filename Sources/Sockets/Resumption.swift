/// A task that waits for one outcome and is resumed with it once. Later outcomes are dropped.
/// Confined to one loop.
public struct Resumption<Outcome: Sendable> {
    private var continuation: UnsafeContinuation<Outcome, Never>?

    /// No task is waiting yet.
    public init() {}

    public init(_ continuation: UnsafeContinuation<Outcome, Never>) {
        self.continuation = continuation
    }

    public mutating func resume(returning outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}
