import FaveGames
import Foundation
import HTTP
import Languages

/// A moderator's action, as the affected person sees it.
package struct NoticeCard: Sendable {
    let title: Words
    let doneAt: Date
    let reason: String
    let comment: String?

    package init(
        action: ModerationAction, doneAt: Date, reason: String, comment: String?, game: GameTitle?,
        circle: String?, until: Date?
    ) {
        title =
            switch action {
            case .hideComment: game.map { .yourReasonHidden(for: $0) } ?? .yourReasonHidden
            case .hideCircle: circle.map { .yourCircleHidden($0) } ?? .yourCircleHidden
            case .hideList: .yourListHidden
            default: until.map { .youWereSuspended(until: $0) } ?? .youWereSuspended
            }
        self.doneAt = doneAt
        self.reason = reason
        self.comment = comment
    }
}
