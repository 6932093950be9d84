import Collections
import Synchronization

/// How many long reads the pools of a process have running at once. Each keeps one of PostgreSQL's
/// cores busy, and the short reads of all pools need cores, too.
///
/// A pool that finds all turns taken waits in line, so that one that always has long reads doesn't
/// keep the others from theirs. Any thread may use it.
public final class LongReads: Sendable {
    private struct State {
        var free: Int
        var waiting = Deque<@Sendable () -> Bool>()
    }

    private let state: Mutex<State>

    /// - Parameter limit: From 1.
    public init(limit: Int) {
        state = Mutex(State(free: max(1, limit)))
    }

    /// Takes a turn if one is free and waits in line otherwise.
    ///
    /// - Parameter grant: Called, on the thread of the pool that ends its turn, when it is this
    ///   one's. Returns whether the turn was accepted; otherwise it is the next one's.
    /// - Returns: Whether the turn was taken at once; then `grant` is never called.
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

    /// Gives a turn back.
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
