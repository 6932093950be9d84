public import FaveGames
import Foundation
import Storage
import StorageWrites

// Getting back in without the password.
extension Accounts {
    /// How long a reset link is valid, in seconds.
    public static let resetLifetime = 3600

    /// Makes new recovery codes for a user, which replace the earlier ones.
    ///
    /// - Parameter password: Must be correct if the account has a password.
    public func makeRecoveryCodes(
        of bearer: Bearer, password: String, address: String
    ) async throws -> [RecoveryCode] {
        guard policy.hasLocalAccounts else { throw AccountError.noLocalAccounts }
        return try await makeRecoveryCodes(confirm(bearer, password, from: address))
    }

    /// Makes the first recovery codes of a new user.
    public func makeRecoveryCodes(of proof: Proof) async throws -> [RecoveryCode] {
        guard case .password(let hash) = proof.means else { throw AccountError.noLocalAccounts }
        return try await makeRecoveryCodes(
            Confirmation(userID: proof.user.id, sessionID: nil, passwordHash: hash))
    }

    private func makeRecoveryCodes(_ confirmation: Confirmation) async throws -> [RecoveryCode] {
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode() }
        try await write(confirmation) { confirmation in
            try await store.replaceRecoveryCodes(
                hashes: codes.map { $0.hash(for: confirmation.userID) }, confirmedBy: confirmation)
        }
        return codes
    }

    /// Sets a new password for someone who has a recovery code, which is used up. All sessions end.
    ///
    /// Attempts have the limits of sign-ins from the address, and count together with them. There is no
    /// limit by name: a code has too many bits to be guessed, and strangers must not use up its owner's
    /// attempts.
    public func recover(
        _ username: String, code: String, newPassword: String, from address: String,
        device: SecretToken? = nil
    ) async throws -> Proof {
        guard policy.hasLocalAccounts else { throw AccountError.noLocalAccounts }
        let name = Username(username)
        let password = try NewPassword(newPassword, for: name?.description ?? username)
        let attempt = try await attemptSignIn(
            name?.description ?? username, from: address, device: device, isByName: false)
        guard let name, let code = RecoveryCode(code),
            let user = try await store.credentials(username: name.description)?.user,
            case let hash = code.hash(for: user.id),
            try await store.hasRecoveryCode(userID: user.id, hash: hash)
        else { throw AccountError.wrongRecoveryCode }
        try await refuseDisabled(user)
        let passwordHash = try await self.hash(password, for: address)
        guard
            try await store.recover(userID: user.id, codeHash: hash, passwordHash: passwordHash)
        else { throw AccountError.wrongRecoveryCode }
        try await forgive(attempt)
        return Proof(user: user, means: .password(hash: passwordHash))
    }

    /// The user that a reset link is for.
    public func user(resetToken: String, from address: String) async throws -> User {
        // A reset would remove the identities, and without local accounts they are the only way to
        // sign in.
        guard policy.hasLocalAccounts else { throw AccountError.noLocalAccounts }
        try await attempt(from: address)
        guard let token = SecretToken(resetToken),
            let user = try await store.user(resetToken: token.hash)
        else { throw AccountError.resetLinkInvalid }
        try await refuseDisabled(user)
        try await forgiveFrom(address)
        return user
    }

    /// Sets a new password for someone who has a reset link, which is used up. All sessions end.
    public func reset(
        _ resetToken: String, newPassword: String, from address: String
    ) async throws -> Proof {
        let user = try await user(resetToken: resetToken, from: address)
        let password = try NewPassword(newPassword, for: user.username)
        let hash = try await hash(password, for: address)
        guard let token = SecretToken(resetToken),
            try await store.reset(userID: user.id, tokenHash: token.hash, passwordHash: hash)
        else { throw AccountError.resetLinkInvalid }
        return Proof(user: user, means: .password(hash: hash))
    }
}
