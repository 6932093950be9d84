import FaveGames
import Foundation
@_spi(Writing) import Storage

/// Snapshots that people take of their lists.
public struct SnapshotActions: Sendable {
    private let store: Store
    private let blockList: BlockList

    public init(_ store: Store, blockList: BlockList) {
        self.store = store
        self.blockList = blockList
    }

    /// Takes a snapshot of a user's list.
    ///
    /// - Throws: `KeptListError`, `BlockedText`, `PostgresError`.
    public func take(of user: User, title: KeptListTitle) async throws -> KeptList {
        try blockList.check([title.text])
        return try await store.keepList(userID: user.id, title: title)
    }

    /// Takes a snapshot as above, but only once for a request that is sent again.
    ///
    /// - Parameter request: `nil` for a request without a key.
    /// - Throws: As above, and `IdempotencyKeyReusedError`.
    public func take(
        of user: User, title: KeptListTitle, once request: IdempotentRequest?,
        response: @escaping @Sendable (KeptList) -> KeptAnswer
    ) async throws -> KeptAnswer {
        guard let request else { return response(try await take(of: user, title: title)) }
        try blockList.check([title.text])
        return try await store.keepList(
            userID: user.id, title: title, AnswerKeeping(request, answer: response))
    }

    /// Deletes a snapshot. One that the user doesn't have counts as deleted.
    public func delete(_ slug: KeptListSlug, of user: User) async throws {
        try await store.deleteKeptList(slug: slug, of: user.id)
    }
}
