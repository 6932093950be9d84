public import FaveGames
import Foundation
public import Storage
import StorageWrites

/// Snapshots that people take of their lists.
public struct SnapshotActions: Sendable {
    private let store: Store
    private let refusedWords: RefusedWords

    public init(_ store: Store, refusedWords: RefusedWords) {
        self.store = store
        self.refusedWords = refusedWords
    }

    /// Takes a snapshot of a user's list.
    ///
    /// - Throws: `SnapshotError`, `RefusedText`, `PostgresError`.
    public func take(of user: User, title: SnapshotTitle) async throws -> Snapshot {
        try refusedWords.check([title.text])
        return try await store.takeSnapshot(userID: user.id, title: title)
    }

    /// Deletes a snapshot. One that the user doesn't have counts as deleted.
    public func delete(_ slug: SnapshotSlug, of user: User) async throws {
        try await store.deleteSnapshot(slug: slug, of: user.id)
    }
}
