public import FaveGames
import Foundation
public import Identity
public import Storage
import StorageWrites

/// Follows people, and manages the private feed of their changes. Methods throw `PostgresError`.
public struct FollowActions: Sendable {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Follows someone whose list is public. Does nothing if the user already follows them.
    ///
    /// - Throws: `FollowError`.
    public func follow(_ username: Username, as user: User) async throws {
        guard username.description != user.username else { throw FollowError.oneself }
        guard try await store.follow(username: username.description, as: user.id) else {
            throw FollowError.notPublic(username)
        }
    }

    /// Stops following someone. Does nothing if the user doesn't follow them.
    public func unfollow(_ username: Username, as user: User) async throws {
        try await store.unfollow(username: username.description, as: user.id)
    }

    /// Removes a follower, who can follow again.
    public func removeFollower(_ username: Username, of user: User) async throws {
        try await store.removeFollower(username: username.description, of: user.id)
    }

    /// Gives a user's private feed a new address, which invalidates the previous one.
    ///
    /// - Returns: The secret in the address, which isn't stored.
    /// - Throws: `AccountError.gone` if the session has ended.
    public func makeFeed(of bearer: Bearer) async throws -> SecretToken {
        let secret = SecretToken()
        let isMade = try await store.makeFollowFeed(
            of: bearer.user.id, in: bearer.sessionID, tokenHash: secret.hash)
        guard isMade else { throw AccountError.gone }
        return secret
    }

    /// Removes the private feed, if there is one.
    public func removeFeed(of user: User) async throws {
        try await store.removeFollowFeed(of: user.id)
    }
}
