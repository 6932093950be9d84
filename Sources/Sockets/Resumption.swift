/// A task or a function that waits for one outcome and gets it once. Later outcomes are dropped.
/// Confined to one loop.
public struct Resumption<Outcome: Sendable> {
    private enum Recipient {
        case none
        case task(UnsafeContinuation<Outcome, Never>)
        case function((Outcome) -> Void)
    }

    private var recipient = Recipient.none

    /// No one is waiting yet.
    public init() {}

    public init(_ continuation: UnsafeContinuation<Outcome, Never>) {
        recipient = .task(continuation)
    }

    /// - Parameter function: Called by `resume`, unlike a task, which continues later.
    public init(calling function: @escaping (Outcome) -> Void) {
        recipient = .function(function)
    }

    public mutating func resume(returning outcome: Outcome) {
        let recipient = recipient
        self.recipient = .none
        switch recipient {
        case .none: break
        case .task(let continuation): continuation.resume(returning: outcome)
        case .function(let function): function(outcome)
        }
    }
}
