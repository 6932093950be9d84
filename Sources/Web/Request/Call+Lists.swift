import Endpoints
import FaveGames
import Foundation
import GameSearch
import Storage

// How lists are read and changed, by both versions of the API and by pages.
extension Call {
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

    /// Changes a list, beginning with the list as it was read a moment ago.
    ///
    /// - Parameters:
    ///   - games: The games that may be new on the list. If we don't know one yet, they are looked
    ///     up at IGDB.
    ///   - change: Receives the current list and returns the new one. It may be called again.
    /// - Throws: 401 if the account is gone, or `SignInRequired` for a visitor; `ListError`;
    ///   `UnansweredGames`; any error that `change` throws.
    func change(
        _ list: FaveList, games: [Int] = [],
        _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList {
        let blockList = services.accounts.policy.blockList
        let changed = try await learning(games) {
            try await services.store.changeList(list) { list in
                let draft = try change(list)
                try draft.check(blockList, changing: list)
                return draft
            }
        }
        guard let changed else { throw accountIsGone }
        return changed
    }

    /// Adds an entry. If the request is repeated with the same key, the entry is added only once.
    ///
    /// - Parameters:
    ///   - position: The end of the list if `nil`.
    ///   - check: Checks the request's conditions before the change.
    ///   - answer: Makes the answer from the new entry.
    /// - Throws: As `change`, and `IdempotencyKeyReusedError`.
    func insert(
        _ entry: DraftEntry, at position: Int? = nil, into list: FaveList,
        _ request: IdempotentRequest?,
        check: @Sendable (FaveList) throws -> Void,
        answer: @Sendable (Entry) -> KeptAnswer
    ) async throws -> KeptAnswer {
        let blockList = services.accounts.policy.blockList
        @Sendable func insertion(_ list: FaveList) throws -> ListDraft {
            try check(list)
            let draft = try list.adding(entry, at: position)
            try draft.check(blockList, changing: list)
            return draft
        }
        guard let request else {
            let changed = try await change(list, games: [entry.gameID], insertion)
            return try answer(changed.entry(entry.pick))
        }
        let kept = try await learning([entry.gameID]) {
            try await services.store.changeList(list, once: request, insertion) { changed in
                try answer(changed.entry(entry.pick))
            }
        }
        guard let kept else { throw accountIsGone }
        return kept
    }

    /// What to tell someone whose account was deleted since the request came.
    private var accountIsGone: any Error {
        visitor == nil
            ? Problem.unauthorized(hadToken: true) : SignInRequired(returnPath: nil)
    }

    /// Makes a change. If we don't know a game of the new list, looks up `games` at IGDB and makes
    /// the change again.
    private func learning<Result>(
        _ games: [Int], _ change: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await change()
        } catch ListError.unknownGame where !games.isEmpty {
            try await self.games.learn(games)
            return try await change()
        }
    }
}

extension FaveList {
    /// The list with another entry.
    ///
    /// - Parameter position: The end of the list if `nil`.
    func adding(_ entry: DraftEntry, at position: Int? = nil) throws(ListError) -> ListDraft {
        var draft = ListDraft(self)
        try draft.insert(entry, at: position)
        return draft
    }

    /// The entry that was just added for a pick.
    fileprivate func entry(_ pick: Pick) throws(ListError) -> Entry {
        guard let entry = entries.first(where: { $0.pick == pick }) else {
            throw .changedMeanwhile
        }
        return entry
    }

    /// - Throws: `noSuchEntry`.
    func entry(_ id: UUID) throws(ListError) -> Entry {
        guard let entry = entries.first(where: { $0.id == id }) else {
            throw .noSuchEntry(id)
        }
        return entry
    }
}

extension Entry {
    fileprivate var pick: Pick { Pick(game: game.id, platform: platform.id) }
}
