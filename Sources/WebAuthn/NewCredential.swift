/// A credential that was registered, to be stored with the user's account.
public struct NewCredential: Hashable, Sendable {
    /// Between 16 and 1023 bytes. The caller must still check that no user has registered this id
    /// before.
    public let id: [UInt8]
    /// A COSE key, as the authenticator encoded it. An assertion needs it in the same form.
    public let publicKey: [UInt8]
    public let algorithm: Algorithm
    /// Zero if the authenticator does not count.
    public let signatureCounter: UInt32
    /// The authenticator's model, in 16 bytes. All of them are zero if the authenticator does not
    /// reveal it. The model is unproven, because attestation is not verified.
    public let aaguid: [UInt8]
    public let flags: AuthenticatorFlags
}
