import Synchronization

/// Work that many may wait for, each no longer than they like. Any thread may use it.
final class SharedWork<Result: Sendable>: Sendable {
    private struct State {
        var result: Result?
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
        /// Those whose wait was over before it had begun.
        var early: [Int: Outcome] = [:]
        /// Whether it took longer than someone's patience.
        var isLate = false
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Called when the last one who waited gives up before the end.
    private let abandoned: @Sendable () -> Void

    init(abandoned: @escaping @Sendable () -> Void) { self.abandoned = abandoned }

    /// Ends the work: everybody gets the result, now or later.
    func finish(_ result: Result) {
        let waiters = state.withLock { state in
            state.result = result
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: .finished(result)) }
    }

    /// How waiting ended.
    enum Outcome {
        case finished(Result)
        /// It took longer than someone's patience; whose was over first is told.
        case late(isFirst: Bool)
        /// The task that waited was cancelled.
        case cancelled
    }

    /// Waits for the end, but no longer than `patience`.
    func wait(_ patience: Duration) async -> Outcome {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let timer = Task {
            try await Task.sleep(for: patience)
            let isFirst = self.state.withLock { state in
                defer { state.isLate = true }
                return !state.isLate
            }
            self.giveUp(id, .late(isFirst: isFirst))
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Outcome? = state.withLock { state in
                    if let result = state.result { return .finished(result) }
                    if let early = state.early.removeValue(forKey: id) { return early }
                    state.waiters[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            giveUp(id, .cancelled)
        }
    }

    private func giveUp(_ id: Int, _ outcome: Outcome) {
        let (waiter, isLast) = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: id)
            if waiter == nil, state.result == nil { state.early[id] = outcome }
            return (waiter, state.waiters.isEmpty && state.result == nil)
        }
        guard let waiter else { return }
        waiter.resume(returning: outcome)
        if isLast { abandoned() }
    }
}
