import Testing

@testable import WebAuthn

@Suite("An assertion")
struct AssertionTests {
    private let authenticator = SoftwareAuthenticator()
    private let ceremony = SoftwareAuthenticator.ceremony()

    private func refusal(
        _ ceremony: Ceremony? = nil, counter: UInt32 = 6,
        _ change: (inout SoftwareAuthenticator.Response) -> Void
    ) -> WebAuthnError? {
        refusal(of: authenticator.assert(change), ceremony, counter: counter)
    }

    private func refusal(
        of assertion: Assertion, _ ceremony: Ceremony? = nil, counter: UInt32 = 6
    ) -> WebAuthnError? {
        do throws(WebAuthnError) {
            _ = try assertion.verify(
                ceremony ?? self.ceremony, credential: authenticator.stored(counter: counter))
            return nil
        } catch {
            return error
        }
    }

    @Test("yields the counter and the flags, for each algorithm", arguments: Algorithm.allCases)
    func success(algorithm: Algorithm) throws {
        let authenticator = SoftwareAuthenticator(algorithm)
        let verified = try authenticator.assert { $0.flags = 0x1D }
            .verify(ceremony, credential: authenticator.stored())
        #expect(verified.signatureCounter == 7)
        #expect(verified.flags == [.userPresent, .userVerified, .backupEligible, .backedUp])
    }

    @Test("is right for the credential that a registration yields", arguments: Algorithm.allCases)
    func both(algorithm: Algorithm) throws {
        let authenticator = SoftwareAuthenticator(algorithm)
        let registered = try authenticator.register().verify(ceremony)
        let stored = StoredCredential(
            id: registered.id, publicKey: registered.publicKey,
            signatureCounter: registered.signatureCounter,
            userHandle: SoftwareAuthenticator.userHandle)
        let verified = try authenticator.assert { $0.counter = 8 }
            .verify(ceremony, credential: stored)
        #expect(verified.signatureCounter == 8)
    }

    // MARK: The signature

    @Test("with a flipped bit in its signature is refused", arguments: Algorithm.allCases)
    func flippedBit(algorithm: Algorithm) {
        let authenticator = SoftwareAuthenticator(algorithm)
        let length = authenticator.signature(for: authenticator.request()).count
        for place in [0, 1, 4, length / 2, length - 1] {
            let assertion = authenticator.assert(tamper: { $0[min(place, $0.count - 1)] ^= 1 })
            #expect(throws: WebAuthnError.signatureInvalid) {
                try assertion.verify(ceremony, credential: authenticator.stored())
            }
        }
    }

    @Test("with a signature of another length is refused", arguments: Algorithm.allCases)
    func signatureLength(algorithm: Algorithm) {
        let authenticator = SoftwareAuthenticator(algorithm)
        let changes: [(inout [UInt8]) -> Void] = [
            { $0 = [] }, { $0.removeLast() }, { $0.append(0) }, { $0.insert(0, at: 0) },
            { $0 = Array(repeating: 0, count: $0.count) },
            { $0 = Array(repeating: 255, count: 64) },
        ]
        for change in changes {
            #expect(throws: WebAuthnError.signatureInvalid) {
                try authenticator.assert(tamper: change)
                    .verify(ceremony, credential: authenticator.stored())
            }
        }
    }

    @Test("that another key signed is refused", arguments: Algorithm.allCases)
    func otherKey(algorithm: Algorithm) {
        let authenticator = SoftwareAuthenticator(algorithm)
        let assertion = authenticator.assert(signedBy: .makeOther(algorithm))
        #expect(throws: WebAuthnError.signatureInvalid) {
            try assertion.verify(ceremony, credential: authenticator.stored())
        }
    }

    @Test("whose parts were changed after signing is refused")
    func changedParts() {
        let signature = authenticator.signature(for: authenticator.request())
        for change: (inout SoftwareAuthenticator.Response) -> Void in [
            { $0.counter = 8 }, { $0.flags = 0x01 }, { $0.otherMembers = "" },
            { $0.origin = "https://www.fave.example" },
        ] {
            #expect(refusal { change(&$0) } == nil)
            #expect(
                refusal(of: authenticator.assert(change, tamper: { $0 = signature }))
                    == .signatureInvalid)
        }
    }

    // MARK: The credential and its user

    @Test("for another credential is refused")
    func credentialID() {
        #expect(refusal { $0.credentialID[0] ^= 1 } == .credentialMismatch)
        #expect(refusal { $0.credentialID.removeLast() } == .credentialMismatch)
        #expect(
            refusal { $0.credentialID = [UInt8](repeating: 1, count: 1024) } == .credentialMismatch)
    }

    @Test("must name the credential's user")
    func userHandle() {
        #expect(refusal { $0.userHandle = nil } == .userHandleMissing)
        #expect(refusal { $0.userHandle = [] } == .userHandleMissing)
        #expect(refusal { $0.userHandle = Array("user-handle-0002".utf8) } == .userHandleMismatch)
        #expect(refusal { $0.userHandle?.append(0) } == .userHandleMismatch)
    }

    @Test("is not for a credential whose user has an empty handle")
    func emptyHandle() {
        let stored = StoredCredential(
            id: authenticator.credentialID, publicKey: authenticator.key.cose, signatureCounter: 0,
            userHandle: [])
        #expect(throws: WebAuthnError.userHandleMissing) {
            try authenticator.assert { $0.userHandle = [] }.verify(ceremony, credential: stored)
        }
    }

    @Test("is refused if the stored key is malformed")
    func storedKey() {
        let stored = StoredCredential(
            id: authenticator.credentialID, publicKey: [1, 2, 3], signatureCounter: 0,
            userHandle: SoftwareAuthenticator.userHandle)
        #expect(throws: WebAuthnError.malformedPublicKey) {
            try authenticator.assert().verify(ceremony, credential: stored)
        }
    }

    // MARK: Authenticator data

    @Test("for another site is refused")
    func relyingParty() {
        #expect(refusal { $0.relyingPartyID = "evil.example" } == .relyingPartyMismatch)
    }

    @Test("needs user presence, and user verification only if that is required")
    func presenceAndVerification() {
        #expect(refusal { $0.flags = 0x04 } == .userNotPresent)
        #expect(refusal { $0.flags = 0x01 } == nil)
        let required = SoftwareAuthenticator.ceremony(.required)
        #expect(refusal(required) { $0.flags = 0x01 } == .userNotVerified)
        #expect(refusal(required) { $0.flags = 0x05 } == nil)
    }

    @Test("keeps reserved flags")
    func reservedFlags() throws {
        let verified = try authenticator.assert { $0.flags = 0x27 }
            .verify(ceremony, credential: authenticator.stored())
        #expect(verified.flags.rawValue == 0x27)
    }

    @Test("includes no attested credential")
    func attestedCredential() {
        #expect(refusal { $0.flags = 0x45 } == .malformedAuthenticatorData)
    }

    @Test("ignores the outputs of extensions, and has nothing else after the counter")
    func extensions() {
        let output = CBOR.map([(CBOR.text("example"), CBOR.array([CBOR.int(1)]))])
        #expect(
            refusal {
                $0.flags = 0x85
                $0.trailing = output
            } == nil)
        #expect(refusal { $0.trailing = output } == .malformedAuthenticatorData)
        #expect(refusal { $0.flags = 0x85 } == .malformedAuthenticatorData)
        #expect(
            refusal {
                $0.flags = 0x85
                $0.trailing = output + [0]
            } == .malformedAuthenticatorData)
    }

    @Test("has at most eight kibibytes of authenticator data")
    func size() {
        func output(_ length: Int) -> [UInt8] {
            CBOR.map([(CBOR.text("a"), CBOR.bytes([UInt8](repeating: 0, count: length)))])
        }
        let fixed = 37 + output(8000).count - 8000
        #expect(
            refusal {
                $0.flags = 0x85
                $0.trailing = output(8192 - fixed)
            } == nil)
        #expect(
            refusal {
                $0.flags = 0x85
                $0.trailing = output(8193 - fixed)
            } == .malformedAuthenticatorData)
    }

    @Test("whose authenticator data are cut anywhere is refused")
    func truncation() {
        let response = authenticator.request()
        for length in 0..<response.authenticatorData.count {
            let assertion = Assertion(
                credentialID: response.credentialID, clientDataJSON: response.clientData,
                authenticatorData: Array(response.authenticatorData.prefix(length)), signature: [],
                userHandle: response.userHandle)
            #expect(refusal(of: assertion) == .malformedAuthenticatorData)
        }
    }

    // MARK: The counter

    @Test("must count up if either counter is not zero")
    func counter() {
        #expect(refusal(counter: 6) { $0.counter = 7 } == nil)
        #expect(refusal(counter: 0) { $0.counter = 1 } == nil)
        #expect(refusal(counter: .max - 1) { $0.counter = .max } == nil)
        #expect(refusal(counter: 7) { $0.counter = 7 } == .counterWentBackwards)
        #expect(refusal(counter: 7) { $0.counter = 6 } == .counterWentBackwards)
        #expect(refusal(counter: 7) { $0.counter = 0 } == .counterWentBackwards)
        #expect(refusal(counter: .max) { $0.counter = 1 } == .counterWentBackwards)
    }

    @Test("need not count at all")
    func noCounter() throws {
        let verified = try authenticator.assert { $0.counter = 0 }
            .verify(ceremony, credential: authenticator.stored(counter: 0))
        #expect(verified.signatureCounter == 0)
    }

    @Test("tells of a counter that went backwards only if the signature is valid")
    func counterIsLast() {
        let assertion = authenticator.assert({ $0.counter = 1 }, tamper: { $0 = [] })
        #expect(refusal(of: assertion) == .signatureInvalid)
    }
}
