import FaveGames
import Sockets
import Synchronization

/// What searches found of late, in memory, for all loops: bounded by answers and by the games in
/// them, the least recently used go first.
final class RecentSearches: Sendable {
    struct Found: Sendable {
        let games: [FoundGame]
        /// When IGDB answered, on this process's clock.
        let answeredAt: MonotonicTime
    }

    private struct State {
        var found: [String: (Found, use: Int)] = [:]
        var games = 0
        var uses = 0

        mutating func remove(_ text: String) {
            games -= found.removeValue(forKey: text)?.0.games.count ?? 0
        }
    }

    /// A search finds less than that, as a rule.
    private static let gamesForEach = 40

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
            state.remove(text)
            state.found[text] = (found, state.uses)
            state.games += found.games.count
            guard state.found.count > limit || state.games > limit * Self.gamesForEach else {
                return
            }
            // A tenth at once: looking for the oldest takes time.
            let oldest = state.found.sorted { $0.value.use < $1.value.use }
            for (text, _) in oldest.prefix(max(1, oldest.count / 10)) { state.remove(text) }
        }
    }
}
