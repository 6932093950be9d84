import Testing

@testable import WebAuthn

@Suite("A registration")
struct RegistrationTests {
    private let authenticator = SoftwareAuthenticator()
    private let ceremony = SoftwareAuthenticator.ceremony()

    private func refusal(
        _ ceremony: Ceremony? = nil, offered: [Algorithm] = Algorithm.allCases,
        _ change: (inout SoftwareAuthenticator.Response) -> Void
    ) -> WebAuthnError? {
        do throws(WebAuthnError) {
            _ = try authenticator.register(change).verify(
                ceremony ?? self.ceremony, offered: offered)
            return nil
        } catch {
            return error
        }
    }

    @Test("yields the credential, for each algorithm", arguments: Algorithm.allCases)
    func success(algorithm: Algorithm) throws {
        let authenticator = SoftwareAuthenticator(algorithm)
        let credential = try authenticator.register().verify(ceremony)
        #expect(credential.id == authenticator.credentialID)
        #expect(credential.publicKey == authenticator.key.cose)
        #expect(credential.algorithm == algorithm)
        #expect(credential.signatureCounter == 7)
        #expect(credential.aaguid == Array(100..<116))
        #expect(credential.flags.contains([.userPresent, .userVerified]))
        #expect(!credential.flags.contains(.backupEligible))
        #expect(!credential.flags.contains(.backedUp))
    }

    @Test("needs user verification only if that is required")
    func userVerification() {
        #expect(refusal { $0.flags = 0x41 } == nil)
        let required = SoftwareAuthenticator.ceremony(.required)
        #expect(refusal(required) { $0.flags = 0x45 } == nil)
        #expect(refusal(required) { $0.flags = 0x41 } == .userNotVerified)
    }

    @Test("needs user presence")
    func userPresence() {
        #expect(refusal { $0.flags = 0x44 } == .userNotPresent)
    }

    @Test("tells whether the credential is backed up, and keeps reserved flags")
    func flags() throws {
        let backedUp = try authenticator.register { $0.flags = 0x5D }.verify(ceremony)
        #expect(backedUp.flags.contains([.backupEligible, .backedUp]))
        let reserved = try authenticator.register { $0.flags = 0x45 | 0x22 }.verify(ceremony)
        #expect(reserved.flags.rawValue == 0x67)
    }

    @Test("for another site is refused")
    func relyingParty() {
        #expect(refusal { $0.relyingPartyID = "fave.example." } == .relyingPartyMismatch)
        #expect(refusal { $0.relyingPartyID = "www.fave.example" } == .relyingPartyMismatch)
    }

    @Test("without a credential is refused")
    func noCredential() {
        #expect(refusal { $0.flags = 0x05 } == .credentialMissing)
    }

    @Test("has a credential id of 16 to 1023 bytes")
    func idLengths() {
        for length in [16, 17, 64, 1023] {
            #expect(refusal { $0.credentialID = Array(repeating: 1, count: length) } == nil)
        }
        for length in [0, 1, 15, 1024, 4000] {
            let id = [UInt8](repeating: 1, count: length)
            #expect(refusal { $0.credentialID = id } == .credentialIDLength)
        }
    }

    @Test("declares no longer credential id than there is")
    func declaredIDLength() {
        var data = authenticator.creation { $0.flags = 0x01 }.authenticatorData
        data[32] = 0x41
        data += [UInt8](repeating: 0, count: 16)
        let id = [UInt8](repeating: 1, count: 199)
        #expect(throws: WebAuthnError.malformedAuthenticatorData) {
            try AuthenticatorData(data + [0, 200] + id)
        }
        for length: [UInt8] in [[255, 255], [4, 0]] {
            #expect(throws: WebAuthnError.credentialIDLength) {
                try AuthenticatorData(data + length + id)
            }
        }
    }

    @Test("must be for an algorithm that was offered")
    func algorithms() {
        #expect(refusal(offered: [.edDSA, .rs256]) { _ in } == .algorithmNotOffered)
        #expect(refusal(offered: [.es256]) { _ in } == nil)
        // PS256, which we never offer.
        #expect(
            refusal { response in
                response.publicKey = CBOR.map(
                    COSE.rsa(modulus: [UInt8](repeating: 0xFF, count: 256), exponent: [1, 0, 1])
                        .map { (CBOR.int($0), $0 == 3 ? CBOR.int(-37) : $1) })
            } == .algorithmNotOffered)
    }

    @Test("must have no statement if there is no attestation")
    func statementOfNone() {
        #expect(
            refusal { $0.statement = CBOR.map([(CBOR.text("alg"), CBOR.int(-7))]) }
                == .unexpectedAttestation)
        #expect(refusal { $0.statement = CBOR.array([]) } == .unexpectedAttestation)
        #expect(refusal { $0.statement = [0xF6] } == .unexpectedAttestation)
    }

    @Test("may have any statement of another format, which is ignored")
    func otherFormats() {
        let statement = CBOR.map([
            (CBOR.text("alg"), CBOR.int(-7)), (CBOR.text("sig"), CBOR.bytes([1, 2, 3])),
            (CBOR.text("x5c"), CBOR.array([CBOR.bytes([4, 5])])),
        ])
        for format in ["packed", "tpm", "None", "unheard-of", ""] {
            #expect(
                refusal {
                    $0.format = format
                    $0.statement = statement
                } == nil)
        }
    }

    @Test("ignores the outputs of extensions, but they must be a map")
    func extensions() {
        let output = CBOR.map([(CBOR.text("credProtect"), CBOR.int(2))])
        #expect(
            refusal {
                $0.flags = 0xC5
                $0.trailing = output
            } == nil)
        #expect(refusal { $0.trailing = output } == .malformedAuthenticatorData)
        #expect(refusal { $0.flags = 0xC5 } == .malformedAuthenticatorData)
        for other in [CBOR.int(1), CBOR.array([]), [0xA1, 0x01], [0xBF, 0xFF], output + [0]] {
            #expect(
                refusal {
                    $0.flags = 0xC5
                    $0.trailing = other
                } == .malformedAuthenticatorData)
        }
    }

    @Test("that is cut anywhere is refused")
    func truncation() {
        let response = authenticator.creation()
        for length in 0..<response.attestationObject.count {
            let registration = Registration(
                clientDataJSON: response.clientData,
                attestationObject: Array(response.attestationObject.prefix(length)))
            #expect(throws: WebAuthnError.malformedAttestationObject) {
                try registration.verify(ceremony)
            }
        }
        for length in 0..<response.clientData.count {
            let registration = Registration(
                clientDataJSON: Array(response.clientData.prefix(length)),
                attestationObject: response.attestationObject)
            #expect(throws: WebAuthnError.malformedClientData) {
                try registration.verify(ceremony)
            }
        }
        for length in 0..<response.authenticatorData.count {
            let data = Array(response.authenticatorData.prefix(length))
            #expect(throws: WebAuthnError.malformedAuthenticatorData) {
                try AuthenticatorData(data)
            }
        }
    }

    @Test("with trailing bytes is refused, wherever they are")
    func trailingBytes() {
        #expect(refusal { $0.trailing = [0] } == .malformedAuthenticatorData)
        let response = authenticator.creation()
        #expect(throws: WebAuthnError.malformedAttestationObject) {
            try Registration(
                clientDataJSON: response.clientData,
                attestationObject: response.attestationObject + [0]
            ).verify(ceremony)
        }
        #expect(throws: WebAuthnError.malformedClientData) {
            try Registration(
                clientDataJSON: response.clientData + [0x7D],
                attestationObject: response.attestationObject
            ).verify(ceremony)
        }
    }
}
