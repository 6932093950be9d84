import Synchronization

/// Work that many callers may wait for, each for as long as it likes. Any thread may use it.
public final class SharedWork<Result: Sendable>: Sendable {
    /// How far a caller's wait has come.
    private enum Wait {
        case beginning
        case suspended(CheckedContinuation<Outcome, Never>)
        /// The wait ended before its continuation was stored.
        case over(Outcome)
    }

    private struct State {
        var result: Result?
        var waits: [Int: Wait] = [:]
        var lastID = 0
        /// The number of callers that have joined and have not given up.
        var interested = 0
        /// Whether the work has taken longer than a caller's patience.
        var isLate = false
    }

    private let state = Mutex(State())

    /// Called when the last interested caller gives up before the work has ended.
    private let deserted: @Sendable () -> Void

    fileprivate init(deserted: @escaping @Sendable () -> Void) { self.deserted = deserted }

    /// Counts a caller. Its `wait` may come later or never; the work continues until the caller has
    /// given up.
    fileprivate func join() { state.withLock { $0.interested += 1 } }

    fileprivate var isDeserted: Bool {
        state.withLock { $0.interested == 0 && $0.result == nil }
    }

    /// Ends the work. All present and future waits get the result.
    fileprivate func finish(_ result: Result) {
        let waits = state.withLock { state in
            state.result = result
            defer { state.waits = [:] }
            return state.waits.values
        }
        for case .suspended(let continuation) in waits {
            continuation.resume(returning: .finished(result))
        }
    }

    /// How a wait ended.
    public enum Outcome: Sendable {
        case finished(Result)
        /// The work took longer than the caller's patience. `isFirst` is true for the caller whose
        /// patience ran out first.
        case late(isFirst: Bool)
        /// The caller's task was cancelled.
        case cancelled
    }

    /// Waits for the work to end, but no longer than `patience`, or without a limit if it is `nil`.
    /// Call it at most once for each `join`.
    public func wait(_ patience: Duration? = nil) async -> Outcome {
        let id = state.withLock { state in
            state.lastID += 1
            state.waits[state.lastID] = .beginning
            return state.lastID
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
                    let wait = state.waits.removeValue(forKey: id)
                    if let result = state.result { return .finished(result) }
                    if case .over(let outcome)? = wait { return outcome }
                    state.waits[id] = .suspended(continuation)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            giveUp(id, .cancelled)
        }
    }

    private func giveUp(_ id: Int, _ outcome: Outcome) {
        var continuation: CheckedContinuation<Outcome, Never>?
        let isLast = state.withLock { state in
            switch state.waits[id] {
            case .beginning?: state.waits[id] = .over(outcome)
            case .suspended(let suspended)?:
                state.waits[id] = nil
                continuation = suspended
            case .over?, nil: return false
            }
            state.interested -= 1
            return state.interested == 0
        }
        continuation?.resume(returning: outcome)
        if isLast { deserted() }
    }
}

/// Work in progress, by its key, so that the same work is never done twice at once. Work is
/// cancelled once every caller that joined it has given up.
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

    /// Returns the work of a key, and starts it unless it is already in progress.
    ///
    /// - Parameters:
    ///   - executor: Where the work runs.
    ///   - body: Does the work. Its task is cancelled once all callers have given up.
    public func join(
        _ key: Key, on executor: (any TaskExecutor)? = nil,
        _ body: @escaping @Sendable () async -> Result
    ) -> SharedWork<Result> {
        state.withLock { state in
            if let running = state.running[key] {
                running.work.join()
                return running.work
            }
            state.lastID += 1
            let id = state.lastID
            let task = TaskHolder()
            let work = SharedWork<Result> { [weak self] in
                // Another caller may have joined in the meantime.
                if self?.removeIfDeserted(key, id) == true { task.cancel() }
            }
            work.join()
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

    private func removeIfDeserted(_ key: Key, _ id: Int) -> Bool {
        state.withLock { state in
            guard let running = state.running[key], running.id == id, running.work.isDeserted
            else { return false }
            state.running[key] = nil
            return true
        }
    }
}

/// Holds a task that is created after the closure that may cancel it.
private final class TaskHolder: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func hold(_ task: Task<Void, Never>) { self.task.withLock { $0 = task } }
    func cancel() { task.withLock { $0 }?.cancel() }
}
