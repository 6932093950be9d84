import Synchronization

/// Work that many may wait for, each no longer than they like. Any thread may use it.
final class SharedWork<Result: Sendable>: Sendable {
    private struct State {
        var result: Result?
        var waiters: [Int: CheckedContinuation<Result?, Never>] = [:]
        /// Those whose time was over before they had begun to wait.
        var late: Set<Int> = []
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
        for waiter in waiters { waiter.resume(returning: result) }
    }

    /// Waits for the end.
    ///
    /// - Returns: `nil` if it takes longer than `patience`.
    func wait(_ patience: Duration) async -> Result? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let timer = Task {
            try await Task.sleep(for: patience)
            self.giveUp(id)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let (isOver, result) = state.withLock { state in
                let isOver = state.result != nil || state.late.remove(id) != nil
                if !isOver { state.waiters[id] = continuation }
                return (isOver, state.result)
            }
            if isOver { continuation.resume(returning: result) }
        }
    }

    private func giveUp(_ id: Int) {
        let (waiter, isLast) = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: id)
            if waiter == nil, state.result == nil { state.late.insert(id) }
            return (waiter, state.waiters.isEmpty && state.result == nil)
        }
        guard let waiter else { return }
        waiter.resume(returning: nil)
        if isLast { abandoned() }
    }
}
