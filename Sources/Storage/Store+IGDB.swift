import FaveGames
import Foundation
import Postgres

/// A game as fetched from IGDB, to be stored.
public struct FetchedGame: Hashable, Sendable {
    public let game: Game
    public let type: Int
    public let isEdition: Bool
    public let ratingCount: Int
    public let platformIDs: [Int]
    public let screenshotImageIDs: [String]
    /// Further names, such as those in other languages.
    public let names: [GameName]
    /// Whether it has an erotic theme; `nil` if IGDB tells of no theme.
    public let hasAdultTheme: Bool?
    /// Whether it is rated for adults only; `nil` if IGDB tells of no rating.
    public let hasAdultRating: Bool?

    public init(
        game: Game, type: Int, isEdition: Bool, ratingCount: Int, platformIDs: [Int],
        screenshotImageIDs: [String], names: [GameName] = [], hasAdultTheme: Bool? = nil,
        hasAdultRating: Bool? = nil
    ) {
        self.game = game
        self.type = type
        self.isEdition = isEdition
        self.ratingCount = ratingCount
        self.platformIDs = platformIDs
        self.screenshotImageIDs = screenshotImageIDs
        self.names = names
        self.hasAdultTheme = hasAdultTheme
        self.hasAdultRating = hasAdultRating
    }
}

/// The stored result of an IGDB search, and how old it is.
public struct CachedSearch: Sendable {
    public let gameIDs: [Int]
    public let age: Duration
}

/// A stored access token for IGDB. Must never be logged.
public struct StoredToken: Hashable, Sendable {
    public let text: String
    public let expiresAt: Date

    public init(text: String, expiresAt: Date) {
        self.text = text
        self.expiresAt = expiresAt
    }
}

extension Store {
    /// The ids of the games that were not fetched from IGDB recently. Those that were never fetched
    /// come first.
    public func staleGames(
        olderThanDays days: Int, onlyListed: Bool
    ) async throws(PostgresError) -> [Int] {
        try await database.query(IGDBQueries.stale, [.int(days), .bool(onlyListed)])
    }

    public func search(cached text: String) async throws(PostgresError) -> CachedSearch? {
        try await database.query(IGDBQueries.search, [.text(text)]).first
    }

    public func igdbToken(clientID: String) async throws(PostgresError) -> StoredToken? {
        try await database.query(IGDBQueries.token, [.text(clientID)]).first
    }
}

package enum IGDBQueries {
    static let stale = Query("stale_games", .longRead, column("id", Int.self)) {
        """
        SELECT \($0) FROM games g
        WHERE (fetched_at IS NULL OR fetched_at < now() - $1::integer * interval '1 day')
          AND (NOT $2::boolean OR EXISTS (SELECT FROM entries WHERE game_id = g.id))
        ORDER BY fetched_at NULLS FIRST, id
        """
    }

    private static let cachedSearch = Columns(
        ["game_ids", "(extract(epoch FROM now() - received_at) * 1000)::bigint"]
    ) { row throws(PostgresError) in
        try CachedSearch(gameIDs: row.next(), age: .milliseconds(row.next() as Int))
    }

    package static let search = Query("cached_search", .read, cachedSearch) {
        "SELECT \($0) FROM game_searches WHERE text = $1"
    }

    private static let storedToken = Columns(
        ["token", "expires_at"]
    ) { row throws(PostgresError) in
        try StoredToken(text: row.next(), expiresAt: row.next())
    }

    package static let token = Query("igdb_token", .read, storedToken) {
        "SELECT \($0) FROM igdb_tokens WHERE client_id = $1"
    }
}
