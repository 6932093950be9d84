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

    /// Games that someone may mean, the likeliest first.
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
    ///
    /// - Returns: `nil` if nobody knows it.
    /// - Throws: `UnansweredGames` if IGDB could not say.
    public func game(_ id: Int) async throws -> FoundGame? {
        let known = try await directory.games(ids: [id], store: store)
        guard known.isComplete else { throw UnansweredGames() }
        return known.games.first
    }

    /// Games in the order of the ids; those that nobody knows are left out, and those that only IGDB
    /// could tell of, while it is away.
    public func games(ids: [Int]) async throws -> [FoundGame] {
        try await directory.games(ids: ids, store: store).games
    }

    /// Sees to it that we hold those of these games that exist.
    ///
    /// - Throws: `UnansweredGames` if IGDB could not say.
    public func learn(_ ids: [Int]) async throws {
        guard try await directory.games(ids: ids, store: store).isComplete else {
            throw UnansweredGames()
        }
    }
}

/// We do not know a game, and IGDB cannot be asked now.
public struct UnansweredGames: Error, CustomStringConvertible {
    public var description: String {
        "This game is new to this site, and IGDB is not answering."
    }
}
