/// A moderator's action, as the audit log names it.
public enum ModerationAction: String, CaseIterable, Sendable {
    case dismiss
    case hideComment = "hide_comment"
    case hideList = "hide_list"
    /// Takes a circle's name and description away.
    case hideCircle = "hide_circle"
    case suspend
    /// Takes an earlier action back.
    case undo
    /// Shows a new account's list publicly at once.
    case approve
    /// Gives someone another role.
    case role
}

/// How a moderator ends a case.
public enum ModerationDecision: Hashable, Sendable {
    case dismiss
    /// Takes the comment from the entry.
    case hideComment
    /// Makes the list private until the decision is undone.
    case hideList
    /// Takes the name, the address and the description from the circle.
    case hideCircle
    /// Shuts the account.
    ///
    /// - Parameter days: 1 to 365; `nil` until it is undone.
    case suspend(days: Int?)

    public static let suspensionDays = 1...365

    public var action: ModerationAction {
        switch self {
        case .dismiss: .dismiss
        case .hideComment: .hideComment
        case .hideList: .hideList
        case .hideCircle: .hideCircle
        case .suspend: .suspend
        }
    }
}

/// The result of a moderator's decision.
public enum ModerationOutcome: Hashable, Sendable {
    case done
    /// The case or the action no longer exists, or someone else has decided it.
    case gone
    /// The moderator may not decide about this person.
    case notAllowed
    /// There is nothing to hide: the comment is empty now, the list is hidden or the account shut.
    case nothingToDo
}
