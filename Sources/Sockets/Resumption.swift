/// A task or a function that waits for one outcome and gets it once. Later outcomes are dropped.
/// Confined to one loop.
///
/// Safe: a continuation must be resumed once. There are no copies of this one, and it is forgotten before
/// it is resumed.
@safe public struct Resumption<Outcome: Sendable>: ~Copyable {
    @unsafe private enum Recipient {
        case none
        case task(UnsafeContinuation<Outcome, Never>)
        case function((Outcome) -> Void)
    }

    private var recipient: Recipient

    /// No one is waiting yet.
    public init() { unsafe recipient = .none }

    @usableFromInline
    init(_ continuation: UnsafeContinuation<Outcome, Never>) {
        unsafe recipient = .task(continuation)
    }

    /// - Parameter function: Called by `resume`, unlike a task, which continues later.
    public init(calling function: @escaping (Outcome) -> Void) {
        unsafe recipient = .function(function)
    }

    /// Waits for the outcome.
    ///
    /// - Parameter body: Called at once. Stores the resumption where the outcome will be known, or
    ///   resumes it.
    @inlinable @inline(__always)
    public static func outcome(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (consuming Resumption<Outcome>) -> Void
    ) async -> Outcome {
        await unsafe withUnsafeContinuation { unsafe body(Resumption($0)) }
    }

    public mutating func resume(returning outcome: Outcome) {
        let recipient = unsafe recipient
        unsafe self.recipient = .none
        switch unsafe recipient {
        case .none: break
        case .task(let continuation): unsafe continuation.resume(returning: outcome)
        case .function(let function): function(outcome)
        }
    }
}
