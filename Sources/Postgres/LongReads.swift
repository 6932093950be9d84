import DequeModule
import Synchronization

/// Limits how many long reads the pools of a process run at once. Each long read occupies one of
/// PostgreSQL's cores, and the short reads of all pools need cores, too.
///
/// A pool that finds all turns taken waits in line. So a pool with a constant supply of long reads
/// can't block those of the other pools. Any thread may use this object.
public final class LongReads: Sendable {
    private struct State {
        var free: Int
        var waiting = Deque<@Sendable () -> Bool>()
    }

    private let state: Mutex<State>

    /// - Parameter limit: At least 1; smaller values count as 1.
    public init(limit: Int) {
        state = Mutex(State(free: max(1, limit)))
    }

    /// Takes a turn if one is free, and waits in line otherwise.
    ///
    /// - Parameter grant: Called when the caller's turn comes, on the thread of the pool that ended
    ///   its own. Returns whether the caller accepts the turn; if not, the next in line gets it.
    /// - Returns: Whether a turn was taken at once. If so, `grant` is never called.
    func take(orWait grant: @escaping @Sendable () -> Bool) -> Bool {
        state.withLock { state in
            guard state.free == 0 else {
                state.free -= 1
                return true
            }
            state.waiting.append(grant)
            return false
        }
    }

    /// Ends a turn and offers it to the next in line.
    func end() {
        while true {
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.free += 1 }
                return next
            }
            guard let next, !next() else { return }
        }
    }
}
