/// What an authenticator said in an assertion that is right.
public struct VerifiedAssertion: Hashable, Sendable {
    /// To be stored with the credential.
    public let signatureCounter: UInt32
    public let flags: AuthenticatorFlags
}
