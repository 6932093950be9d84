import FaveGames
public import WebAuthn

/// Why an operation on an account was refused.
public enum AccountError: Error, Hashable, Sendable, CustomStringConvertible {
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
    ///   - until: The day in words; `nil` if it has no term.
    ///   - reason: May be empty.
    case suspended(until: String?, reason: String)
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

    public var description: String {
        switch self {
        case .wrongCredentials: "Wrong username or password."
        case .wrongPassword: "Wrong password."
        case .wrongRecoveryCode: "Wrong username or recovery code."
        case .resetLinkInvalid: "This link has been used, or has expired. Ask for a new one."
        case .mailLinkInvalid:
            "This link has been used, or has expired. Add the address again in your settings."
        case .noMail: "This site sends no email."
        case .passkeyRefused(.challengeMismatch), .newPasskeyRefused(.challengeMismatch):
            "That took too long. Try again."
        case .passkeyRefused(let error), .newPasskeyRefused(let error):
            "Your passkey wasn’t accepted. \(error.description)"
        case .passkeyUnknown:
            "No account here has this passkey. It may have been removed; sign in in another way."
        case .passkeyKnown: "This passkey is in use already."
        case .tooManyPasskeys:
            "An account can have at most \(Accounts.passkeyLimit) passkeys. Remove one first."
        case .gone: "This account is gone."
        case .disabled: "The site's operator has disabled this account."
        case .suspended(let until, let reason):
            "This account is suspended" + (until.map { " until \($0)" } ?? "") + "."
                + (reason.isEmpty ? "" : " The moderators say: \(reason)")
        case .busy: "Too many people are signing in at the moment."
        case .signUpClosed: "This site isn’t taking new accounts at the moment."
        case .invitationNeeded: "You need an invitation to sign up here."
        case .invitationInvalid:
            "This invitation has been used up or has expired. Ask for a new one."
        case .noInvitations: "Nobody signs up by invitation on this site."
        case .tooManyInvitations:
            "You can have at most \(AccountPolicy.invitationLimit) open invitations. Revoke one first."
        case .noLocalAccounts: "This site has no accounts with passwords."
        case .usernameTaken(let name):
            "“\(name)” is taken, or too close to another name."
        case .usernameReserved(let name): "The username \"\(name)\" isn’t available."
        case .identityTaken: "That sign-in belongs to another account here."
        case .tooManyIdentities: "An account can have at most ten connected sign-ins."
        case .tooManyTokens:
            "An account can have at most \(PersonalToken.limit) tokens. Revoke one first."
        case .tooManyApps:
            "You can have at most \(ClientApp.limit) apps. Remove one first."
        case .firstPasswordNeedsBrowser:
            "This account has no password yet. Set the first one in your settings on the site."
        case .signInNeeded:
            "This takes a sign-in from the last \(Confirmation.freshness / 60) minutes. Sign out and in again, and then repeat it."
        case .lastIdentity:
            "This is the only way to sign in to the account. Set a password first."
        case .changedMeanwhile: "The account has changed in the meantime."
        }
    }

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
