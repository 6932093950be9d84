import FaveGames
import Foundation
import HTTP

/// A moderator's action, as the affected person sees it.
package struct NoticeCard: Sendable {
    let title: String
    let doneAt: Date
    let reason: String
    let comment: String?

    package init(
        action: ModerationAction, doneAt: Date, reason: String, comment: String?, game: String?,
        circle: String?, until: Date?
    ) {
        title =
            switch action {
            case .hideComment: "A moderator hid your reason\(game.map { " for \($0)" } ?? "")"
            case .hideCircle:
                "A moderator hid the name, the description and the address of your circle"
                    + (circle.map { " “\($0)”" } ?? "")
            case .hideList: "A moderator hid your list: only you can see it"
            default:
                "Your account was suspended"
                    + (until.map { " until \($0.dayInWords)" } ?? "")
            }
        self.doneAt = doneAt
        self.reason = reason
        self.comment = comment
    }
}
