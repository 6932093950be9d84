public import FaveGames
public import GameSearch
public import Storage
import StorageWrites

/// Changes of lists.
public struct ListActions: Sendable {
    private let store: Store
    private let games: GameFinder
    private let refusedWords: RefusedWords

    /// - Parameter games: Looks up games that the site doesn't know yet, on behalf of the viewer.
    public init(_ store: Store, games: GameFinder, refusedWords: RefusedWords) {
        self.store = store
        self.games = games
        self.refusedWords = refusedWords
    }

    /// Changes a list, starting from the version that was just read.
    ///
    /// - Parameters:
    ///   - new: The games that may be new on the list. Those that the site doesn't know are looked up
    ///     at IGDB.
    ///   - change: Receives the current list and returns the new one. It may be called again.
    /// - Returns: The new list.
    /// - Throws: `ListError`, `RefusedText`, `UnresolvedGames`, `AccountGone`, `PostgresError`, and what
    ///   `change` throws.
    public func change(
        _ list: FaveList, adding new: [Int] = [],
        _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList {
        func save() async throws -> FaveList {
            let saved = try await store.changeList(list) { try check(change($0), replacing: $0) }
            guard let saved else { throw AccountGone() }
            return saved
        }
        do {
            return try await save()
        } catch ListError.wrongPicks(let wrong)
            where !new.isEmpty && wrong.contains(where: { $0.reason == .unknownGame })
        {
            try await games.learn(new)
            return try await save()
        }
    }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - position: The end of the list if `nil`.
    ///   - condition: Checks the request's conditions before the change.
    /// - Returns: The new entry.
    /// - Throws: As `change`.
    public func add(
        _ entry: DraftEntry, at position: Int? = nil, to list: FaveList,
        if condition: @Sendable (FaveList) throws -> Void
    ) async throws -> Entry {
        try await change(list, adding: [entry.gameID]) { list in
            try condition(list)
            var draft = ListDraft(list)
            try draft.insert(entry, at: position)
            return draft
        }.entry(entry.pick)
    }

    /// Checks the comments and tags that the list doesn't have yet.
    private func check(_ draft: ListDraft, replacing list: FaveList) throws -> ListDraft {
        try refusedWords.check(
            draft.entries.flatMap { [$0.comment.text] + $0.tags.tags.map(\.text) },
            replacing: list.entries.flatMap { [$0.comment] + $0.tags })
        return draft
    }
}

/// The account was deleted during the request.
public struct AccountGone: Error {}

extension FaveList {
    /// The entry that was just added for a pick.
    fileprivate func entry(_ pick: Pick) throws(ListError) -> Entry {
        guard let entry = entries.first(where: { $0.pick == pick }) else {
            throw .changedMeanwhile
        }
        return entry
    }
}

extension Entry {
    fileprivate var pick: Pick { Pick(game: game.id, platform: platform.id) }
}
