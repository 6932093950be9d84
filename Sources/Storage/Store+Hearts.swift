import FaveGames
import Foundation
import Freshness
import Postgres

/// The result of giving a heart.
public enum HeartOutcome: Hashable, Sendable {
    case given
    /// There is no such comment on a public list.
    case gone
    /// The comment is the user's own.
    case own
    /// The entry has changed since the user saw it.
    case changed
}

/// A heart, as its giver sees it.
public struct GivenHeart: Sendable {
    public let givenAt: Date
    /// The entry with the comment, its game, and its owner; `nil` while the list isn't public.
    public let entryID: UUID?
    public let game: Game?
    public let username: String?
}

// Hearts say “me too” to a comment. Others see only how many there are.
extension Store {
    /// Gives a heart to an entry's comment. A heart that was already given stays.
    ///
    /// - Parameter seen: When the entry that the user saw had last changed, in microseconds since
    ///   1970; `nil` if that doesn't matter.
    @_spi(Writing) public func giveHeart(
        to entryID: UUID, by userID: UUID, seen: Int? = nil
    ) async throws(PostgresError) -> HeartOutcome {
        do {
            let found = try await database.query(
                Hearts.give, [.uuid(entryID), .uuid(userID), .int(seen)])
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
    @_spi(Writing) public func takeHeart(
        from entryID: UUID, by userID: UUID
    ) async throws(PostgresError) {
        try await database.query(Hearts.take, [.uuid(entryID), .uuid(userID)])
    }

    /// How many hearts the comment of an entry has; `nil` if there is no such comment on a public
    /// list.
    public func heartCount(of entryID: UUID) async throws(PostgresError) -> Int? {
        try await database.query(Hearts.count, [.uuid(entryID)]).first
    }

    /// How many hearts the comments on a user's list have, by the ids of the entries, without
    /// entries that have no hearts. Only comments on public lists have hearts.
    public func heartCounts(ofListOf userID: UUID) async throws(PostgresError) -> [UUID: Int] {
        let counts = try await database.query(Hearts.counts, [.uuid(userID)])
        return Dictionary(counts, uniquingKeysWith: { one, _ in one })
    }

    /// The entries among some that the user has given a heart.
    public func heartedEntries(
        _ entryIDs: [UUID], by userID: UUID
    ) async throws(PostgresError) -> Set<UUID> {
        guard !entryIDs.isEmpty else { return [] }
        return Set(
            try await database.query(Hearts.ownAmong, [.uuid(userID), .uuids(entryIDs)]))
    }

    /// Decides which comments come first, among some whose hearts have changed.
    ///
    /// - Returns: Whether there may be more.
    func weighHearts() async throws(PostgresError) -> Bool {
        let chosen = try await database.row(Hearts.choose, [.int(Hearts.weighedAtOnce)])
        guard let chosen else { return false }
        try await database.query(Hearts.weigh, [.uuids(chosen)])
        return true
    }
}

enum Hearts {
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

    /// How many hearts are weighed in one statement, which takes half a second at most on current
    /// hardware. At most this many hearts of a single comment are looked at.
    static let weighedAtOnce = 1000

    static let choose = Query(
        "choose_hearts", .write, column("choose_hearts($1::integer)", [UUID]?.self)
    )

    static let weigh = Statement("weigh_hearts", .write, "SELECT weigh_hearts($1::uuid[])")
}
