public import FaveGames
public import Foundation
import Postgres
public import Storage

// What moderators decide about cases and circles.
extension Store {
    /// Decides about a case, which closes it.
    ///
    /// - Parameters:
    ///   - moderator: Checked in the statements themselves; `nil` for an operator.
    ///   - reason: Shown to the affected person.
    public func decide(
        caseID: Int, _ decision: ModerationDecision, reason: ModerationNote, by moderator: UUID?
    ) async throws -> ModerationOutcome {
        let subject = try await database.query(Moderation.subject, [.int(caseID)]).first
        guard let (userID, circleID) = subject else { return .gone }
        return try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            // Before the case, as the order is.
            var circle: LockedCircle?
            if decision == .hideCircle, let circleID {
                circle = try await transaction.query(
                    Moderation.lockCircle, [.uuid(circleID), .uuid(moderator)]
                ).first
            }
            let found = try await transaction.query(
                Moderation.lockCase, [.int(caseID), .uuid(moderator)])
            guard let (entryID, isAllowed) = found.first else { return .gone }
            guard isAllowed, circle?.isAllowed != false else { return .notAllowed }
            let action: [PostgresParameter] = [
                .uuid(moderator), .int(caseID), .uuid(userID), .text(reason.text),
            ]
            let isDone: Bool =
                switch decision {
                case .dismiss: true
                case .hideComment:
                    try await transaction.query(
                        Moderation.hideComment, action + [.uuid(entryID)]
                    ).affectedCount == 1
                case .hideList:
                    try await transaction.query(Moderation.hideList, [.uuid(userID)])
                        .affectedCount == 1
                case .hideCircle:
                    if let circle {
                        try await hide(
                            circle, reason: reason, by: moderator, caseID: caseID, in: transaction)
                    } else {
                        false
                    }
                case .suspend(let days):
                    try await transaction.query(
                        Moderation.suspend, [.uuid(userID), .int(days)]
                    ).affectedCount == 1
                }
            guard isDone else { return .nothingToDo }
            if decision != .hideComment, decision != .hideCircle {
                let days: Int? = if case .suspend(let days) = decision { days } else { nil }
                try await transaction.query(
                    Moderation.note,
                    action + [.text(decision.action.rawValue), .uuid(entryID), .int(days)])
            }
            if case .suspend = decision {
                try await transaction.query(Sessions.endAllWithApps, [.uuid(userID)])
            }
            try await transaction.query(Moderation.close, [.int(caseID)])
            return .done
        }
    }

    /// Takes the name, the address and the description from a public circle.
    ///
    /// - Parameters:
    ///   - reason: Shown to the circle's owner.
    ///   - moderator: Checked in the statement itself.
    public func hideCircle(
        id: UUID, reason: ModerationNote, by moderator: UUID
    ) async throws -> ModerationOutcome {
        try await database.withTransaction { transaction in
            let found = try await transaction.query(
                Moderation.lockCircle, [.uuid(id), .uuid(moderator)]
            ).first
            guard let circle = found, circle.isPublic else { return .gone }
            guard circle.isAllowed else { return .notAllowed }
            return try await hide(
                circle, reason: reason, by: moderator, in: transaction) ? .done : .nothingToDo
        }
    }

    /// Takes the texts of a circle that the transaction has locked, and notes that.
    ///
    /// - Returns: `false` if the texts are hidden already.
    private func hide(
        _ circle: LockedCircle, reason: ModerationNote, by moderator: UUID?, caseID: Int? = nil,
        in transaction: Transaction
    ) async throws(PostgresError) -> Bool {
        try await transaction.query(
            Moderation.hideCircle,
            [
                .uuid(circle.id), .uuid(moderator), .uuid(circle.owner), .text(reason.text),
                .int(caseID),
            ]
        ).affectedCount == 1
    }
}

/// A circle that a transaction has locked for a moderator.
struct LockedCircle: Sendable {
    let id: UUID
    let owner: UUID
    let isPublic: Bool
    /// Whether the moderator may decide about its owner.
    let isAllowed: Bool
}

extension Moderation {
    /// An SQL condition: whether the user `m` may decide about the user `u`.
    static let mayDecide = """
        (m.role <> 'user' AND m.disabled_at IS NULL AND m.id <> u.id
         AND (u.role = 'user' OR m.role = 'admin'))
        """

    static let subject = Query(
        "case_subject", .read,
        columns(column("user_id", UUID.self), column("circle_id", UUID?.self))
    ) {
        "SELECT \($0) FROM cases WHERE id = $1 AND closed_at IS NULL"
    }

    static let lockCase = Query(
        "lock_case", .write,
        columns(
            column("c.entry_id", UUID?.self),
            column("$2::uuid IS NULL OR coalesce(\(mayDecide), false)", Bool.self))
    ) {
        """
        SELECT \($0)
        FROM cases c JOIN users u ON u.id = c.user_id LEFT JOIN users m ON m.id = $2::uuid
        WHERE c.id = $1 AND c.closed_at IS NULL
        FOR NO KEY UPDATE OF c
        """
    }

    static let hideComment = Statement(
        "hide_comment", .write,
        """
        WITH e AS (
            SELECT id, game_id, comment FROM entries e
            WHERE id = $5 AND user_id = $3
              -- Its author may have taken it back, and a snapshot may still show it.
              AND (comment <> '' OR EXISTS (
                  SELECT FROM snapshots l JOIN snapshot_entries k ON k.snapshot_id = l.id
                  WHERE l.user_id = $3 AND k.entry_id = e.id AND k.comment <> ''
                    AND k.hidden_by IS NULL))
            FOR NO KEY UPDATE
        ), logged AS (
            INSERT INTO moderation_actions (actor_id, action, case_id, user_id, reason, entry_id)
            SELECT $1, 'hide_comment', $2, $3, $4, id FROM e
            RETURNING id
        ), hidden AS (
            INSERT INTO hidden_comments (action_id, entry_id, game_id, comment)
            SELECT logged.id, e.id, e.game_id, e.comment FROM logged, e
        )
        UPDATE entries SET comment = '' WHERE id = (SELECT id FROM e)
        """)

    static let hideList = Statement(
        "hide_list", .write,
        """
        UPDATE users SET hidden_visibility = visibility, visibility = 'private'
        WHERE id = $1 AND hidden_visibility IS NULL
        """)

    static let lockCircle = Query(
        "lock_reported_circle", .write,
        Columns<LockedCircle>([
            "c.id", "u.id", "c.visibility = 'public'",
            "$2::uuid IS NULL OR coalesce(\(mayDecide), false)",
        ]) { row throws(PostgresError) in
            try LockedCircle(
                id: row.next(), owner: row.next(), isPublic: row.next(), isAllowed: row.next())
        }
    ) {
        """
        SELECT \($0)
        FROM circles c
        JOIN circle_members o ON o.circle_id = c.id AND o.owned IS NOT NULL
        JOIN users u ON u.id = o.user_id
        LEFT JOIN users m ON m.id = $2::uuid
        WHERE c.id = $1
        FOR NO KEY UPDATE OF c
        """
    }

    static let hideCircle = Statement(
        "hide_circle", .write,
        """
        WITH c AS (
            SELECT id, slug, name, description FROM circles
            WHERE id = $1 AND NOT (\(isHidden))
        ), logged AS (
            INSERT INTO moderation_actions (actor_id, action, user_id, reason, case_id)
            SELECT $2::uuid, 'hide_circle', $3, $4, $5::bigint FROM c
            RETURNING id
        ), hidden AS (
            INSERT INTO hidden_circles (action_id, circle_id, slug, name, description)
            SELECT logged.id, c.id, c.slug, c.name, c.description FROM logged, c
        )
        UPDATE circles
        SET name = '\(CircleName.hidden)', description = '',
            slug = 'circle-' || left(gen_random_uuid()::text, 8)
        WHERE id = (SELECT id FROM c)
        """)

    /// Whether nothing is left of what the owner wrote about a circle.
    private static let isHidden = """
        name = '\(CircleName.hidden)' AND description = '' AND slug ~ '^circle-[0-9a-f]+$'
        """

    static let suspend = Statement(
        "suspend_user", .write,
        """
        UPDATE users
        SET disabled_at = now(), disabled_until = now() + $2::integer * interval '1 day'
        WHERE id = $1 AND disabled_at IS NULL
        """)

    static let note = Statement(
        "note_moderation", .write,
        """
        INSERT INTO moderation_actions (actor_id, case_id, user_id, reason, action, entry_id, until)
        VALUES ($1, $2, $3, $4, $5, $6, now() + $7::integer * interval '1 day')
        """)

    static let close = Statement(
        "close_case", .write,
        """
        WITH forgotten AS (
            UPDATE reports SET reporter = gen_random_uuid()
            WHERE case_id = $1 AND reporter_id IS NULL
        )
        UPDATE cases SET closed_at = now() WHERE id = $1
        """)
}
