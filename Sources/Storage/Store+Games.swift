import FaveGames
import Foundation
import Postgres

extension Store {
    public func game(_ id: Int) async throws(PostgresError) -> FoundGame? {
        try await games(ids: [id]).first
    }

    /// The games among `ids` that we know, in the order of `ids`. Hidden games are left out.
    public func games(ids: [Int]) async throws(PostgresError) -> [FoundGame] {
        try await database.query(Games.byIDs, [.ints(ids)]).map(FoundGame.init)
    }

    /// Games with a name that contains the text, ignoring case, accents, width, punctuation and how
    /// numerals are written; a short text must begin a name. Names that begin with the text, or
    /// contain a word that does, come first, then names whose words begin with its letters. If there
    /// are none, names with all of its words are returned, or else names with a similar spelling.
    ///
    /// A game is also found by its further names, such as those in other languages. Among equals, what
    /// a main name is found by comes first.
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

    /// The games among `ids` that we hold, hidden ones included.
    public func heldGames(among ids: [Int]) async throws(PostgresError) -> Set<Int> {
        Set(try await database.query(Games.held, [.ints(ids)]))
    }

    /// The games among `ids` that are hidden because they are for adults only.
    public func hiddenGames(among ids: [Int]) async throws(PostgresError) -> Set<Int> {
        Set(try await database.query(Games.hidden, [.ints(ids)]))
    }

    /// The games among `ids` that are on someone's list, hidden ones included.
    public func games(
        ids: [Int], onListOf userID: UUID
    ) async throws(PostgresError) -> [FoundGame] {
        try await database.query(Games.onList, [.ints(ids), .uuid(userID)]).map(FoundGame.init)
    }

    /// Whether an image is the cover of a game that isn't hidden.
    public func isCover(_ imageID: String) async throws(PostgresError) -> Bool {
        try await database.row(Games.isCover, [.text(imageID)])
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

extension Store {
    /// Counts the games of each platform, to sort the platforms of a game.
    @_spi(Writing) public func rankPlatforms() async throws(PostgresError) {
        try await database.query(Games.rankPlatforms)
    }
}

extension FoundGame {
    fileprivate init(_ found: (key: Games.Match, values: [Platform])) {
        self.init(
            game: found.key.game, kind: found.key.kind, platforms: found.values,
            foundName: found.key.name)
    }
}

enum Games {
    static let rankPlatforms = Statement("rank_platforms", .write, "SELECT rank_platforms()")

    /// A game, and the further name that it was found by.
    fileprivate typealias Match = (game: Game, kind: GameKind, name: String?)

    /// Games with their platforms, the most important ones first.
    fileprivate typealias Found = GroupedQuery<Match, Platform>

    private static let game = Columns<Match>(
        Game.columns.expressions + ["g.type", "g.is_edition", "chosen.found_name"]
    ) { row throws(PostgresError) in
        try (
            row.next(Game.columns), GameKind(type: row.next(), isEdition: row.next()), row.next()
        )
    }

    /// Wraps a subquery that chooses games, with their order in `place` and the further name that each
    /// was found by in `found_name`, and adds their platforms.
    ///
    /// - Parameters:
    ///   - dependencies: `nil` if the result is for one person, and is never cached.
    ///   - condition: Which of the chosen games `g` are shown.
    private static func found(
        _ name: String, _ effect: Statement.Effect, of dependencies: [Dependency]?,
        where condition: String = "NOT g.is_hidden", _ choice: String
    ) -> Found {
        Found(
            name, effect, by: game, Platform.columns, of: dependencies.map { $0 + [.platforms] }
        ) {
            """
            SELECT \($0)
            FROM (
            \(choice)
            ) chosen
            JOIN games g ON g.id = chosen.id
            LEFT JOIN game_platforms gp ON gp.game_id = g.id
            LEFT JOIN platforms p ON p.id = gp.platform_id
            WHERE \(condition)
            ORDER BY chosen.place, g.id, p.size_rank, p.name, p.id
            """
        }
    }

    fileprivate static let screenshotImageIDs = Query(
        "screenshot_image_ids", .read,
        columns(column("id", Int.self), column("screenshot_image_ids[1:10]", [String].self)),
        of: [.games(parameter: 1)]
    ) { "SELECT \($0) FROM games WHERE id = ANY ($1::integer[])" }

    private static let wanted = """
        SELECT wanted.id, min(wanted.place) AS place, NULL AS found_name
        FROM unnest($1::integer[]) WITH ORDINALITY AS wanted (id, place) GROUP BY wanted.id
        """

    fileprivate static let byIDs = found(
        "games_by_ids", .read, of: [.games(parameter: 1)], wanted)

    fileprivate static let onList = found(
        "games_on_list", .read, of: nil,
        where: "EXISTS (SELECT FROM entries e WHERE e.user_id = $2 AND e.game_id = g.id)", wanted)

    fileprivate static let isCover = Query(
        "is_cover", .read,
        column("EXISTS (SELECT FROM games WHERE cover_image_id = $1 AND NOT is_hidden)", Bool.self),
        of: [.catalogue]
    ) { "SELECT \($0)" }

    fileprivate static let held = Query(
        "held_games", .read, column("id", Int.self), of: [.games(parameter: 1)]
    ) { "SELECT \($0) FROM games WHERE id = ANY ($1::integer[])" }

    fileprivate static let hidden = Query(
        "hidden_games", .read, column("id", Int.self), of: [.games(parameter: 1)]
    ) { "SELECT \($0) FROM games WHERE id = ANY ($1::integer[]) AND is_hidden" }

    /// The text that is searched for, as names are indexed. In a subquery, so that it is not computed
    /// for each candidate.
    private static let folded = "(SELECT fold($1))"

    /// The same without punctuation; `nil` if nothing is left.
    private static let plain = "(SELECT nullif(plain_name(fold_name($1)), ''))"

    /// The ways to read the text, each between the start and the end of a pattern.
    private static func forms(_ start: String, _ end: String) -> String {
        """
        (SELECT array_agg('\(start)' || form || '\(end)')
         FROM unnest(searched_forms(\(plain))) form)::text[]
        """
    }

    /// The patterns that the name must match to contain each word of the text.
    private static let words = "(SELECT searched_words(\(plain)))::text[]"

    private static let candidate = "s.id, s.sort_name, s.type, s.is_edition, s.rating_count"

    /// Games with a name that meets a condition.
    ///
    /// - Parameter condition: Receives the column with the main name or with a further one.
    private static func candidates(_ condition: (String) -> String) -> String {
        """
        (SELECT \(candidate), s.searched_name, NULL AS found_name FROM games s
         WHERE \(condition("s.searched_name")) AND \(isOffered) LIMIT 2000)
        UNION ALL
        (SELECT \(candidate), n.searched_name, n.name
         FROM game_names n JOIN games s ON s.id = n.game_id
         WHERE \(condition("n.searched_name")) AND \(isOffered) LIMIT 2000)
        """
    }

    /// With OFFSET, the planner looks up each candidate's platform. Otherwise it would read all games
    /// of the platform first.
    private static let isOffered = """
        NOT s.is_hidden AND ($2::integer IS NULL OR EXISTS (
            SELECT FROM game_platforms o
            WHERE (o.game_id, o.platform_id) = (s.id, $2::integer) OFFSET 0))
        """

    /// Main games, remakes and remasters before games that belong to others, and the best known
    /// first.
    private static let order = """
        c.is_edition OR c.type NOT IN (0, 4, 8, 9, 10), -c.rating_count, c.sort_name, c.id
        """

    /// The name itself comes first, then names that begin with the text, or contain a word that
    /// does, or words with its first letters; then names that contain it anywhere.
    ///
    /// The numbers of candidates are bounded, so a text that is part of very many names costs no
    /// more than any other. Nothing has to be escaped for LIKE, because `plain_name` removes its
    /// special characters.
    fileprivate static let matching = found(
        "games_matching", .longRead, of: [.catalogue],
        """
        WITH with_text AS MATERIALIZED (
            \(candidates { "\($0) LIKE ANY (\(forms("%", "%")))" })
        ), with_words AS MATERIALIZED (
            \(candidates { name in
                """
                NOT EXISTS (SELECT FROM with_text) AND \(name) LIKE ((\(words))[1])
                AND \(name) LIKE ((\(words))[2]) AND \(name) LIKE ALL (\(words))
                """
            })
        ), similar_ones AS (
            SELECT \(candidate), s.searched_name, NULL AS found_name, t.place
            FROM unnest(games_with_similar_name(\(plain), $2::integer, $3::integer))
                 WITH ORDINALITY t (id, place)
            JOIN games s USING (id)
            -- A further name that is only part of the way there may itself be a misspelling.
            WHERE NOT EXISTS (
                      SELECT FROM with_text
                      WHERE found_name IS NULL OR searched_name LIKE ANY (\(forms("%/ ", " /%"))))
              AND NOT EXISTS (SELECT FROM with_words)
        ), matches AS (
            SELECT *, CASE
                      WHEN searched_name LIKE ANY (\(forms("%/ ", " /%"))) THEN 0
                      WHEN searched_name LIKE ANY (\(forms("%/ ", "%"))) THEN 1
                      WHEN searched_name LIKE ANY (\(forms("% ", "%"))) THEN 2
                      WHEN searched_name LIKE ANY (\(forms("%|%", "%"))) THEN 3
                      ELSE 4
                      END AS match
            FROM (SELECT *, 0 AS place FROM with_text
                  UNION ALL SELECT *, 0 FROM with_words
                  UNION ALL SELECT * FROM similar_ones) all_of_them
        )
        SELECT c.id, c.found_name, row_number() OVER (
                   ORDER BY c.match, c.place, c.found_name IS NOT NULL,
                            char_length(c.found_name), \(order)
               ) AS place
        FROM (SELECT DISTINCT ON (id) * FROM matches
              ORDER BY id, match, found_name IS NOT NULL, char_length(found_name)) c
        ORDER BY place
        LIMIT $3
        """)

    /// A range, because an index can't look for a LIKE pattern that the planner doesn't know. No
    /// character comes after U+10FFFF.
    fileprivate static let beginning = found(
        "games_beginning", .longRead, of: [.catalogue],
        """
        SELECT c.id, c.found_name, row_number() OVER (
                   ORDER BY NOT c.is_whole, c.found_name IS NOT NULL, \(order)) AS place
        FROM (SELECT DISTINCT ON (id) * FROM (
            (SELECT \(candidate), NULL AS found_name, s.sort_name = \(folded) AS is_whole
             FROM games s
             WHERE s.sort_name >= \(folded) AND s.sort_name < (\(folded) || chr(1114111))
               AND \(isOffered)
             LIMIT 1000)
            UNION ALL
            (SELECT \(candidate), n.name, n.plain_name = \(plain)
             FROM game_names n JOIN games s ON s.id = n.game_id
             WHERE n.plain_name >= \(plain) AND n.plain_name < (\(plain) || chr(1114111))
               AND \(isOffered)
             LIMIT 1000)
        ) found ORDER BY id, NOT is_whole, found_name IS NOT NULL) c
        ORDER BY place
        LIMIT $3
        """)
}
