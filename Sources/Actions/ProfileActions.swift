import Attempts
public import FaveGames
import Foundation
public import Identity
public import Storage
import StorageWrites

/// What people do with their profiles. Methods throw `AccountError` and `PostgresError`.
public struct ProfileActions: Sendable {
    private let store: Store
    private let accounts: Accounts

    /// How often one user can change their username.
    static let renames = AttemptLimit(10, per: .seconds(86_400))

    public init(_ store: Store, _ accounts: Accounts) {
        self.store = store
        self.accounts = accounts
    }

    /// Changes a user's profile.
    ///
    /// - Parameter condition: Checks the request's conditions before the change.
    /// - Throws: Also `RefusedText`, and what `condition` throws.
    public func change(
        _ user: User, _ changes: ProfileChanges,
        if condition: @Sendable (User) throws -> Void = { _ in }
    ) async throws -> User {
        try accounts.policy.refusedWords.check(
            [changes.displayName?.text, changes.bio?.text].compactMap(\.self),
            replacing: [user.displayName, user.bio])
        if let name = changes.username, name.description != user.username {
            try accounts.policy.check(name)
            try await accounts.attempts.count(Attempt("rename", user.id), Self.renames)
        }
        do {
            guard let changed = try await store.change(userID: user.id, changes, if: condition)
            else { throw AccountError.changedMeanwhile }
            return changed
        } catch is UsernameTakenError {
            throw AccountError.usernameTaken(changes.username?.description ?? "")
        }
    }

    /// Gives up a name that the user had before, so that others can take it.
    public func giveUp(_ formerUsername: Username, by user: User) async throws {
        try await store.giveUp(formerUsername: formerUsername.description, of: user.id)
    }
}
