/// The parameters of a registration or an authentication. The browser's response must match them.
public struct Ceremony: Hashable, Sendable {
    public let relyingParty: RelyingParty
    /// Random bytes, which must be used for only one ceremony. No response matches fewer than 16.
    public let challenge: [UInt8]
    public let userVerification: UserVerification

    public init(
        relyingParty: RelyingParty, challenge: [UInt8], userVerification: UserVerification
    ) {
        self.relyingParty = relyingParty
        self.challenge = challenge
        self.userVerification = userVerification
    }
}
