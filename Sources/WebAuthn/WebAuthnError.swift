/// Why a registration or an assertion was refused.
///
/// Anyone may see which case it is: no case repeats what was sent or stored.
public enum WebAuthnError: Error, Hashable, Sendable, CaseIterable {
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
}
