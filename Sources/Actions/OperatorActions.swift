public import FaveGames
public import Foundation
public import Identity
public import Storage
import StorageWrites

/// What operators do with people's accounts, which needs no one's consent. Methods throw
/// `PostgresError`.
public struct OperatorActions: Sendable {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// Creates an account, even if sign-up is closed.
    ///
    /// - Throws: `AccountError.usernameTaken`.
    public func addUser(_ username: Username, passwordHash: String) async throws -> User {
        guard let user = try await store.makeUser(username: username, passwordHash: passwordHash)
        else { throw AccountError.usernameTaken(username.description) }
        return user
    }

    /// - Throws: `AccountError.usernameTaken`.
    public func rename(_ user: User, to username: Username) async throws {
        do {
            _ = try await store.change(userID: user.id, ProfileChanges(username: username))
        } catch is UsernameTakenError {
            throw AccountError.usernameTaken(username.description)
        }
    }

    /// Lets anyone take a username that someone has left.
    ///
    /// - Returns: Whether it was one.
    public func free(_ username: Username) async throws -> Bool {
        try await store.free(username)
    }

    /// Sets a password, and takes away every other way in.
    public func setPassword(of user: User, hash: String) async throws {
        try await store.setPassword(userID: user.id, hash: hash)
    }

    /// Disables an account, which ends its sessions and hides its list, or enables it again.
    ///
    /// - Returns: Whether the account was changed.
    public func setDisabled(_ disabled: Bool, _ user: User) async throws -> Bool {
        try await store.setDisabled(disabled, userID: user.id)
    }

    /// Registers an app that people can let use their accounts.
    ///
    /// - Parameter redirects: Where people may be sent back to.
    public func addApp(
        _ name: TokenName, address: String, redirects: [String]
    ) async throws -> ClientApp? {
        try await store.makeApp(of: nil, name: name.text, address: address, redirects: redirects)
    }

    /// Removes an app, no matter who registered it.
    ///
    /// - Returns: Whether there was one.
    public func removeApp(_ id: UUID) async throws -> Bool {
        try await store.removeApp(id, of: nil)
    }

    /// Deletes a user and everything that belongs to them.
    public func delete(_ user: User) async throws {
        try await store.deleteAccount(userID: user.id)
    }

    /// - Returns: Whether the user had another role.
    public func setRole(_ role: Role, of user: User) async throws -> Bool {
        try await store.setRole(role, userID: user.id)
    }

    /// Makes an invitation to sign up.
    public func invite(uses: Int, days: Int) async throws -> SecretToken {
        let token = SecretToken()
        try await store.makeInvitation(tokenHash: token.hash, uses: uses, days: days)
        return token
    }

    /// Makes a link that sets a user's password, in the place of earlier ones.
    public func makeResetLink(of user: User) async throws -> SecretToken {
        let token = SecretToken()
        try await store.makeReset(
            userID: user.id, tokenHash: token.hash, lifetime: Accounts.resetLifetime)
        return token
    }

    /// Makes a link that makes someone the first administrator, in the place of earlier ones. It is
    /// valid for a day.
    public func makeAdministratorLink() async throws -> SecretToken {
        let token = SecretToken()
        try await store.makeAdministratorLink(tokenHash: token.hash, lifetime: 86_400)
        return token
    }

    /// Lets people only read, on all servers of the site.
    public func beginMaintenance(_ message: MaintenanceMessage) async throws {
        try await store.beginMaintenance(message)
    }

    /// Lets people write again.
    public func endMaintenance() async throws { try await store.endMaintenance() }

    /// Closes a case without doing anything.
    ///
    /// - Returns: `false` if there is no such open case.
    public func dismiss(caseID: Int) async throws -> Bool {
        try await store.decide(caseID: caseID, .dismiss, reason: .empty, by: nil) == .done
    }
}
