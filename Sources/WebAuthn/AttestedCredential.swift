/// A credential as its authenticator describes it when making it, section 6.5.1.
struct AttestedCredential: Sendable {
    /// Section 4, "Credential ID", says at least 16 bytes. Level 3 adds the upper limit.
    static let idLengths = 16...1023

    /// The authenticator's model, or all zeros if the authenticator does not reveal it. Always 16
    /// bytes.
    let aaguid: [UInt8]
    let id: [UInt8]
    /// A COSE key, as the authenticator encoded it.
    let publicKey: [UInt8]

    init(from reader: inout ByteReader) throws(WebAuthnError) {
        guard let aaguid = reader.take(16), let length = reader.integer(UInt16.self) else {
            throw .malformedAuthenticatorData
        }
        guard Self.idLengths.contains(Int(length)) else { throw .credentialIDLength }
        guard let id = reader.take(Int(length)) else { throw .malformedAuthenticatorData }
        // The end of the key is only known after decoding it.
        let start = reader.index
        do {
            _ = try CBORDecoder.decode(from: &reader)
        } catch {
            throw .malformedAuthenticatorData
        }
        self.aaguid = aaguid
        self.id = id
        publicKey = Array(reader.bytes[start..<reader.index])
    }
}
