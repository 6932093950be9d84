import FaveGames
import Postgres

extension Store {
    public func game(_ id: Int) async throws(PostgresError) -> FoundGame? {
        try await games(ids: [id]).first
    }

    /// The games that we know among `ids`, in that order.
    public func games(ids: [Int]) async throws(PostgresError) -> [FoundGame] {
        try await found(.gamesByIDs, [.ints(ids)])
    }

    /// Games whose name contains the text, whatever its case and accents; those first whose name,
    /// or a word of it, begins with it.
    ///
    /// - Parameters:
    ///   - platform: Only games that are on it.
    ///   - limit: At most 100.
    public func games(
        matching search: SearchText, platform: Int?, limit: Int
    ) async throws(PostgresError) -> [FoundGame] {
        let statement: Statement = search.isShort ? .gamesBeginning : .gamesMatching
        return try await found(statement, [.text(search.text), .int(platform), .int(limit)])
    }

    /// The first screenshots of games, as the last parts of their addresses on IGDB's image host.
    /// Those of games that we do not know are left out.
    public func screenshotImageIDs(
        gameIDs: [Int]
    ) async throws(PostgresError) -> [Int: [String]] {
        var images: [Int: [String]] = [:]
        for row in try await database.query(.screenshotImageIDs, [.ints(gameIDs)]) {
            let gameID: Int = try row[0]
            images[gameID] = try row[1]
        }
        return images
    }

    private func found(
        _ statement: Statement, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) -> [FoundGame] {
        let rows = try await database.query(statement, parameters)
        var games: [FoundGame] = []
        var index = rows.startIndex
        while index < rows.endIndex {
            let game = try Game(rows[index], from: 0)
            let kind = GameKind(type: try rows[index][8], isEdition: try rows[index][9])
            var platforms: [Platform] = []
            while index < rows.endIndex, try rows[index][0] == game.id {
                if try rows[index][4] as Int? != nil {
                    platforms.append(try Platform(rows[index], from: 4))
                }
                index += 1
            }
            games.append(FoundGame(game: game, kind: kind, platforms: platforms))
        }
        return games
    }
}

extension Statement {
    /// Wraps a choice of games, with their order in `place`, and adds platforms.
    private static func found(
        _ name: String, _ effect: Effect, _ choice: String
    ) -> Statement {
        Statement(
            name, effect,
            """
            SELECT g.id, g.name, g.release_year, g.cover_image_id,
                   p.id, p.slug, p.name, p.abbreviation, g.type, g.is_edition
            FROM (
            \(choice)
            ) chosen
            JOIN games g ON g.id = chosen.id
            LEFT JOIN game_platforms gp ON gp.game_id = g.id
            LEFT JOIN platforms p ON p.id = gp.platform_id
            ORDER BY chosen.place, g.id, p.name, p.id
            """)
    }

    static let screenshotImageIDs = Statement(
        "screenshot_image_ids", .read,
        "SELECT id, screenshot_image_ids[1:10] FROM games WHERE id = ANY ($1::integer[])")

    static let gamesByIDs = found(
        "games_by_ids", .read,
        """
        SELECT wanted.id, min(wanted.place) AS place
        FROM unnest($1::integer[]) WITH ORDINALITY AS wanted (id, place) GROUP BY wanted.id
        """)

    /// The number of candidates is bounded, so that a text that is part of every other name costs
    /// no more than another.
    private static func search(_ name: String, pattern: String) -> Statement {
        found(
            name, .longRead,
            """
            SELECT c.id, row_number() OVER (
                       ORDER BY c.sort_name <> fold($1),
                                NOT starts_with(c.sort_name, fold($1)),
                                strpos(' ' || c.sort_name, ' ' || fold($1)) = 0,
                                -- Main games, remakes and remasters before what belongs to others.
                                c.is_edition OR c.type NOT IN (0, 4, 8, 9, 10),
                                -c.rating_count, c.sort_name, c.id
                   ) AS place
            FROM (
                SELECT s.id, s.sort_name, s.type, s.is_edition, s.rating_count FROM games s
                WHERE s.sort_name LIKE \(pattern)
                  AND ($2::integer IS NULL OR EXISTS (
                      SELECT FROM game_platforms o
                      WHERE (o.game_id, o.platform_id) = (s.id, $2::integer)))
                LIMIT 1000
            ) c
            ORDER BY place
            LIMIT $3
            """)
    }

    static let gamesMatching = search(
        "games_matching", pattern: "'%' || like_escape(fold($1)) || '%'")

    static let gamesBeginning = search(
        "games_beginning", pattern: "like_escape(fold($1)) || '%'")
}
