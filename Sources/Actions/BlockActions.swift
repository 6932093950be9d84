public import FaveGames
public import Storage
import StorageWrites

/// Blocks people. Methods throw `PostgresError`.
public struct BlockActions: Sendable {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Blocks someone. Does nothing if the user has blocked them already.
    ///
    /// - Throws: `BlockError`.
    public func block(_ username: Username, as user: User) async throws {
        guard username.description != user.username else { throw BlockError.oneself }
        guard try await store.block(username: username.description, as: user.id) else {
            throw BlockError.unknown(username)
        }
    }

    /// Unblocks someone. Does nothing if the user hasn't blocked them.
    public func unblock(_ username: Username, as user: User) async throws {
        try await store.unblock(username: username.description, as: user.id)
    }
}
