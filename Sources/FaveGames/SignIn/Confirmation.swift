public import Foundation

/// The proof that an account's owner gives before a way into the account changes: that they know
/// its password or, if there is no password, that they have just signed in.
///
/// Everything that gives someone a way in takes a confirmation, and is written by
/// `Store.confirmed`, which checks that it still holds.
public struct Confirmation: Hashable, Sendable {
    /// How long a sign-in confirms changes of an account without a password, in seconds.
    public static let freshness = 600

    public let userID: UUID
    /// The session of the request; `nil` at sign-up, and for a token without a session.
    public let sessionID: UUID?
    /// SHA-256 of the stored hash of the password; `nil` if the account has no password.
    public let passwordDigest: [UInt8]?

    public init(userID: UUID, sessionID: UUID? = nil, passwordDigest: [UInt8]? = nil) {
        self.userID = userID
        self.sessionID = sessionID
        self.passwordDigest = passwordDigest
    }
}

/// A confirmation is no longer valid: the password has changed, the session has ended, the sign-in
/// is too long ago, or the account is disabled or gone.
public struct ConfirmationLapsedError: Error, Hashable, Sendable {
    package init() {}
}
