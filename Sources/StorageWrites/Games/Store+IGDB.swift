import FaveGames
import Foundation
public import Postgres
public import Storage

extension Store {
    /// Stores games that were fetched from IGDB, without waiting for the disk or for a standby:
    /// they can be fetched again, and references to them are never flushed before them. Unknown
    /// platforms are left out. A game's earlier platforms are retained, because lists may include
    /// the game there.
    package func keep(_ games: [FetchedGame]) async throws {
        // The games are sorted so that two processes that store the same games can't deadlock.
        let games = games.sorted { $0.game.id < $1.game.id }
        let pairs = games.flatMap { game in game.platformIDs.map { (game.game.id, $0) } }
        let names = games.flatMap { game in game.names.map { (game.game.id, $0) } }
        try await database.withTransaction { transaction in
            try await transaction.query(
                IGDBQueries.keep,
                [
                    .ints(games.map(\.game.id)), .texts(games.map(\.game.name.main)),
                    .texts(games.map { $0.game.releaseYear.map { String($0) } }),
                    .texts(games.map(\.game.coverImageID)), .ints(games.map(\.type)),
                    .texts(games.map { $0.isEdition ? "t" : "f" }),
                    .ints(games.map(\.ratingCount)),
                    .texts(games.map { $0.screenshotImageIDs.joined(separator: " ") }),
                    .texts(games.map { $0.hasAdultTheme.map { $0 ? "t" : "f" } }),
                    .texts(games.map { $0.hasAdultRating.map { $0 ? "t" : "f" } }),
                    .texts(games.map(\.game.name.lines)),
                ])
            try await transaction.query(
                IGDBQueries.addPlatforms, [.ints(pairs.map(\.0)), .ints(pairs.map(\.1))])
            try await transaction.query(
                GameNames.replace,
                [.ints(names.map(\.0)), .texts(names.map(\.1.name))])
        }
    }

    /// Records that IGDB was just asked for these games of ours, and doesn't know them.
    public func noteFetched(_ gameIDs: [Int]) async throws(PostgresError) {
        try await database.query(IGDBQueries.noteFetched, [.ints(gameIDs)])
    }

    public func cacheSearch(_ text: String, gameIDs: [Int]) async throws(PostgresError) {
        try await database.query(
            IGDBQueries.cacheSearch, [.text(text), .ints(gameIDs.prefix(500))])
    }

    /// Stores a token in place of `old`, unless another process has replaced `old` in the meantime.
    ///
    /// - Returns: The token that is stored afterwards.
    package func storeIGDBToken(
        _ token: StoredToken, clientID: String, replacing old: StoredToken?
    ) async throws(PostgresError) -> StoredToken {
        try await database.query(
            IGDBQueries.storeToken,
            [
                .text(clientID), .text(token.text),
                .text(String(token.expiresAt.timeIntervalSince1970)), .text(old?.text),
            ])
        return try await igdbToken(clientID: clientID) ?? token
    }
}

/// The cover of a game `g`: that of another row, unless an operator has chosen one.
func chosenCover(_ other: String) -> String {
    "CASE WHEN g.cover_by_hand THEN g.cover_image_id ELSE \(other).cover_image_id END"
}

extension IGDBQueries {
    static let keep = Statement(
        "keep_games", .write,
        """
        INSERT INTO games AS g (id, name, release_year, cover_image_id, type, is_edition,
                                rating_count, screenshot_image_ids, fetched_at, adult_theme,
                                adult_rating, localized_names)
        SELECT n.id, n.name, n.release_year, n.cover_image_id, n.type, n.is_edition,
               n.rating_count, string_to_array(n.screenshots, ' '), now(), n.adult_theme,
               n.adult_rating, n.localized_names
        FROM unnest($1::integer[], $2::text[], $3::smallint[], $4::text[], $5::smallint[],
                    $6::boolean[], $7::integer[], $8::text[], $9::boolean[], $10::boolean[],
                    $11::text[])
             AS n (id, name, release_year, cover_image_id, type, is_edition, rating_count,
                   screenshots, adult_theme, adult_rating, localized_names)
        WHERE \(Sessions.asynchronously)
        ON CONFLICT (id) DO UPDATE
        SET name = excluded.name,
            -- IGDB has localized names for a part of what the starter catalogue has.
            localized_names = localized_names(excluded.localized_names, g.localized_names),
            release_year = excluded.release_year,
            cover_image_id = \(chosenCover("excluded")), type = excluded.type,
            is_edition = excluded.is_edition, rating_count = excluded.rating_count,
            screenshot_image_ids = excluded.screenshot_image_ids,
            fetched_at = excluded.fetched_at,
            -- IGDB leaves out what it has nothing to say about.
            adult_theme = coalesce(excluded.adult_theme, g.adult_theme),
            adult_rating = coalesce(excluded.adult_rating, g.adult_rating)
        -- A search names a hundred games, and hardly one of them is new.
        WHERE (g.name, g.localized_names, g.release_year, g.cover_image_id, g.type, g.is_edition,
               g.rating_count, g.screenshot_image_ids, g.adult_theme, g.adult_rating)
              IS DISTINCT FROM
              (excluded.name, localized_names(excluded.localized_names, g.localized_names),
               excluded.release_year, \(chosenCover("excluded")), excluded.type,
               excluded.is_edition, excluded.rating_count, excluded.screenshot_image_ids,
               coalesce(excluded.adult_theme, g.adult_theme),
               coalesce(excluded.adult_rating, g.adult_rating))
           OR g.fetched_at IS NULL OR g.fetched_at < now() - interval '1 day'
        """)

    static let addPlatforms = Statement(
        "keep_game_platforms", .write,
        """
        INSERT INTO game_platforms (game_id, platform_id)
        SELECT n.game_id, n.platform_id
        FROM unnest($1::integer[], $2::integer[]) AS n (game_id, platform_id)
        JOIN platforms p ON p.id = n.platform_id
        ON CONFLICT DO NOTHING
        """)

    static let noteFetched = Statement(
        "note_fetched", .write,
        """
        UPDATE games SET fetched_at = now()
        WHERE id IN (SELECT id FROM games WHERE id = ANY ($1::integer[])
                     ORDER BY id FOR NO KEY UPDATE)
        """)

    static let cacheSearch = Statement(
        "keep_search", .write,
        """
        INSERT INTO game_searches (text, game_ids)
        SELECT $1::text, $2::integer[] WHERE \(Sessions.asynchronously)
        ON CONFLICT (text) DO UPDATE
        SET game_ids = excluded.game_ids, received_at = excluded.received_at
        """)

    static let storeToken = Statement(
        "keep_igdb_token", .write,
        """
        INSERT INTO igdb_tokens AS t (client_id, token, expires_at)
        VALUES ($1, $2, to_timestamp($3::double precision))
        ON CONFLICT (client_id) DO UPDATE
        SET token = excluded.token, expires_at = excluded.expires_at
        WHERE t.token = $4::text
        """)
}
