public import FaveGames
public import Foundation
import Postgres
public import Storage

// Moderators' actions that are taken back.
extension Store {
    /// Takes an action back: a comment or a list is shown again, or a suspension ends.
    public func undo(
        actionID: Int, reason: ModerationNote, by moderator: UUID
    ) async throws -> ModerationOutcome {
        let subject = try await database.query(Moderation.concerned, [.int(actionID)]).first
        guard let userID = subject else { return .gone }
        return try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            let found = try await transaction.query(
                Moderation.lockAction, [.int(actionID), .uuid(moderator)])
            guard let (action, isAllowed) = found.first else { return .gone }
            guard isAllowed else { return .notAllowed }
            let statement: Statement
            switch action {
            case .hideComment: statement = Moderation.showComment
            case .hideList: statement = Moderation.showList
            case .hideCircle: statement = Moderation.showCircle
            case .suspend: statement = Moderation.endSuspension
            case .dismiss, .undo, .approve, .role: return .nothingToDo
            }
            let isOfOneAction = action == .hideComment || action == .hideCircle
            let parameter: PostgresParameter = isOfOneAction ? .int(actionID) : .uuid(userID)
            try await transaction.query(statement, [parameter])
            try await transaction.query(
                Moderation.undo, [.int(actionID), .uuid(moderator), .text(reason.text)])
            return .done
        }
    }
}

extension Moderation {
    static let concerned = Query(
        "act_concerns", .read, column("user_id", UUID.self),
        unfiltered: "Moderators undo actions about people whom they have blocked, too."
    ) {
        """
        SELECT \($0) FROM moderation_actions a
        WHERE a.id = $1 AND user_id IS NOT NULL AND \(isInForce)
        """
    }

    static let lockAction = Query(
        "lock_action", .write,
        columns(column("a.action", ModerationAction.self), column(mayDecide, Bool.self))
    ) {
        """
        SELECT \($0)
        FROM moderation_actions a JOIN users u ON u.id = a.user_id JOIN users m ON m.id = $2
        WHERE a.id = $1 AND \(isInForce)
        FOR NO KEY UPDATE OF a
        """
    }

    /// A comment that the author has written in the meantime stays, and so does the entry if it is for
    /// another game now.
    static let showComment = Statement(
        "show_comment", .write,
        """
        WITH h AS (
            DELETE FROM hidden_comments WHERE action_id = $1 RETURNING entry_id, game_id, comment
        )
        UPDATE entries e SET comment = h.comment FROM h
        WHERE e.id = h.entry_id AND e.game_id = h.game_id AND e.comment = ''
        """)

    static let showList = Statement(
        "show_list", .write,
        """
        UPDATE users SET visibility = hidden_visibility, hidden_visibility = NULL
        WHERE id = $1 AND hidden_visibility IS NOT NULL
        """)

    /// Text that the owner has written in the meantime stays.
    static let showCircle = Statement(
        "show_circle", .write,
        """
        WITH h AS (
            DELETE FROM hidden_circles WHERE action_id = $1
            RETURNING circle_id, slug, name, description
        )
        UPDATE circles c
        -- Texts that the owner has written in the meantime stay.
        SET name = CASE WHEN \(hasHiddenTexts) THEN h.name ELSE c.name END,
            description = CASE WHEN \(hasHiddenTexts) THEN h.description ELSE c.description END,
            -- Another circle may have taken the address in the meantime.
            slug = CASE WHEN EXISTS (SELECT FROM circles o WHERE o.slug = h.slug)
                        THEN c.slug ELSE h.slug END
        FROM h
        WHERE c.id = h.circle_id
        """)

    private static let hasHiddenTexts = "(c.name, c.description) = ('\(CircleName.hidden)', '')"

    static let endSuspension = Statement(
        "end_suspension", .write,
        "UPDATE users SET disabled_at = NULL, disabled_until = NULL WHERE id = $1")

    static let undo = Statement(
        "undo_moderation", .write,
        """
        WITH a AS (
            UPDATE moderation_actions SET undone_at = now() WHERE id = $1
            RETURNING user_id, entry_id, case_id
        )
        INSERT INTO moderation_actions (actor_id, action, user_id, entry_id, case_id, reason)
        SELECT $2, 'undo', user_id, entry_id, case_id, $3 FROM a
        """)
}
