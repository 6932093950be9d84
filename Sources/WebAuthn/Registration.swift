/// A browser's response to `CreationOptions`: the request to register a new credential.
public struct Registration: Sendable {
    private let clientDataJSON: [UInt8]
    private let attestationObject: [UInt8]

    public init(clientDataJSON: [UInt8], attestationObject: [UInt8]) {
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
    }

    /// Verifies the response by the steps of section 7.1, "Registering a New Credential".
    ///
    /// The caller must make sure that the challenge is used only once, and that the credential's id
    /// is not registered yet.
    ///
    /// - Parameter offered: The algorithms that the options offered.
    public func verify(
        _ ceremony: Ceremony, offered: [Algorithm] = Algorithm.allCases
    ) throws(WebAuthnError) -> NewCredential {
        // Steps 1 to 4 happen in the browser: `CreationOptions` are step 1. We ask for no
        // extensions, so their results are not sent to us.

        // Step 5, decoding as UTF-8, and step 6, parsing as JSON.
        let client = try ClientData(clientDataJSON)
        // Step 7: the type.
        try client.check(.create)
        // Step 8: the challenge.
        try client.check(challenge: ceremony.challenge)
        // Step 9: the origin.
        try client.check(origins: ceremony.relyingParty.origins)
        // Step 10: Token Binding.
        try client.checkTokenBinding()
        // Step 11 computes the client data's hash. Only step 19 uses it, and that does not apply.

        // Step 12: decoding the attestation object.
        let attestation = try AttestationObject(attestationObject)
        let data = attestation.authenticatorData
        // Step 13: the hash of the relying party's id.
        try data.check(relyingPartyID: ceremony.relyingParty.id)
        // Step 14: user presence.
        try data.checkUserPresence()
        // Step 15: user verification.
        try data.check(ceremony.userVerification)
        // Step 16: the algorithm. The key itself is checked here, too.
        guard let credential = data.attestedCredential else { throw .credentialMissing }
        let key = try CredentialPublicKey(credential.publicKey, offered: offered)
        // Step 17: extensions. We ask for none, and ignore unsolicited outputs.

        // Step 18, the format, and step 19, the statement. No attestation must have no statement.
        // Other statements do not matter, because the options ask for "none" and any authenticator
        // is good enough for us: by the note to step 24, a relying party may then register the
        // credential as if its statement were self attestation, which proves nothing about the
        // model.
        guard attestation.format != "none" || attestation.statement == .map([:]) else {
            throw .unexpectedAttestation
        }
        // Step 20, trust anchors: there are none, as no statement is trusted.
        // Step 21, trustworthiness: no attestation and self attestation are acceptable.

        // Step 22, that the id is not registered yet, needs the database: it is up to the caller.
        // Step 23: what to store.
        return NewCredential(
            id: credential.id, publicKey: credential.publicKey, algorithm: key.algorithm,
            signatureCounter: data.signatureCounter, aaguid: credential.aaguid, flags: data.flags)
        // Step 24, a statement that is not trustworthy: see step 18.
    }
}
