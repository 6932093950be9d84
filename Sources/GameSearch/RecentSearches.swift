import FaveGames
import Sockets
import Synchronization

/// What searches found of late, in memory, for all loops: bounded, the least recently used goes
/// first.
final class RecentSearches: Sendable {
    struct Found: Sendable {
        let games: [FoundGame]
        /// When IGDB answered, on this process's clock.
        let answeredAt: MonotonicTime
    }

    private struct State {
        var found: [String: (Found, use: Int)] = [:]
        var uses = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    subscript(text: String) -> Found? {
        state.withLock { state in
            guard let entry = state.found[text] else { return nil }
            state.uses += 1
            state.found[text]?.use = state.uses
            return entry.0
        }
    }

    func keep(_ found: Found, for text: String) {
        state.withLock { state in
            state.uses += 1
            state.found[text] = (found, state.uses)
            guard state.found.count > limit else { return }
            // A tenth at once: looking for the oldest takes time.
            let kept = state.found.values.map(\.use).sorted().suffix(limit * 9 / 10)
            guard let oldest = kept.first else { return }
            state.found = state.found.filter { $0.value.use >= oldest }
        }
    }
}
