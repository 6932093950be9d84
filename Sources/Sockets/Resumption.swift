/// Who waits for one outcome, and is told it once: what comes later is dropped. Confined to one
/// loop.
public struct Resumption<Outcome: Sendable> {
    private var continuation: UnsafeContinuation<Outcome, Never>?

    /// Nobody waits yet.
    public init() {}

    public init(_ continuation: UnsafeContinuation<Outcome, Never>) {
        self.continuation = continuation
    }

    public mutating func resume(returning outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}
