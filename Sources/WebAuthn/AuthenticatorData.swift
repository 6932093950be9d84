import Crypto

/// An authenticator's statement about itself and a ceremony, section 6.1. It signs these bytes.
struct AuthenticatorData: Sendable {
    /// Several times what the longest credential id, the longest key and the outputs of extensions
    /// take together.
    static let maximumByteCount = 8192

    private let relyingPartyIDHash: [UInt8]
    let flags: AuthenticatorFlags
    let signatureCounter: UInt32
    /// Present exactly if the flag AT is set.
    let attestedCredential: AttestedCredential?

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        var reader = ByteReader(bytes)
        guard bytes.count <= Self.maximumByteCount, let hash = reader.take(SHA256.byteCount),
            let flags = reader.byte(), let counter = reader.integer(UInt32.self)
        else { throw .malformedAuthenticatorData }
        relyingPartyIDHash = hash
        self.flags = AuthenticatorFlags(rawValue: flags)
        signatureCounter = counter
        attestedCredential =
            self.flags.contains(.attestedCredential) ? try AttestedCredential(from: &reader) : nil
        if self.flags.contains(.extensions) { try Self.skipExtensions(from: &reader) }
        guard reader.remaining == 0 else { throw .malformedAuthenticatorData }
    }

    /// The outputs of extensions are a map, section 9.5. We ask for no extension, and ignore
    /// unsolicited outputs.
    private static func skipExtensions(from reader: inout ByteReader) throws(WebAuthnError) {
        let outputs: CBORValue
        do {
            outputs = try CBORDecoder.decode(from: &reader)
        } catch {
            throw .malformedAuthenticatorData
        }
        guard outputs.map != nil else { throw .malformedAuthenticatorData }
    }

    // MARK: Steps that both ceremonies have

    func check(relyingPartyID id: String) throws(WebAuthnError) {
        guard relyingPartyIDHash.elementsEqual(SHA256.hash(data: Array(id.utf8))) else {
            throw .relyingPartyMismatch
        }
    }

    func checkUserPresence() throws(WebAuthnError) {
        guard flags.contains(.userPresent) else { throw .userNotPresent }
    }

    func check(_ verification: UserVerification) throws(WebAuthnError) {
        guard verification != .required || flags.contains(.userVerified) else {
            throw .userNotVerified
        }
    }
}
