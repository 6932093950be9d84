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
    /// - Throws: `SnapshotError`, `BlockedText`, `PostgresError`.
    public func take(of user: User, title: SnapshotTitle) async throws -> Snapshot {
        try blockList.check([title.text])
        return try await store.takeSnapshot(userID: user.id, title: title)
    }

    /// Deletes a snapshot. One that the user doesn't have counts as deleted.
    public func delete(_ slug: SnapshotSlug, of user: User) async throws {
        try await store.deleteSnapshot(slug: slug, of: user.id)
    }
}
