import Synchronization

/// Work that many may wait for, each no longer than they like. Any thread may use it.
public final class SharedWork<Result: Sendable>: Sendable {
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

    fileprivate init(abandoned: @escaping @Sendable () -> Void) { self.abandoned = abandoned }

    /// Ends the work: everybody gets the result, now or later.
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
        /// It took longer than someone's patience; whose was over first is told.
        case late(isFirst: Bool)
        /// The task that waited was cancelled.
        case cancelled
    }

    /// Waits for the end, but no longer than `patience`; for ever if `nil`.
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

/// Work that is under way, by its key, so that none is done twice at once. Work that nobody waits for
/// any more is cancelled.
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

    /// The work of a key, which is begun unless it is under way.
    ///
    /// - Parameters:
    ///   - executor: Where it runs.
    ///   - body: Does it; its task is cancelled when nobody waits any more.
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
                // Who comes after that must not wait for work that was given up.
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

/// A task that is known only after what may cancel it.
private final class TaskHolder: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func hold(_ task: Task<Void, Never>) { self.task.withLock { $0 = task } }
    func cancel() { task.withLock { $0 }?.cancel() }
}
