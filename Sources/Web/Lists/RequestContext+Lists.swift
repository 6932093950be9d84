import Endpoints
import FaveGames
import Foundation
import GameSearch
import Languages
import Storage
import Views

// How lists are read and changed, by both versions of the API and by pages.
extension RequestContext {
    /// The visitor's own list.
    ///
    /// - Parameter returnPath: The path to return to after signing in.
    /// - Throws: `SignInRequired` if the account is gone.
    func list(of visitor: Visitor, returnPath: String) async throws -> FaveList {
        guard let list = try await services.store.list(userID: visitor.user.id) else {
            throw SignInRequired(returnPath: returnPath)
        }
        return list
    }

    /// The list of the visitor; `nil` if no one is signed in.
    func visitorsList() async throws -> FaveList? {
        guard let visitor else { return nil }
        return try await services.store.list(userID: visitor.user.id)
    }

    /// The comments that moderators have taken from a list's entries, by entry.
    ///
    /// - Parameter entries: The ids of the visitor's entries without a comment.
    func hiddenComments(
        of visitor: Visitor?, in entries: [UUID]
    ) async throws -> [UUID: HiddenComment] {
        guard let visitor, !entries.isEmpty else { return [:] }
        let notices = try await services.store.moderationNotices(userID: visitor.user.id)
        var hidden: [UUID: HiddenComment] = [:]
        // The latest come first.
        for notice in notices {
            guard let id = notice.entryID, entries.contains(id), hidden[id] == nil,
                let comment = notice.comment, !comment.isEmpty
            else { continue }
            hidden[id] = HiddenComment(comment: comment, reason: notice.reason)
        }
        return hidden
    }
}

extension FaveList {
    /// - Throws: `noSuchEntry`.
    func entry(_ id: UUID) throws(ListError) -> Entry {
        guard let entry = entries.first(where: { $0.id == id }) else {
            throw .noSuchEntry(id)
        }
        return entry
    }
}

extension User {
    /// The title of the user's list.
    var listTitle: Words { .favouriteGames(of: displayName) }
}
