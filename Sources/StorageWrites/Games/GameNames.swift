import FaveGames
import Postgres
import Storage

/// The further names of games.
enum GameNames {
    /// Replaces the further names of the games in `$1` by the names in `$2`, each in the language in
    /// `$3`. The names of other games stay. Names that a game already has are not written again.
    static let replace = Statement(
        "replace_game_names", .write,
        """
        WITH given AS (
            SELECT DISTINCT ON (game_id, name) *
            FROM unnest($1::integer[], $2::text[], $3::text[]) AS n (game_id, name, language)
            ORDER BY game_id, name, language
        ), removed AS (
            DELETE FROM game_names o
            WHERE o.game_id IN (SELECT game_id FROM given)
              AND NOT EXISTS (SELECT FROM given n WHERE (n.game_id, n.name) = (o.game_id, o.name))
        )
        INSERT INTO game_names AS o (game_id, name, language)
        SELECT n.game_id, n.name, n.language
        FROM given n JOIN games g ON g.id = n.game_id AND g.name <> n.name
        ORDER BY n.game_id, n.name
        ON CONFLICT (game_id, name) DO UPDATE SET language = excluded.language
        WHERE o.language IS DISTINCT FROM excluded.language
        """)
}
