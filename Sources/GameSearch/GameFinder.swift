import FaveGames
import Storage

/// Finds games for the requests of one loop, on whose store it reads what is known.
public struct GameFinder: Sendable {
    private let directory: GameDirectory
    private let store: Store

    public init(_ directory: GameDirectory, store: Store) {
        self.directory = directory
        self.store = store
    }

    /// Games that somebody may mean, the likeliest first.
    ///
    /// - Parameters:
    ///   - platform: Only games that are on it.
    ///   - limit: At most 100.
    public func games(
        matching search: SearchText, platform: Int?, limit: Int
    ) async throws -> GameDirectory.Answer {
        try await directory.games(
            matching: search, platform: platform, limit: limit, store: store)
    }

    /// A game; IGDB is asked for one that we do not know.
    public func game(_ id: Int) async throws -> FoundGame? {
        try await games(ids: [id]).first
    }

    /// Games in the order of the ids; those that nobody knows are left out.
    public func games(ids: [Int]) async throws -> [FoundGame] {
        try await directory.games(ids: ids, store: store)
    }
}
