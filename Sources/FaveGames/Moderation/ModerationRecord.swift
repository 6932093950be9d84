public import Foundation

/// A line of the audit log.
public struct ModerationRecord: Sendable {
    public let id: Int
    public let doneAt: Date
    /// The moderator's username; `nil` for an operator, or if the account was deleted.
    public let actor: String?
    public let action: ModerationAction
    /// The username of the affected person; `nil` if the account was deleted.
    public let username: String?
    public let game: String?
    public let reason: String
    public let until: Date?
    public let undoneAt: Date?
    /// Whether the action can still be undone.
    public let isInForce: Bool

    public init(
        id: Int, doneAt: Date, actor: String?, action: ModerationAction, username: String?,
        game: String?, reason: String, until: Date?, undoneAt: Date?, isInForce: Bool
    ) {
        self.id = id
        self.doneAt = doneAt
        self.actor = actor
        self.action = action
        self.username = username
        self.game = game
        self.reason = reason
        self.until = until
        self.undoneAt = undoneAt
        self.isInForce = isInForce
    }
}

/// A moderator's action, as the affected person is notified of it.
public struct ModerationNotice: Sendable {
    public let action: ModerationAction
    public let doneAt: Date
    public let reason: String
    /// The comment that was hidden, and its game.
    public let comment: String?
    public let game: GameTitle?
    /// The entry that the comment was taken from; `nil` if it is gone, or for another game now.
    public let entryID: UUID?
    /// The name of the circle that was hidden.
    public let circle: String?
    /// When a suspension ends or ended; `nil` for one without a term, and for other actions.
    public let until: Date?

    public init(
        action: ModerationAction, doneAt: Date, reason: String, comment: String?, game: GameTitle?,
        entryID: UUID?, circle: String?, until: Date?
    ) {
        self.action = action
        self.doneAt = doneAt
        self.reason = reason
        self.comment = comment
        self.game = game
        self.entryID = entryID
        self.circle = circle
        self.until = until
    }
}
