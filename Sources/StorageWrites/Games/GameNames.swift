import FaveGames
import Postgres
import Storage

/// The further names of games.
enum GameNames {
    /// Replaces the further names of the games in `$1` by the names in `$2`. The names of other games
    /// stay. Names that a game already has are not written again.
    static let replace = Statement(
        "replace_game_names", .write,
        """
        WITH given AS (
            SELECT DISTINCT * FROM unnest($1::integer[], $2::text[]) AS n (game_id, name)
        ), removed AS (
            DELETE FROM game_names o
            WHERE o.game_id IN (SELECT game_id FROM given)
              AND NOT EXISTS (SELECT FROM given n WHERE (n.game_id, n.name) = (o.game_id, o.name))
        )
        INSERT INTO game_names (game_id, name)
        SELECT n.game_id, n.name
        FROM given n JOIN games g ON g.id = n.game_id AND g.name <> n.name
        ORDER BY n.game_id, n.name
        ON CONFLICT DO NOTHING
        """)
}

extension GameTitle {
    /// The names in other languages as a parameter.
    var lines: String { String(decoding: localized, as: UTF8.self) }
}
