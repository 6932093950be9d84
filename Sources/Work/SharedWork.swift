import Synchronization

/// Work that many tasks may wait for, each for as long as it likes. Any thread may use it.
public final class SharedWork<Result: Sendable>: Sendable {
    private struct State {
        var result: Result?
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
        /// The outcomes of waits that ended before their continuation was stored.
        var early: [Int: Outcome] = [:]
        /// Whether the work has taken longer than a waiter's patience.
        var isLate = false
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Called when the last waiter gives up before the work has ended.
    private let abandoned: @Sendable () -> Void

    fileprivate init(abandoned: @escaping @Sendable () -> Void) { self.abandoned = abandoned }

    /// Ends the work. All present and future waiters get the result.
    fileprivate func finish(_ result: Result) {
        let waiters = state.withLock { state in
            state.result = result
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: .finished(result)) }
    }

    /// How waiting ended.
    public enum Outcome: Sendable {
        case finished(Result)
        /// The work took longer than the waiter's patience. `isFirst` is true for the waiter whose
        /// patience ran out first.
        case late(isFirst: Bool)
        /// The task that waited was cancelled.
        case cancelled
    }

    /// Waits for the work to end, but no longer than `patience`, or without a limit if it is `nil`.
    public func wait(_ patience: Duration? = nil) async -> Outcome {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let timer = patience.map { patience in
            Task {
                try await Task.sleep(for: patience)
                let isFirst = self.state.withLock { state in
                    defer { state.isLate = true }
                    return !state.isLate
                }
                self.giveUp(id, .late(isFirst: isFirst))
            }
        }
        defer { timer?.cancel() }
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

/// Work in progress, by its key, so that the same work is not done twice at once. Work is cancelled
/// when its last waiter has given up.
public final class SharedWorks<Key: Hashable & Sendable, Result: Sendable>: Sendable {
    private struct Running {
        let id: Int
        let work: SharedWork<Result>
    }

    private struct State {
        var running: [Key: Running] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// The work of a key, which is started unless it is already in progress.
    ///
    /// - Parameters:
    ///   - executor: Where the work runs.
    ///   - body: Does the work. Its task is cancelled when the last waiter has given up.
    public func join(
        _ key: Key, on executor: (any TaskExecutor)? = nil,
        _ body: @escaping @Sendable () async -> Result
    ) -> SharedWork<Result> {
        state.withLock { state in
            if let running = state.running[key] { return running.work }
            state.lastID += 1
            let id = state.lastID
            let task = TaskHolder()
            let work = SharedWork<Result> { [weak self] in
                // Later callers must not wait for work that was cancelled.
                self?.remove(key, id)
                task.cancel()
            }
            state.running[key] = Running(id: id, work: work)
            task.hold(
                Task(executorPreference: executor) {
                    let result = await body()
                    self.remove(key, id)
                    work.finish(result)
                })
            return work
        }
    }

    private func remove(_ key: Key, _ id: Int) {
        state.withLock { state in
            if state.running[key]?.id == id { state.running[key] = nil }
        }
    }
}

/// Holds a task that is created after the closure that may cancel it.
private final class TaskHolder: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func hold(_ task: Task<Void, Never>) { self.task.withLock { $0 = task } }
    func cancel() { task.withLock { $0 }?.cancel() }
}
