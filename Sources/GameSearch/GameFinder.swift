public import FaveGames
public import IGDB
public import Storage
import StorageWrites

/// Finds games for the requests of one loop, and reads known games from that loop's store.
public struct GameFinder: Sendable {
    private let directory: GameDirectory
    private var store: Store
    /// The party that IGDB is asked for.
    private var requester: @Sendable () async -> IGDBRequester = { .unknown }

    public init(_ directory: GameDirectory, store: Store) {
        self.directory = directory
        self.store = store
    }

    /// The same, but known games are read from this store, which belongs to the same loop.
    public func reading(from store: Store) -> GameFinder {
        var finder = self
        finder.store = store
        return finder
    }

    /// The same, but IGDB is asked on someone's behalf.
    ///
    /// - Parameter requester: Called only if IGDB has to be asked.
    public func asking(for requester: @escaping @Sendable () async -> IGDBRequester) -> GameFinder {
        var finder = self
        finder.requester = requester
        return finder
    }

    /// Games that a search text may mean, the likeliest first.
    ///
    /// - Parameters:
    ///   - platform: If given, only games on this platform are returned.
    ///   - limit: At most 100.
    public func games(
        matching search: SearchText, platform: Int?, limit: Int
    ) async throws -> GameDirectory.Response {
        try await directory.games(
            matching: search, platform: platform, limit: limit, store: store, for: requester)
    }

    /// The game with an id. IGDB is asked if we do not know the game.
    ///
    /// - Returns: `nil` if neither we nor IGDB know the game.
    /// - Throws: `UnresolvedGames` if we do not know the game and IGDB did not respond.
    public func game(_ id: Int) async throws -> FoundGame? {
        let known = try await directory.games(ids: [id], store: store, for: requester)
        guard known.isComplete else { throw UnresolvedGames() }
        return known.games.first
    }

    /// Games in the order of the ids. Unknown games are left out, and so are games that only IGDB
    /// knows while it is not responding.
    public func games(ids: [Int]) async throws -> [FoundGame] {
        try await directory.games(ids: ids, store: store, for: requester).games
    }

    /// Makes sure that we hold these games if they exist.
    ///
    /// - Throws: `UnresolvedGames` if we do not know some of them and IGDB did not respond.
    public func learn(_ ids: [Int]) async throws {
        guard try await directory.games(ids: ids, store: store, for: requester).isComplete else {
            throw UnresolvedGames()
        }
    }
}

/// We do not know a game, and IGDB is not responding.
public struct UnresolvedGames: Error {}
