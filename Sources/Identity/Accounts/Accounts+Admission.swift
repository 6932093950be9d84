import Attempts
public import FaveGames
public import Foundation
import Storage
import StorageWrites

// Decides who may create an account, and which names are allowed.
extension Accounts {
    /// The current terms for creating an account.
    ///
    /// - Parameter invitation: Their invitation, if any.
    /// - Throws: `AccountError.signUpClosed`, `invitationNeeded` or `invitationInvalid`.
    func admission(with invitation: SecretToken?) async throws -> Admission {
        switch policy.signUp {
        case .open: return Admission(delayHours: policy.newListDelayHours)
        case .closed: throw AccountError.signUpClosed
        case .invite:
            guard let invitation else { throw AccountError.invitationNeeded }
            guard try await store.isValid(invitation: invitation.hash) else {
                throw AccountError.invitationInvalid
            }
            return Admission(invitation: invitation.hash)
        }
    }

    /// - Throws: `AccountError.invitationInvalid` if someone else was quicker.
    func admitting(_ body: () async throws -> User?) async throws -> User? {
        do {
            return try await body()
        } catch is InvitationInvalidError {
            throw AccountError.invitationInvalid
        }
    }

    /// Whether an invitation can be used now.
    public func isValid(invitation: SecretToken) async throws -> Bool {
        guard policy.signUp == .invite else { return false }
        return try await store.isValid(invitation: invitation.hash)
    }

    /// Makes an invitation, while people need one.
    ///
    /// - Parameters:
    ///   - uses: For how many people.
    ///   - days: How long it is valid.
    public func invite(
        as user: User, uses: Int, days: Int
    ) async throws -> (token: SecretToken, invitation: Invitation) {
        guard policy.signUp == .invite else { throw AccountError.noInvitations }
        try await attempts.count(.invite(user.id), policy.invitationsPerUser)
        let token = SecretToken()
        let invitation = try await store.makeInvitation(
            userID: user.id, tokenHash: token.hash, uses: uses, days: days,
            limit: AccountPolicy.invitationLimit)
        guard let invitation else { throw AccountError.tooManyInvitations }
        return (token, invitation)
    }

    /// Revokes one of the user's invitations. If it doesn't exist, this succeeds, too.
    public func revoke(invitation id: UUID, of user: User) async throws {
        try await store.revokeInvitation(id: id, of: user.id)
    }

    /// Checks whether someone could sign up with a username at the moment.
    ///
    /// - Throws: `AccountError` or `RefusedText`, about the username only if they may sign up at all.
    public func checkSignUp(as username: Username, invitation: SecretToken?) async throws {
        guard policy.hasLocalAccounts else { throw AccountError.noLocalAccounts }
        _ = try await admission(with: invitation)
        try await checkIsAvailable(username)
    }

    /// - Throws: `AccountError.usernameReserved` or `usernameTaken`, `RefusedText`.
    func checkIsAvailable(_ username: Username) async throws {
        try policy.check(username)
        guard try await store.isFree(username) else {
            throw AccountError.usernameTaken(username.description)
        }
    }

    /// Makes someone the first administrator.
    ///
    /// - Returns: `false` if the link is invalid, or if there is an administrator.
    public func claimAdministration(with link: SecretToken, as user: User) async throws -> Bool {
        try await store.claimAdministration(userID: user.id, tokenHash: link.hash)
    }
}
