/// An authenticator's response to creating a credential, section 6.5.4.
struct AttestationObject: Sendable {
    /// Several times what the certificates of any attestation statement take.
    static let maximumByteCount = 65_536

    /// The identifier of the attestation statement's format.
    let format: String
    let statement: CBORValue
    let authenticatorData: AuthenticatorData

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count <= Self.maximumByteCount, let object = try? CBORDecoder.decode(bytes),
            let members = object.map, members.count == 3, let format = members["fmt"]?.text,
            let statement = members["attStmt"], let data = members["authData"]?.bytes
        else { throw .malformedAttestationObject }
        self.format = format
        self.statement = statement
        authenticatorData = try AuthenticatorData(data)
    }
}
