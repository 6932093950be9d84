import Endpoints
import HTTPTypes

// Why someone can't sign in or sign up, or may not do something with their account.
extension ProblemKind {
    static let ofAccounts: [ProblemKind] = [
        .wrongCredentials, .invalidRefreshToken, .wrongPassword, .recentSignInRequired,
        .passwordNotSet, .accountDisabled, .accountSuspended, .signUpClosed, .invitationRequired,
        .invalidInvitation, .noLocalAccounts, .noMail, .moderatorsOnly,
    ]

    /// Of requests that sign someone in with a secret of theirs.
    static let ofSigningIn: [ProblemKind] = [
        .wrongCredentials, .accountDisabled, .accountSuspended, .noLocalAccounts, .tooManyAttempts,
    ]

    /// Of requests that are confirmed with the password or, without one, by a recent sign-in.
    static let ofConfirming: [ProblemKind] = [
        .wrongPassword, .recentSignInRequired, .tooManyAttempts,
    ]

    static let wrongCredentials = ProblemKind(
        "wrong-credentials", .unauthorized,
        "Wrong credentials",
        "The username, or the password or code, is wrong.",
        """
        The username is wrong, or the password or recovery code. The response doesn't say which. Ask \
        for both again.
        """,
        detail: "Wrong username or password.", fields: [.wwwAuthenticate])

    static let invalidRefreshToken = ProblemKind(
        "invalid-refresh-token", .unauthorized,
        "Invalid refresh token",
        "The refresh token has been used or has expired, or its session has ended.",
        """
        The refresh token is not one of this server's, it has been used before, it has expired, or \
        its session has ended. Sign in again.
        """,
        detail: "The refresh token is not valid. Sign in again.", fields: [.wwwAuthenticate])

    static let wrongPassword = ProblemKind(
        "wrong-password", .forbidden,
        "Wrong password",
        "The password that confirms the change is wrong.",
        "This must be confirmed with the account's password, and the one in the body is wrong.",
        detail: "Wrong password.")

    static let recentSignInRequired = ProblemKind(
        "recent-sign-in-required", .forbidden,
        "Recent sign-in required",
        "The account has no password, and its sign-in is too old to confirm this.",
        """
        An account without a password confirms this by having signed in within the last ten minutes. \
        Have the person sign out and in again, and repeat the request.
        """,
        detail: "This takes a sign-in from the last 10 minutes.")

    static let passwordNotSet = ProblemKind(
        "password-not-set", .forbidden,
        "The account has no password",
        "The account has no password yet, and its first one is set on the site.",
        """
        A token is not enough to give an account its first password. The person sets it in their \
        settings on the site.
        """,
        detail: "This account has no password yet. Set the first one in your settings on the site.")

    static let accountDisabled = ProblemKind(
        "account-disabled", .forbidden,
        "The account is disabled",
        "The site's operator has disabled the account.",
        "The site's operator has disabled the account, so no one can sign in to it.",
        detail: "The site's operator has disabled this account.")

    static let accountSuspended = ProblemKind(
        "account-suspended", .forbidden,
        "The account is suspended",
        "A moderator has suspended the account; “detail” says until when, and why.",
        """
        A moderator has suspended the account, so no one can sign in to it. The detail says until \
        when, and why.
        """,
        detail: "This account is suspended until 3 December 2026.")

    static let signUpClosed = ProblemKind(
        "sign-up-closed", .forbidden,
        "No new accounts",
        "The site isn't taking new accounts.",
        "The operator takes no new accounts. GET /api/v1 says so as “signUp”.",
        detail: "This site isn’t taking new accounts at the moment.")

    static let invitationRequired = ProblemKind(
        "invitation-required", .forbidden,
        "Invitation required",
        "Signing up needs an invitation.",
        """
        The site takes new accounts by invitation only. Send the token of an invitation. GET /api/v1 \
        says so as “signUp”.
        """,
        detail: "You need an invitation to sign up here.")

    static let invalidInvitation = ProblemKind(
        "invalid-invitation", .forbidden,
        "Invalid invitation",
        "The invitation has been used up or revoked, or has expired.",
        "The invitation has been used up or revoked, or has expired. Ask for a new one.",
        detail: "This invitation has been used up or has expired. Ask for a new one.")

    static let noLocalAccounts = ProblemKind(
        "no-local-accounts", .forbidden,
        "No accounts with passwords",
        "The site has no passwords.",
        """
        People sign in with a provider only. “hasPasswords” in GET /api/v1 says whether the site has \
        passwords.
        """,
        detail: "This site has no accounts with passwords.")

    static let noMail = ProblemKind(
        "no-mail", .forbidden,
        "No email",
        "The site sends no email.",
        "The operator has set up no mail server, so there are no links to set a new password.",
        detail: "This site sends no email.")

    static let moderatorsOnly = ProblemKind(
        "moderators-only", .forbidden,
        "For moderators only",
        "The user is not a moderator.",
        "This is for the site's moderators only.",
        detail: "This is for the site’s moderators only.")
}
