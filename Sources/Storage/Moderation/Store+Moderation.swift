public import FaveGames
public import Foundation
public import Postgres

extension Store {
    /// The latest lines of the audit log; at most two hundred.
    public func moderationLog() async throws(PostgresError) -> [ModerationRecord] {
        try await database.query(Moderation.log)
    }

    /// The moderators' actions that affect a user, the latest first: the actions in force, and the
    /// suspensions of the last months.
    public func moderationNotices(userID: UUID) async throws(PostgresError) -> [ModerationNotice] {
        try await database.query(Moderation.notices, [.uuid(userID)])
    }

    /// People whose lists aren't shown publicly yet, those who wait longest first; at most a hundred.
    public func newAccounts() async throws(PostgresError) -> [NewAccount] {
        try await database.query(Moderation.newAccounts)
    }

    /// The suspension of a disabled account; `nil` if the account isn't suspended.
    public func suspension(userID: UUID) async throws(PostgresError) -> Suspension? {
        try await database.query(Moderation.suspension, [.uuid(userID)]).first
    }
}

package enum Moderation {
    /// An SQL condition: whether the action `a` has an effect that can be undone.
    package static let isInForce = """
        (a.undone_at IS NULL AND CASE a.action
             -- In a snapshot, the comment may outlive its entry.
             WHEN 'hide_comment'
             THEN EXISTS (SELECT FROM hidden_comments WHERE action_id = a.id)
                  OR EXISTS (SELECT FROM snapshot_entries WHERE hidden_by = a.id)
             WHEN 'hide_list' THEN EXISTS (SELECT FROM users
                                           WHERE id = a.user_id AND hidden_visibility IS NOT NULL)
             WHEN 'hide_circle' THEN EXISTS (SELECT FROM hidden_circles WHERE action_id = a.id)
             -- Both times are those of one transaction. A later one is another's.
             WHEN 'suspend' THEN EXISTS (SELECT FROM users
                                         WHERE id = a.user_id AND disabled_at = a.done_at)
             ELSE false END)
        """

    static let newAccounts = Query(
        "new_accounts", .read,
        Columns<NewAccount>(
            ["username", "display_name", "bio", "new_until"]
        ) { row throws(PostgresError) in
            try NewAccount(
                username: row.next(), displayName: row.next(), bio: row.next(),
                until: row.next())
        }, unfiltered: "Moderators approve people whom they have blocked, too."
    ) {
        """
        SELECT \($0) FROM users
        WHERE new_until IS NOT NULL AND visibility = 'public' AND disabled_at IS NULL
        ORDER BY new_until, username LIMIT 100
        """
    }

    static let log = Query(
        "moderation_log", .longRead,
        Columns<ModerationRecord>([
            "a.id", "a.done_at", "m.username", "a.action", "u.username", "g.name", "a.reason",
            "a.until", "a.undone_at", isInForce,
        ]) { row throws(PostgresError) in
            try ModerationRecord(
                id: row.next(), doneAt: row.next(), actor: row.next(), action: row.next(),
                username: row.next(), game: row.next(), reason: row.next(), until: row.next(),
                undoneAt: row.next(), isInForce: row.next())
        }, unfiltered: "Moderators see what was done about people whom they have blocked."
    ) {
        """
        SELECT \($0)
        FROM (SELECT * FROM moderation_actions ORDER BY id DESC LIMIT 200) a
        LEFT JOIN users m ON m.id = a.actor_id
        LEFT JOIN users u ON u.id = a.user_id
        LEFT JOIN entries e ON e.id = a.entry_id
        LEFT JOIN games g ON g.id = e.game_id
        ORDER BY a.id DESC
        """
    }

    private static func notices(
        _ name: String, where condition: String, atMost limit: String
    ) -> Query<ModerationNotice> {
        let notice = Columns<ModerationNotice>(
            ["a.action", "a.done_at", "a.reason", "coalesce(h.comment, k.comment)"]
                + GameTitle.columns.expressions
                + ["CASE WHEN e.game_id = h.game_id THEN e.id END", "c.name", "a.until"]
        ) { row throws(PostgresError) in
            try ModerationNotice(
                action: row.next(), doneAt: row.next(), reason: row.next(), comment: row.next(),
                game: row.next(GameTitle.columns.optional), entryID: row.next(), circle: row.next(),
                until: row.next())
        }
        return Query(name, .read, notice) {
            """
            SELECT \($0)
            FROM moderation_actions a
            LEFT JOIN hidden_comments h ON h.action_id = a.id
            LEFT JOIN hidden_circles c ON c.action_id = a.id
            LEFT JOIN entries e ON e.id = h.entry_id
            LEFT JOIN LATERAL (
                SELECT comment, game_id FROM snapshot_entries
                WHERE hidden_by = a.id AND h.action_id IS NULL
                ORDER BY snapshot_id LIMIT 1
            ) k ON true
            LEFT JOIN games g ON g.id = coalesce(e.game_id, k.game_id)
            WHERE a.user_id = $1 AND (\(condition))
            ORDER BY a.id DESC LIMIT \(limit)
            """
        }
    }

    static let notices = notices(
        "moderation_notices",
        where: """
            \(isInForce)
            OR a.action = 'suspend' AND a.undone_at IS NULL
               AND a.done_at > now() - interval '90 days'
            """, atMost: "50")

    /// There is no notice of a dismissed case.
    static let allNotices = notices(
        "all_moderation_notices", where: "a.action <> 'dismiss'", atMost: "ALL")

    static let suspension = Query(
        "suspension", .read,
        Columns<Suspension>([
            "u.disabled_until",
            """
            coalesce((SELECT reason FROM moderation_actions
                      WHERE user_id = u.id AND action = 'suspend' AND undone_at IS NULL
                        AND done_at >= u.disabled_at
                      ORDER BY id DESC LIMIT 1), '')
            """,
        ]) { row throws(PostgresError) in
            try Suspension(until: row.next(), reason: row.next())
        }, unfiltered: "The browser may be signed in to another account than the suspended one."
    ) { "SELECT \($0) FROM users u WHERE u.id = $1 AND u.disabled_at IS NOT NULL" }
}
