/// Why a registration or an assertion was refused.
///
/// The descriptions may be shown to anyone: they repeat nothing of what was sent or stored.
public enum WebAuthnError: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case malformedClientData
    /// The response to a registration was given as an assertion, or the other way round.
    case wrongCeremony
    case challengeMismatch
    case originMismatch
    /// A page of another site embeds the page that asked.
    case crossOrigin
    /// The browser says that it used Token Binding, which we never negotiate.
    case tokenBinding
    case malformedAttestationObject
    case malformedAuthenticatorData
    /// The credential is for another site.
    case relyingPartyMismatch
    case userNotPresent
    case userNotVerified
    /// A registration includes no credential.
    case credentialMissing
    case credentialIDLength
    /// The options did not offer the key's algorithm.
    case algorithmNotOffered
    /// The key is not one of its algorithm, has members that it must not have, or is too short or
    /// too long.
    case malformedPublicKey
    /// The format says that there is no attestation, but there is a statement.
    case unexpectedAttestation
    /// The assertion was made with a credential other than the stored one.
    case credentialMismatch
    case userHandleMissing
    case userHandleMismatch
    case signatureInvalid
    /// The signature counter is not greater than the stored one. The credential may have been
    /// copied, section 6.1.1.
    case counterWentBackwards

    public var description: String {
        switch self {
        case .malformedClientData, .malformedAttestationObject, .malformedAuthenticatorData:
            "Your browser’s response is malformed."
        case .wrongCeremony:
            "Your browser responded to another kind of request than this site made."
        case .challengeMismatch: "This attempt has been used, or has expired. Try again."
        case .originMismatch, .crossOrigin:
            "Your browser’s response comes from a page of another site."
        case .tokenBinding: "Your browser’s response is for another connection."
        case .relyingPartyMismatch: "That passkey is for another site."
        case .userNotPresent: "Your device didn’t confirm that you are there."
        case .userNotVerified:
            "Your device didn’t check that it’s you. Set up its screen lock or PIN, then try again."
        case .credentialMissing, .credentialIDLength, .malformedPublicKey,
            .unexpectedAttestation:
            "Your device made a passkey that isn’t valid."
        case .algorithmNotOffered: "Your device made a kind of passkey that this site can’t use."
        case .credentialMismatch, .userHandleMismatch, .signatureInvalid:
            "That passkey doesn’t match this site’s records."
        case .userHandleMissing: "Your device didn’t say whose passkey it is."
        case .counterWentBackwards:
            "That passkey may have been copied, so it can’t be used. Sign in another way."
        }
    }
}
