public import Attempts
public import FaveGames
public import Foundation
import Identity
public import Storage
import StorageWrites

/// The hearts that people give to comments.
public struct HeartActions: Sendable {
    private let store: Store
    private let attempts: AttemptCounter

    /// How many hearts one user can give.
    static let limit = AttemptLimit(200, per: .seconds(86_400))

    public init(_ store: Store, _ attempts: AttemptCounter) {
        self.store = store
        self.attempts = attempts
    }

    /// Gives a heart to someone else's comment on a public list.
    ///
    /// - Parameter seen: As for `Store.giveHeart`.
    /// - Throws: `HeartError`, `TooManyAttempts`, `PostgresError`.
    public func give(to entryID: UUID, by user: User, seen: Int? = nil) async throws {
        try await attempts.count(Attempt("heart", user.id), Self.limit)
        switch try await store.giveHeart(to: entryID, by: user.id, seen: seen) {
        case .given: return
        case .gone: throw HeartError.gone
        case .changed: throw HeartError.changed
        case .own: throw HeartError.ownComment
        }
    }

    /// Takes a heart back, if there is one.
    public func take(from entryID: UUID, by user: User) async throws {
        try await store.takeHeart(from: entryID, by: user.id)
    }
}

/// Why someone can't give a heart.
public enum HeartError: Error, Hashable, Sendable {
    /// There is no such reason on a public list.
    case gone
    /// The entry has changed since the user saw it.
    case changed
    case ownComment
}
