import FaveGames
import Postgres

/// The further names of games.
enum GameNames {
    /// Replaces the further names of the games `$1` by the names `$3` in the languages `$4`, each of
    /// the game in `$2`. A name that the game has already is left as it is, so that a refresh writes
    /// only what has changed.
    static let replace = Statement(
        "replace_game_names", .write,
        """
        WITH given AS (
            SELECT DISTINCT ON (game_id, name) *
            FROM unnest($2::integer[], $3::text[], $4::text[]) AS n (game_id, name, language)
            ORDER BY game_id, name, language
        ), removed AS (
            DELETE FROM game_names o
            WHERE o.game_id = ANY ($1::integer[])
              AND NOT EXISTS (SELECT FROM given n WHERE (n.game_id, n.name) = (o.game_id, o.name))
        )
        INSERT INTO game_names AS o (game_id, name, language)
        SELECT n.game_id, n.name, n.language
        FROM given n JOIN games g ON g.id = n.game_id AND g.name <> n.name
        ON CONFLICT (game_id, name) DO UPDATE SET language = excluded.language
        WHERE o.language IS DISTINCT FROM excluded.language
        """)
}
