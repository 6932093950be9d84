import FaveGames
import Foundation
import HTTP
import Languages

/// A moderator's action, as the log shows it.
package struct LogLine: Sendable {
    let doneAt: Date
    let text: Words
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
        let who = actor.map { Words(name: "@\($0)") } ?? .operatorOrDeleted
        let whom = username.map { Words(name: "@\($0)") } ?? .deletedAccount
        text =
            switch action {
            case .dismiss: .dismissed(by: who, reportsOf: whom)
            case .hideComment:
                game.map { .hidReason(by: who, of: whom, for: $0) } ?? .hidReason(by: who, of: whom)
            case .hideList: .hidList(by: who, of: whom)
            case .hideCircle: .hidCircle(by: who, of: whom)
            case .suspend:
                until.map { .suspended(by: who, whom, until: $0) } ?? .suspended(by: who, whom)
            case .undo: .undid(by: who, on: whom)
            case .approve: .approved(by: who, listOf: whom)
            case .role:
                .gaveRole(by: who, to: whom, Role(rawValue: reason)?.words ?? Words(name: reason))
            }
        self.username = username
        self.reason = action == .role ? "" : reason
        self.isUndone = isUndone
        self.undo = undo
    }
}

extension Role {
    fileprivate var words: Words {
        switch self {
        case .user: .roleUser
        case .moderator: .roleModerator
        case .admin: .roleAdministrator
        }
    }
}
