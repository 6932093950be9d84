import FaveGames
public import Foundation
public import WebAuthn

/// Why an operation on an account was refused.
public enum AccountError: Error, Hashable, Sendable {
    /// The username or the password is wrong; the error does not say which.
    case wrongCredentials
    /// The password that was given to confirm a change is wrong.
    case wrongPassword
    /// The username or the recovery code is wrong; the error does not say which.
    case wrongRecoveryCode
    /// The link to set a new password was used, or has expired.
    case resetLinkInvalid
    /// The link that confirms an address was used, or has expired.
    case mailLinkInvalid
    case noMail
    /// The response of a passkey is not valid.
    case passkeyRefused(WebAuthnError)
    case newPasskeyRefused(WebAuthnError)
    case passkeyUnknown
    case passkeyKnown
    case tooManyPasskeys
    case disabled
    /// A moderator has suspended the account.
    ///
    /// - Parameters:
    ///   - until: `nil` if it has no term.
    ///   - reason: May be empty.
    case suspended(until: Date?, reason: String)
    /// The account was deleted, or the identity was disconnected from it, after the token was
    /// issued.
    case gone
    /// Too many passwords are waiting to be hashed.
    case busy
    case signUpClosed
    case invitationNeeded
    case invitationInvalid
    case tooManyInvitations
    /// Sign-up needs no invitation, or is closed.
    case noInvitations
    case noLocalAccounts
    case usernameTaken(String)
    case usernameReserved(String)
    /// The identity is linked to another account.
    case identityTaken
    case tooManyIdentities
    case tooManyTokens
    case tooManyApps
    /// An account without a password confirms by a recent sign-in, and this sign-in is older.
    case signInNeeded
    /// An account's first password can be set only in a browser session: a leaked token must not be
    /// enough to set a password.
    case firstPasswordNeedsBrowser
    /// The identity is the only way to sign in to the account, so it cannot be disconnected.
    case lastIdentity
    /// Another request changed the account in the meantime.
    case changedMeanwhile

    /// The reason for the log why someone failed to prove who they are; `nil` for all other errors.
    ///
    /// These are what a guess can lead to. Tokens and links from mail can't be guessed; someone whose
    /// program still uses a revoked token, or who opens a link twice, must not be locked out. After too
    /// many attempts, nothing is tried, and those before were failures already.
    public var failedProof: String? {
        switch self {
        case .wrongCredentials, .wrongPassword: "wrong password"
        case .wrongRecoveryCode: "wrong recovery code"
        case .passkeyUnknown: "unknown passkey"
        // Someone took too long.
        case .passkeyRefused(.challengeMismatch): nil
        case .passkeyRefused: "refused passkey"
        default: nil
        }
    }
}
