import Crypto

/// A browser's response to `RequestOptions`: the proof that someone has a credential.
public struct Assertion: Sendable {
    /// The id that the caller finds the stored credential by. Nothing is verified yet.
    public let credentialID: [UInt8]
    private let clientDataJSON: [UInt8]
    private let authenticatorData: [UInt8]
    private let signature: [UInt8]
    private let userHandle: [UInt8]?

    public init(
        credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8],
        signature: [UInt8], userHandle: [UInt8]?
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// Verifies the response by the steps of section 7.2, "Verifying an Authentication Assertion".
    ///
    /// The caller must make sure that the challenge is used only once, and must store the new
    /// counter.
    ///
    /// - Throws: `counterWentBackwards` only if everything else is right. `malformedPublicKey` or
    ///   `algorithmNotOffered` if the stored key is not one that `Registration` accepts.
    public func verify(
        _ ceremony: Ceremony, credential: StoredCredential
    ) throws(WebAuthnError) -> VerifiedAssertion {
        // Steps 1 to 4 happen in the browser: `RequestOptions` are step 1. We ask for no
        // extensions, so their results are not sent to us.
        // Step 5, the allowed credentials, does not apply: the options list none, because all
        // credentials are discoverable.

        // Step 6: the user. Nobody was identified before, so the user handle must be present, and
        // must be that of the credential's owner. No user has an empty one.
        guard credentialID == credential.id else { throw .credentialMismatch }
        guard let userHandle, !userHandle.isEmpty else { throw .userHandleMissing }
        guard userHandle == credential.userHandle else { throw .userHandleMismatch }
        // Step 7: the stored public key. Looking it up was up to the caller.
        let key = try CredentialPublicKey(credential.publicKey)
        // Step 8 names the parts of the response, which are properties here.

        // Step 9, decoding as UTF-8, and step 10, parsing as JSON.
        let client = try ClientData(clientDataJSON)
        // Step 11: the type.
        try client.check(.get)
        // Step 12: the challenge.
        try client.check(challenge: ceremony.challenge)
        // Step 13: the origin.
        try client.check(origins: ceremony.relyingParty.origins)
        // Step 14: Token Binding.
        try client.checkTokenBinding()

        // By section 6.1, the data in an assertion include no attested credential.
        let data = try AuthenticatorData(authenticatorData)
        guard data.attestedCredential == nil else { throw .malformedAuthenticatorData }
        // Step 15: the hash of the relying party's id.
        try data.check(relyingPartyID: ceremony.relyingParty.id)
        // Step 16: user presence.
        try data.checkUserPresence()
        // Step 17: user verification.
        try data.check(ceremony.userVerification)
        // Step 18: extensions. We ask for none, and ignore unsolicited outputs.

        // Step 19: the client data's hash.
        let hash = SHA256.hash(data: clientDataJSON)
        // Step 20: the signature.
        guard key.isValid(signature, for: authenticatorData + hash) else {
            throw .signatureInvalid
        }
        // Step 21: the signature counter. If both counters are zero, the authenticator does not
        // count.
        let isCounting = data.signatureCounter != 0 || credential.signatureCounter != 0
        guard !isCounting || data.signatureCounter > credential.signatureCounter else {
            throw .counterWentBackwards
        }
        // Step 22: everything is right.
        return VerifiedAssertion(signatureCounter: data.signatureCounter, flags: data.flags)
    }
}
