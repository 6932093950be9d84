/// The stored parts of a credential, and its user.
public struct StoredCredential: Hashable, Sendable {
    public let id: [UInt8]
    /// As in `NewCredential`.
    public let publicKey: [UInt8]
    /// As of the credential's last use.
    public let signatureCounter: UInt32
    /// The id that the user had in the options for creating the credential.
    public let userHandle: [UInt8]

    public init(
        id: [UInt8], publicKey: [UInt8], signatureCounter: UInt32, userHandle: [UInt8]
    ) {
        self.id = id
        self.publicKey = publicKey
        self.signatureCounter = signatureCounter
        self.userHandle = userHandle
    }
}
