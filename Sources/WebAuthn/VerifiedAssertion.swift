/// The authenticator's statements in a valid assertion.
public struct VerifiedAssertion: Hashable, Sendable {
    /// To be stored with the credential.
    public let signatureCounter: UInt32
    public let flags: AuthenticatorFlags
}
