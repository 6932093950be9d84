import FaveGames
public import Foundation
import Freshness
public import Postgres

// Hearts say “me too” to a comment. Others see only how many there are.
extension Store {
    /// How many hearts the comment of an entry has; `nil` if there is no such comment on a public
    /// list.
    public func heartCount(of entryID: UUID) async throws(PostgresError) -> Int? {
        try await database.query(HeartQueries.count, [.uuid(entryID)]).first
    }

    /// How many hearts the comments on a user's list have, by the ids of the entries, without
    /// entries that have no hearts. Only comments on public lists have hearts.
    public func heartCounts(ofListOf userID: UUID) async throws(PostgresError) -> [UUID: Int] {
        let counts = try await database.query(HeartQueries.counts, [.uuid(userID)])
        return Dictionary(counts, uniquingKeysWith: { one, _ in one })
    }

    /// The entries among some that the user has given a heart.
    public func heartedEntries(
        _ entryIDs: [UUID], by userID: UUID
    ) async throws(PostgresError) -> Set<UUID> {
        guard !entryIDs.isEmpty else { return [] }
        return Set(
            try await database.query(HeartQueries.ownAmong, [.uuid(userID), .uuids(entryIDs)]))
    }
}

package enum HeartQueries {
    static let count = Query("heart_count", .read, column("coalesce(h.count, 0)", Int.self)) {
        """
        SELECT \($0) FROM entries e LEFT JOIN heart_counts h ON h.entry_id = e.id
        WHERE e.id = $1 AND e.comment <> '' AND e.audience = 'public'
        """
    }

    static let counts = Query(
        "heart_counts", .read, columns(column("e.id", UUID.self), column("h.count", Int.self)),
        of: [.users(parameter: 1)]
    ) {
        """
        SELECT \($0) FROM entries e JOIN heart_counts h ON h.entry_id = e.id
        WHERE e.user_id = $1 AND e.audience = 'public' AND h.count > 0
        """
    }

    static let ownAmong = Query("own_hearts", .read, column("entry_id", UUID.self)) {
        "SELECT \($0) FROM hearts WHERE user_id = $1 AND entry_id = ANY ($2::uuid[])"
    }

    static let ofGiver: Query<GivenHeart> = {
        let game = Game.columns.optional
        let heart = Columns<GivenHeart>(
            ["h.given_at", "e.id", "u.username"] + game.expressions
        ) { row throws(PostgresError) in
            let (givenAt, entryID, username): (Date, UUID?, String?) = try (
                row.next(), row.next(), row.next()
            )
            return try GivenHeart(
                givenAt: givenAt, entryID: entryID, game: row.next(game), username: username)
        }
        return Query("given_hearts", .read, heart) {
            """
            SELECT \($0)
            FROM hearts h
            LEFT JOIN entries e ON e.id = h.entry_id AND e.audience = 'public'
            LEFT JOIN users u ON u.id = e.user_id
            LEFT JOIN games g ON g.id = e.game_id
            WHERE h.user_id = $1 ORDER BY h.given_at, h.entry_id
            """
        }
    }()
}
