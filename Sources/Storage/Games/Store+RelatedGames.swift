public import FaveGames
import Foundation
import Freshness
public import Postgres

extension Store {
    /// Games on public lists that include a given game, too, the closest first. Only the latest of
    /// those lists are looked at, and only games that share several of them are returned.
    public func relatedGames(to id: Int, limit: Int) async throws(PostgresError) -> [RelatedGame] {
        let owners = try await database.query(
            RelatedGames.owners, [.int(id), .int(RelatedGame.listsLookedAt)])
        guard owners.count >= RelatedGame.leastSharedLists else { return [] }
        let games = try await database.query(
            RelatedGames.onLists,
            [
                .uuids(owners), .int(id), .int(RelatedGame.leastSharedLists),
                .int(RelatedGame.compared),
            ])
        return Array(RelatedGame.ranked(games).prefix(limit))
    }
}

enum RelatedGames {
    /// The people with the game on a public list, the latest first. Someone may list the game on
    /// two platforms.
    static let owners = Query(
        "owners_of_game", .read, column("e.user_id", UUID.self), of: [.games(parameter: 1)]
    ) {
        """
        SELECT DISTINCT \($0) FROM (
            SELECT user_id FROM entries
            WHERE game_id = $1 AND audience = 'public'
            ORDER BY created_at DESC, id DESC
            LIMIT $2
        ) e
        """
    }

    private static let game = Columns<RelatedGame>(
        Game.columns.expressions + ["shared.lists", "included.lists"]
    ) { row throws(PostgresError) in
        try RelatedGame(
            game: row.next(Game.columns), sharedLists: row.next(), includedBy: row.next())
    }

    /// Depends on the lists that are looked at and on the counts of the games that share the most
    /// of them, so most saves of other people don't affect the result.
    static let onLists = Query(
        "games_on_lists", .longRead, game, of: [.users(parameter: 1), .games()]
    ) {
        """
        SELECT \($0)
        FROM (
            SELECT e.game_id, count(DISTINCT e.user_id) AS lists
            FROM unnest($1::uuid[]) AS owner (id)
            JOIN entries e ON e.user_id = owner.id
            WHERE e.game_id <> $2 AND e.audience = 'public'
            GROUP BY e.game_id HAVING count(DISTINCT e.user_id) >= $3
            ORDER BY lists DESC, e.game_id
            LIMIT $4
        ) shared
        JOIN games g ON g.id = shared.game_id
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(i.count), 0)::bigint AS lists
            FROM included_by i WHERE i.game_id = g.id AND i.count > 0
        ) included
        """
    }
}
