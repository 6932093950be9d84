import Sockets
import Synchronization

/// Lets a few fetches run at once, and begin at a bounded rate.
final class FetchGate: Sendable {
    private struct State {
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// When the next fetch may begin.
        var nextStart = MonotonicTime.read()
    }

    private let limit: Int
    private let waitingLimit: Int
    private let interval: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: How many run at once. The client that covers are fetched with has other work, too.
    ///   - waitingLimit: How many may wait.
    ///   - interval: The time between the beginnings of two.
    init(
        limit: Int = 6, waitingLimit: Int = 200, interval: Duration = .milliseconds(20)
    ) {
        self.limit = limit
        self.waitingLimit = waitingLimit
        self.interval = interval
    }

    /// Runs `body` when it is its turn; `nil` if too many wait, or if it is no longer wanted.
    ///
    /// - Parameter isWanted: Called when it is the body's turn, and again just before the body begins. The
    ///   others don't wait for a body that is no longer wanted.
    func pass<Result: Sendable>(
        if isWanted: () -> Bool, _ body: () async -> Result
    ) async -> Result? {
        guard await enter() else { return nil }
        defer { leave() }
        guard isWanted() else { return nil }
        let wait = state.withLock { state -> Duration in
            let now = MonotonicTime.read()
            let start = max(now, state.nextStart)
            state.nextStart = start + interval
            return start - now
        }
        if wait > .zero {
            try? await Task.sleep(for: wait)
            guard isWanted() else { return nil }
        }
        return await body()
    }

    /// - Returns: `false` if too many wait.
    private func enter() async -> Bool {
        enum Entry { case now, later, never }
        let entry: Entry = state.withLock { state in
            if state.running < limit {
                state.running += 1
                return .now
            }
            return state.waiting.count < waitingLimit ? .later : .never
        }
        switch entry {
        case .now: return true
        case .never: return false
        case .later:
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state -> Bool in
                    // A place may have become free since.
                    if state.running < limit {
                        state.running += 1
                        return true
                    }
                    state.waiting.append(continuation)
                    return false
                }
                if isFree { continuation.resume() }
            }
            return true
        }
    }

    /// Hands the place to the caller that has waited longest.
    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
        next?.resume()
    }
}
