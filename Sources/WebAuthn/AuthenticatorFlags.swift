/// The flags of authenticator data, section 6.1.
///
/// Bits that have no name here are reserved for future use. Level 2 does not say that they must be
/// zero, so they stay as they are.
public struct AuthenticatorFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// UP: the authenticator noticed someone, for example by a touch.
    public static let userPresent = AuthenticatorFlags(rawValue: 1 << 0)
    /// UV: the authenticator verified who it is, for example by a fingerprint.
    public static let userVerified = AuthenticatorFlags(rawValue: 1 << 2)
    /// BE, which is reserved in Level 2 and defined by Level 3: the credential may be copied to
    /// other devices.
    public static let backupEligible = AuthenticatorFlags(rawValue: 1 << 3)
    /// BS, which is reserved in Level 2 and defined by Level 3: a copy of the credential exists at
    /// the moment.
    public static let backedUp = AuthenticatorFlags(rawValue: 1 << 4)
    /// AT: the data include an attested credential.
    static let attestedCredential = AuthenticatorFlags(rawValue: 1 << 6)
    /// ED: the data include outputs of extensions.
    static let extensions = AuthenticatorFlags(rawValue: 1 << 7)
}
