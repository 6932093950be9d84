import FaveGames
import Postgres

extension Store {
    public func game(_ id: Int) async throws(PostgresError) -> FoundGame? {
        try await games(ids: [id]).first
    }

    /// The games among `ids` that we know, in the order of `ids`.
    public func games(ids: [Int]) async throws(PostgresError) -> [FoundGame] {
        try await database.query(Games.byIDs, [.ints(ids)]).map(FoundGame.init)
    }

    /// Games whose name contains the text, ignoring case and accents; a short text must begin the
    /// name. Names that begin with the text, or have a word that does, come first.
    ///
    /// - Parameters:
    ///   - platform: If given, only games on this platform are returned.
    ///   - limit: At most 100.
    public func games(
        matching search: SearchText, platform: Int?, limit: Int
    ) async throws(PostgresError) -> [FoundGame] {
        try await database.query(
            search.isShort ? Games.beginning : Games.matching,
            [.text(search.text), .int(platform), .int(limit)]
        ).map(FoundGame.init)
    }

    /// The first screenshots of games, each as the last part of its address on IGDB's image host.
    /// Games that we don't know are left out.
    public func screenshotImageIDs(
        gameIDs: [Int]
    ) async throws(PostgresError) -> [Int: [String]] {
        let images = try await database.query(Games.screenshotImageIDs, [.ints(gameIDs)])
        return Dictionary(uniqueKeysWithValues: images)
    }
}

extension FoundGame {
    fileprivate init(_ found: (key: (game: Game, kind: GameKind), values: [Platform])) {
        self.init(game: found.key.game, kind: found.key.kind, platforms: found.values)
    }
}

private enum Games {
    /// Games with their platforms.
    typealias Found = GroupedQuery<(game: Game, kind: GameKind), Platform>

    private static let game = Columns<(game: Game, kind: GameKind)>(
        Game.columns.expressions + ["g.type", "g.is_edition"]
    ) { row throws(PostgresError) in
        try (row.next(Game.columns), GameKind(type: row.next(), isEdition: row.next()))
    }

    /// Wraps a subquery that chooses games, with their order in `place`, and adds their platforms.
    private static func found(
        _ name: String, _ effect: Statement.Effect, of dependencies: [Dependency], _ choice: String
    ) -> Found {
        Found(name, effect, by: game, Platform.columns, of: dependencies + [.platforms]) {
            """
            SELECT \($0)
            FROM (
            \(choice)
            ) chosen
            JOIN games g ON g.id = chosen.id
            LEFT JOIN game_platforms gp ON gp.game_id = g.id
            LEFT JOIN platforms p ON p.id = gp.platform_id
            ORDER BY chosen.place, g.id, p.name, p.id
            """
        }
    }

    static let screenshotImageIDs = Query(
        "screenshot_image_ids", .read,
        columns(column("id", Int.self), column("screenshot_image_ids[1:10]", [String].self)),
        of: [.games(parameter: 1)]
    ) { "SELECT \($0) FROM games WHERE id = ANY ($1::integer[])" }

    static let byIDs = found(
        "games_by_ids", .read, of: [.games(parameter: 1)],
        """
        SELECT wanted.id, min(wanted.place) AS place
        FROM unnest($1::integer[]) WITH ORDINALITY AS wanted (id, place) GROUP BY wanted.id
        """)

    /// The text that is searched for, as names are indexed. In a subquery, so that it is not computed
    /// for each candidate.
    private static let folded = "(SELECT fold($1))"

    /// The number of candidates is bounded, so that a text that is part of very many names costs no
    /// more than any other. With OFFSET, the planner looks up each candidate's platform. Otherwise it
    /// would read all games of the platform first.
    private static func search(_ name: String, where condition: String) -> Found {
        found(
            name, .longRead, of: [.catalogue],
            """
            SELECT c.id, row_number() OVER (
                       ORDER BY c.sort_name <> \(folded),
                                NOT starts_with(c.sort_name, \(folded)),
                                strpos(' ' || c.sort_name, ' ' || \(folded)) = 0,
                                -- Main games, remakes and remasters before what belongs to others.
                                c.is_edition OR c.type NOT IN (0, 4, 8, 9, 10),
                                -c.rating_count, c.sort_name, c.id
                   ) AS place
            FROM (
                SELECT s.id, s.sort_name, s.type, s.is_edition, s.rating_count FROM games s
                WHERE \(condition)
                  AND ($2::integer IS NULL OR EXISTS (
                      SELECT FROM game_platforms o
                      WHERE (o.game_id, o.platform_id) = (s.id, $2::integer) OFFSET 0))
                LIMIT 1000
            ) c
            ORDER BY place
            LIMIT $3
            """)
    }

    static let matching = search(
        "games_matching", where: "s.sort_name LIKE '%' || like_escape(\(folded)) || '%'")

    /// A range, because an index can't look for a LIKE pattern that the planner doesn't know. No
    /// character comes after U+10FFFF.
    static let beginning = search(
        "games_beginning",
        where: "s.sort_name >= \(folded) AND s.sort_name < (\(folded) || chr(1114111))")
}
