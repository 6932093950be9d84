public import FaveGames
public import Foundation
import Freshness
public import Postgres

extension Store {
    /// The games among `ids` that we know, in the order of `ids`. Hidden games are left out.
    public func games(ids: [Int]) async throws(PostgresError) -> [FoundGame] {
        try await database.query(Games.byIDs, [.ints(ids)]).map(FoundGame.init)
    }

    /// The same, after those that an operator has added and that have the text in their name.
    public func games(
        foundElsewhere ids: [Int], for search: SearchText
    ) async throws(PostgresError) -> [FoundGame] {
        try await database.query(
            Games.foundElsewhere, [.ints(ids), .text(search.text)]
        ).map(FoundGame.init)
    }

    /// Games that the text may mean, the likeliest first, as the database's function `find_games` finds
    /// them.
    ///
    /// - Parameters:
    ///   - platform: If given, only games on this platform are returned.
    ///   - limit: At most 100.
    public func games(
        matching search: SearchText, platform: Int?, limit: Int
    ) async throws(PostgresError) -> [FoundGame] {
        try await database.query(
            Games.matching, [.text(search.text), .int(platform), .int(limit)]
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
    public func screenshotImageIDs(gameIDs: [Int]) async throws(PostgresError) -> [Int: [String]] {
        let images = try await database.query(Games.screenshotImageIDs, [.ints(gameIDs)])
        return Dictionary(uniqueKeysWithValues: images)
    }
}

extension FoundGame {
    fileprivate init(_ found: (key: Games.Match, values: [Platform])) {
        self.init(
            game: found.key.game, kind: found.key.kind, platforms: found.values,
            foundName: found.key.name)
    }
}

package enum Games {
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

    fileprivate static let foundElsewhere = found(
        "games_found_elsewhere", .read, of: [.catalogue],
        """
        SELECT id, min(place) AS place, NULL AS found_name
        FROM (
            (SELECT id, 0 AS place FROM games
             WHERE id >= \(GameID.own.lowerBound) AND strpos(sort_name, fold($2)) > 0
             ORDER BY sort_name, id LIMIT 20)
            UNION ALL SELECT * FROM unnest($1::integer[]) WITH ORDINALITY
        ) each (id, place)
        GROUP BY id
        """)

    fileprivate static let onList = found(
        "games_on_list", .read, of: nil,
        where: "EXISTS (SELECT FROM entries e WHERE e.user_id = $2 AND e.game_id = g.id)", wanted)

    fileprivate static let isCover = Query(
        "is_cover", .read,
        column("EXISTS (SELECT FROM games WHERE cover_image_id = $1 AND NOT is_hidden)", Bool.self),
        of: [.catalogue]
    )

    fileprivate static let held = Query(
        "held_games", .read, column("id", Int.self), of: [.games(parameter: 1)]
    ) { "SELECT \($0) FROM games WHERE id = ANY ($1::integer[])" }

    fileprivate static let hidden = Query(
        "hidden_games", .read, column("id", Int.self), of: [.games(parameter: 1)]
    ) { "SELECT \($0) FROM games WHERE id = ANY ($1::integer[]) AND is_hidden" }

    fileprivate static let matching = found(
        "games_matching", .longRead, of: [.catalogue],
        "SELECT id, place, found_name FROM find_games($1, $2::integer, $3::integer)")
}
