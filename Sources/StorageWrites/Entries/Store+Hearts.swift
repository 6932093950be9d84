public import FaveGames
public import Foundation
public import Postgres
public import Storage

// Hearts say “me too” to a comment. Others see only how many there are.
extension Store {
    /// Gives a heart to an entry's comment. A heart that was already given stays.
    ///
    /// - Parameter seen: When the entry that the user saw had last changed, in microseconds since
    ///   1970; `nil` if that doesn't matter.
    public func giveHeart(
        to entryID: UUID, by userID: UUID, seen: Int? = nil
    ) async throws(PostgresError) -> HeartOutcome {
        do {
            let found = try await database.query(
                HeartQueries.give, [.uuid(entryID), .uuid(userID), .int(seen)])
            guard let (isOwn, isCurrent) = found.first else { return .gone }
            return isOwn ? .own : isCurrent ? .given : .changed
        } catch {
            switch error.constraint {
            // The account was deleted at the same time.
            case "hearts_user_id_fkey": return .gone
            // To someone who is blocked, there is no such comment.
            case "hearts_block": return .gone
            default: throw error
            }
        }
    }

    /// Takes a heart back. If none was given, this succeeds, too.
    public func takeHeart(from entryID: UUID, by userID: UUID) async throws(PostgresError) {
        try await database.query(HeartQueries.take, [.uuid(entryID), .uuid(userID)])
    }

    /// Decides which comments come first, among some whose hearts have changed.
    ///
    /// - Returns: Whether there may be more.
    func weighHearts() async throws(PostgresError) -> Bool {
        let chosen = try await database.row(HeartQueries.choose, [.int(HeartQueries.weighedAtOnce)])
        guard let chosen else { return false }
        try await database.query(HeartQueries.weigh, [.uuids(chosen)])
        return true
    }
}

extension HeartQueries {
    /// Locks the list with the entry: a change of the comment either comes first, and is seen here,
    /// or removes the heart. Then locks the giver, who may be about to be disabled.
    static let give = Query(
        "give_heart", .write,
        columns(
            column("target.user_id = $2", Bool.self), column("target.is_current", Bool.self))
    ) {
        """
        WITH target AS (
            SELECT e.id, e.user_id,
                   coalesce((extract(epoch FROM e.updated_at) * 1000000)::bigint = $3::bigint, true)
                   AS is_current
            FROM entries e JOIN lists l ON l.user_id = e.user_id
            WHERE e.id = $1 AND e.comment <> '' AND e.audience = 'public' FOR SHARE OF l, e
        ), giver AS (
            SELECT u.id FROM target CROSS JOIN users u
            WHERE u.id = $2 AND u.disabled_at IS NULL FOR SHARE OF u
        ), given AS (
            INSERT INTO hearts (entry_id, user_id)
            SELECT target.id, giver.id FROM giver CROSS JOIN target
            WHERE target.user_id <> giver.id AND target.is_current
            ON CONFLICT DO NOTHING
        )
        SELECT \($0) FROM target
        """
    }

    static let take = Statement(
        "take_heart", .write, "DELETE FROM hearts WHERE (entry_id, user_id) = ($1, $2)")

    /// How many hearts are weighed in one statement, which takes half a second at most on current
    /// hardware. At most this many hearts of a single comment are looked at.
    static let weighedAtOnce = 1000

    static let choose = Query(
        "choose_hearts", .write, column("choose_hearts($1::integer)", [UUID]?.self)
    )

    static let weigh = Statement("weigh_hearts", .write, "SELECT weigh_hearts($1::uuid[])")
}
