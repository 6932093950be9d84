package import FaveGames
package import Foundation
public import Postgres

/// A game as fetched from IGDB, to be stored.
package struct FetchedGame: Hashable, Sendable {
    package let game: Game
    package let type: Int
    package let isEdition: Bool
    package let ratingCount: Int
    package let platformIDs: [Int]
    package let screenshotImageIDs: [String]
    /// Further names, such as those in other languages.
    package let names: [GameName]
    /// Whether it has an erotic theme; `nil` if IGDB tells of no theme.
    package let hasAdultTheme: Bool?
    /// Whether it is rated for adults only; `nil` if IGDB tells of no rating.
    package let hasAdultRating: Bool?

    package init(
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
package struct CachedSearch: Sendable {
    package let gameIDs: [Int]
    package let age: Duration
}

/// A stored access token for IGDB. Must never be logged.
package struct StoredToken: Hashable, Sendable {
    package let text: String
    package let expiresAt: Date

    package init(text: String, expiresAt: Date) {
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

    package func search(cached text: String) async throws(PostgresError) -> CachedSearch? {
        try await database.query(IGDBQueries.search, [.text(text)]).first
    }

    package func igdbToken(clientID: String) async throws(PostgresError) -> StoredToken? {
        try await database.query(IGDBQueries.token, [.text(clientID)]).first
    }
}

package enum IGDBQueries {
    static let stale = Query("stale_games", .longRead, column("id", Int.self)) {
        """
        SELECT \($0) FROM games g
        WHERE id < \(GameID.own.lowerBound)
          AND (fetched_at IS NULL OR fetched_at < now() - $1::integer * interval '1 day')
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
