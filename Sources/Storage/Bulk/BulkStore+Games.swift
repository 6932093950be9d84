import FaveGames
import Postgres

/// A game of the starter catalogue.
public struct GameSeed: Sendable {
    public let game: Game
    public let platformIDs: [Int]

    public init(game: Game, platformIDs: [Int]) {
        self.game = game
        self.platformIDs = platformIDs
    }
}

extension BulkStore {
    /// The ids of the games that were not fetched from IGDB recently. Those that were never fetched
    /// come first.
    public func staleGames(olderThanDays days: Int, onlyListed: Bool) throws -> [Int] {
        let stale = Query("stale_games", .read, column("id", Int.self)) {
            """
            SELECT \($0) FROM games g
            WHERE (fetched_at IS NULL OR fetched_at < now() - $1::integer * interval '1 day')
              AND (NOT $2::boolean OR EXISTS (SELECT FROM entries WHERE game_id = g.id))
            ORDER BY fetched_at NULLS FIRST, id
            """
        }
        return try session.query(stale, [.int(days), .bool(onlyListed)])
    }

    /// Adds missing games with their platforms. An existing game keeps its data, which may be
    /// newer, but gets the platforms that it lacks.
    ///
    /// - Returns: The changes, where `updated` counts the existing games that got platforms.
    /// - Throws: A violation of `game_platforms_platform_id_fkey` if platforms are not seeded.
    public func seed(_ games: [GameSeed]) throws -> Changes {
        let pairs = games.flatMap { game in game.platformIDs.map { (game.game.id, $0) } }
        return try session.withTransaction {
            let added = try session.row(
                Self.addGames,
                [
                    .ints(games.map(\.game.id)), .texts(games.map(\.game.name)),
                    .texts(games.map { $0.game.releaseYear.map { String($0) } }),
                    .texts(games.map(\.game.coverImageID)),
                ])
            let touched = try session.row(
                Self.addPlatforms, [.ints(pairs.map(\.0)), .ints(pairs.map(\.1))])
            let updated = max(0, touched - added)
            return Changes(
                added: added, updated: updated, unchanged: games.count - added - updated)
        }
    }

    private static let addGames = Query("seed_games", .write, column("count(*)", Int.self)) {
        """
        WITH added AS (
            INSERT INTO games (id, name, release_year, cover_image_id)
            SELECT * FROM unnest($1::integer[], $2::text[], $3::smallint[], $4::text[])
            ON CONFLICT (id) DO NOTHING
            RETURNING id
        )
        SELECT \($0) FROM added
        """
    }

    private static let addPlatforms = Query(
        "seed_game_platforms", .write, column("count(DISTINCT game_id)", Int.self)
    ) {
        """
        WITH added AS (
            INSERT INTO game_platforms (game_id, platform_id)
            SELECT * FROM unnest($1::integer[], $2::integer[])
            ON CONFLICT DO NOTHING
            RETURNING game_id
        )
        SELECT \($0) FROM added
        """
    }
}
