import FaveGames
import Foundation
import HTTP

/// A moderator's action, as the log shows it.
package struct LogLine: Sendable {
    let doneAt: Date
    let text: String
    let username: String?
    let reason: String
    let isUndone: Bool
    /// The address that undoes the action; `nil` if the action no longer has an effect.
    let undo: String?

    package init(
        doneAt: Date, actor: String?, action: ModerationAction, username: String?, game: String?,
        reason: String, until: Date?, isUndone: Bool, undo: String?
    ) {
        self.doneAt = doneAt
        let who = actor.map { "@\($0)" } ?? "The operator, or a deleted account,"
        let whom = username.map { "@\($0)" } ?? "a deleted account"
        let did =
            switch action {
            case .dismiss: "dismissed reports of \(whom)"
            case .hideComment: "hid a reason of \(whom)" + (game.map { " for \($0)" } ?? "")
            case .hideList: "hid the list of \(whom)"
            case .hideCircle: "hid the name, the description and the address of a circle of \(whom)"
            case .suspend:
                "suspended \(whom) " + (until.map { "until \($0.dayInWords)" } ?? "indefinitely")
            case .undo: "undid an action on \(whom)"
            case .approve: "approved the list of \(whom)"
            case .role:
                "made \(whom) \(Role(rawValue: reason)?.article ?? reason)"
            }
        text = "\(who) \(did)"
        self.username = username
        self.reason = action == .role ? "" : reason
        self.isUndone = isUndone
        self.undo = undo
    }
}
