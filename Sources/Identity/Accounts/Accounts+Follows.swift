import FaveGames
import Foundation
import Storage

// Whom people follow, and what they agree with.
extension Accounts {
    /// Follows someone whose list is public.
    ///
    /// - Returns: `false` if there is no such list.
    /// - Throws: `AccountError.followsOneself` or `tooManyFollowed`, `PostgresError`.
    public func follow(_ username: Username, as user: User) async throws -> Bool {
        do {
            return try await store.follow(username: username.description, as: user.id)
        } catch FollowError.oneself {
            throw AccountError.followsOneself
        } catch FollowError.tooMany {
            throw AccountError.tooManyFollowed
        }
    }

    /// Gives a user's private feed a new address. The one before is invalid from then on.
    ///
    /// - Returns: The secret in the address, which isn't stored.
    /// - Throws: `AccountError.gone` if the session has ended, `PostgresError`.
    public func makeFollowFeed(of bearer: Bearer) async throws -> SecretToken {
        let secret = SecretToken()
        let isMade = try await store.makeFollowFeed(
            of: bearer.user.id, in: bearer.sessionID, tokenHash: secret.hash)
        guard isMade else { throw AccountError.gone }
        return secret
    }

    /// Gives a heart to someone's comment, within a limit.
    ///
    /// - Parameter seen: As for `Store.giveHeart`.
    /// - Throws: `AccountError.ownComment` or `tooManyAttempts`, `PostgresError`.
    public func giveHeart(
        to entryID: UUID, by user: User, seen: Int? = nil
    ) async throws -> HeartOutcome {
        try await attempt(.heart(user.id), policy.heartsPerUser)
        let outcome = try await store.giveHeart(to: entryID, by: user.id, seen: seen)
        if outcome == .own { throw AccountError.ownComment }
        return outcome
    }
}
