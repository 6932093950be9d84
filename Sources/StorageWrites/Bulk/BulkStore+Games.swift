package import FaveGames
import Postgres
import Storage

/// A game of the starter catalogue.
package struct GameSeed: Sendable {
    package let game: Game
    package let platformIDs: [Int]
    /// How well the game is known. Replaces IGDB's number of ratings until the game is fetched from
    /// IGDB.
    package let fame: Int
    /// Further names, such as those in other languages.
    package let names: [GameName]
    /// Whether the game is for adults only, until IGDB says so or otherwise.
    package let isAdult: Bool

    package init(
        game: Game, platformIDs: [Int], fame: Int = 0, names: [GameName] = [],
        isAdult: Bool = false
    ) {
        self.game = game
        self.platformIDs = platformIDs
        self.fame = fame
        self.names = names
        self.isAdult = isAdult
    }
}

extension BulkStore {
    /// Adds missing games with their platforms and further names, and updates existing ones. For a game
    /// that was fetched from IGDB, only missing platforms are added, because its data may be newer.
    ///
    /// - Returns: The changes. `updated` also counts games that only got platforms or names.
    /// - Throws: A violation of `game_platforms_platform_id_fkey` if platforms are not seeded.
    package func seed(_ games: [GameSeed]) throws -> Changes {
        let pairs = games.flatMap { game in game.platformIDs.map { (game.game.id, $0) } }
        let names = games.flatMap { game in game.names.map { (game.game.id, $0) } }
        return try session.withTransaction {
            let (added, updated) = try session.row(
                Self.writeGames,
                [
                    .ints(games.map(\.game.id)), .texts(games.map(\.game.name.main)),
                    .texts(games.map { $0.game.releaseYear.map { String($0) } }),
                    .texts(games.map(\.game.coverImageID)), .ints(games.map(\.fame)),
                    .texts(games.map { $0.isAdult ? "t" : nil }),
                    .texts(games.map(\.game.name.lines)),
                ])
            let moved = try session.row(
                Self.addPlatforms, [.ints(pairs.map(\.0)), .ints(pairs.map(\.1))])
            let named = try session.row(
                Self.addNames,
                [.ints(names.map(\.0)), .texts(names.map(\.1.name))])
            try session.query(Games.rankPlatforms.sql)
            let changed = Set(updated).union(moved).union(named).subtracting(added).count
            return Changes(
                added: added.count, updated: changed,
                unchanged: games.count - added.count - changed)
        }
    }

    // MARK: By hand

    /// Adds a game that IGDB doesn't have.
    ///
    /// - Parameter platforms: Their slugs.
    /// - Returns: The game's id; `nil` if there is no platform with one of the slugs.
    package func addGame(
        _ name: String, releaseYear: Int?, platforms slugs: [String]
    ) throws -> Int? {
        let platformIDs = try session.query(Self.platformIDs, [.texts(slugs)])
        guard platformIDs.count == Set(slugs).count else { return nil }
        let id = try session.row(Self.ownID)
        _ = try seed([
            GameSeed(
                game: Game(
                    id: id, name: GameTitle(name), releaseYear: releaseYear, coverImageID: nil),
                platformIDs: platformIDs)
        ])
        return id
    }

    private static let platformIDs = Query("platform_ids", .read, column("id", Int.self)) {
        "SELECT \($0) FROM platforms WHERE slug = ANY ($1::text[])"
    }

    private static let ownID = Query(
        "own_game_id", .write, column("nextval('own_game_ids')", Int.self))

    /// The games with a name, whatever its case and accents.
    package func games(named name: String) throws -> [Game] {
        try session.query(Self.named, [.text(name)])
    }

    private static let named = Query("games_named", .read, Game.columns) {
        "SELECT \($0) FROM games g WHERE g.sort_name = fold($1) ORDER BY g.id LIMIT 10"
    }

    /// Removes a game that an operator has added.
    ///
    /// - Returns: The game's name; `nil` if there is no such game.
    /// - Throws: A violation of a foreign key if the game is on someone's list, in a snapshot, or was
    ///   ranked of late.
    package func removeOwnGame(_ id: Int) throws -> String? {
        guard GameID.own.contains(id) else { return nil }
        return try session.query(Self.removeGame, [.int(id)]).first
    }

    private static let removeGame = Query("remove_own_game", .write, column("name", String.self)) {
        """
        WITH counts AS (DELETE FROM included_by WHERE game_id = $1 AND count = 0)
        DELETE FROM games WHERE id = $1 RETURNING \($0)
        """
    }

    /// What someone who looks after the games says about the cover of one.
    package enum CoverChoice: Sendable {
        /// The last part of the address of an image of IGDB's.
        case image(String)
        case none
        /// That of the next response of IGDB's, or of the starter catalogue.
        case igdb
    }

    /// Chooses a game's cover.
    ///
    /// - Returns: The game as it is now; `nil` if there is no such game.
    package func setCover(of id: Int, to choice: CoverChoice) throws -> Game? {
        let parameters: [PostgresParameter] =
            switch choice {
            case .image(let id): [.bool(true), .text(id)]
            case .none: [.bool(true), .text(nil)]
            case .igdb: [.bool(false), .text(nil)]
            }
        return try session.query(Self.setCover, [.int(id)] + parameters).first
    }

    private static let setCover = Query("set_cover", .write, Game.columns) {
        """
        UPDATE games g
        SET cover_by_hand = $2,
            cover_image_id = CASE WHEN $2 THEN $3 ELSE g.cover_image_id END,
            fetched_at = CASE WHEN $2 THEN g.fetched_at END
        WHERE g.id = $1
        RETURNING \($0)
        """
    }

    /// Says whether a game is for adults only.
    ///
    /// - Parameter isAdult: `nil` to do as IGDB says.
    /// - Returns: The game's name, and whether it is hidden now; `nil` if there is no such game.
    package func markGame(_ id: Int, isAdult: Bool?) throws -> (name: String, isHidden: Bool)? {
        try session.query(Self.markGame, [.int(id), .bool(isAdult)]).first
    }

    private static let markGame = Query(
        "mark_game", .write,
        Columns<(name: String, isHidden: Bool)>(["name", "is_hidden"]) {
            row throws(PostgresError) in try (row.next(), row.next())
        }
    ) { "UPDATE games SET adult_by_hand = $2 WHERE id = $1 RETURNING \($0)" }

    /// The ids of the added games, and of the updated games.
    private static let writeGames = Query(
        "seed_games", .write,
        columns(
            column("ARRAY(SELECT id FROM added)", [Int].self),
            column("ARRAY(SELECT id FROM updated)", [Int].self))
    ) {
        """
        WITH given AS (
            SELECT g.id, g.name, g.localized_names, g.release_year, g.cover_image_id, g.fame, g.adult_theme
            FROM unnest($1::integer[], $2::text[], $3::smallint[], $4::text[], $5::integer[],
                        $6::boolean[], $7::text[])
                AS g (id, name, release_year, cover_image_id, fame, adult_theme, localized_names)
        ), updated AS (
            UPDATE games g
            SET name = n.name, localized_names = n.localized_names, release_year = n.release_year,
                cover_image_id = coalesce(\(chosenCover("n")), g.cover_image_id),
                rating_count = n.fame, adult_theme = n.adult_theme
            FROM given n
            WHERE g.id = n.id AND g.fetched_at IS NULL
              AND (g.name, g.localized_names, g.release_year, g.cover_image_id, g.rating_count,
                   g.adult_theme)
                  IS DISTINCT FROM
                  (n.name, n.localized_names, n.release_year,
                   coalesce(\(chosenCover("n")), g.cover_image_id), n.fame, n.adult_theme)
            RETURNING g.id
        ), added AS (
            INSERT INTO games (id, name, localized_names, release_year, cover_image_id, rating_count,
                               adult_theme)
            SELECT * FROM given ON CONFLICT (id) DO NOTHING
            RETURNING id
        )
        SELECT \($0)
        """
    }

    /// Adds names that are missing. For a game that was fetched from IGDB, none are, because its names
    /// may be newer.
    private static let addNames = Query(
        "seed_game_names", .write,
        column("coalesce(array_agg(DISTINCT game_id), '{}')", [Int].self)
    ) {
        """
        WITH added AS (
            INSERT INTO game_names (game_id, name)
            SELECT n.game_id, n.name
            FROM unnest($1::integer[], $2::text[]) AS n (game_id, name)
            JOIN games g ON g.id = n.game_id AND g.fetched_at IS NULL
            ON CONFLICT DO NOTHING
            RETURNING game_id
        )
        SELECT \($0) FROM added
        """
    }

    private static let addPlatforms = Query(
        "seed_game_platforms", .write,
        column("coalesce(array_agg(DISTINCT game_id), '{}')", [Int].self)
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
