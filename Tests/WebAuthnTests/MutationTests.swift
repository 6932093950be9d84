import Testing

@testable import WebAuthn

/// Valid inputs changed at random. A crash would end the test process.
@Suite("Mutated input")
struct MutationTests {
    private let ceremony = SoftwareAuthenticator.ceremony()

    @Test("never crashes a registration", arguments: Algorithm.allCases)
    func registrations(algorithm: Algorithm) throws {
        var generator = SeededGenerator(seed: 1)
        let response = SoftwareAuthenticator(algorithm).creation {
            $0.flags = 0xC5
            $0.trailing = CBOR.map([(CBOR.text("a"), CBOR.array([CBOR.int(1)]))])
        }
        var accepted = 0
        for _ in 0..<5000 {
            // Either the whole object, or the data within it, whose declared length stays right.
            let object =
                Bool.random(using: &generator)
                ? generator.mutate(response.attestationObject)
                : CBOR.map([
                    (CBOR.text("fmt"), CBOR.text("none")), (CBOR.text("attStmt"), CBOR.emptyMap),
                    (
                        CBOR.text("authData"),
                        CBOR.bytes(generator.mutate(response.authenticatorData))
                    ),
                ])
            let registration = Registration(
                clientDataJSON: response.clientData, attestationObject: object)
            guard let credential = try? registration.verify(ceremony) else { continue }
            accepted += 1
            #expect(AttestedCredential.idLengths.contains(credential.id.count))
            let key = try CredentialPublicKey(credential.publicKey)
            #expect(key.algorithm == credential.algorithm)
            #expect(!key.isValid([], for: []))
        }
        // Registrations are not signed, so changes of the id or the counter go unnoticed.
        #expect((1..<4000).contains(accepted))
    }

    @Test("never is an assertion", arguments: Algorithm.allCases)
    func assertions(algorithm: Algorithm) {
        var generator = SeededGenerator(seed: 2)
        let authenticator = SoftwareAuthenticator(algorithm)
        let response = authenticator.request {
            $0.flags = 0x85
            $0.trailing = CBOR.map([(CBOR.text("a"), CBOR.array([CBOR.int(1)]))])
        }
        let signature = authenticator.signature(for: response)
        for round in 0..<5000 {
            var parts = [response.clientData, response.authenticatorData, signature]
            parts[round % 3] = generator.mutate(parts[round % 3])
            let assertion = Assertion(
                credentialID: response.credentialID, clientDataJSON: parts[0],
                authenticatorData: parts[1], signature: parts[2], userHandle: response.userHandle)
            #expect(throws: WebAuthnError.self) {
                try assertion.verify(ceremony, credential: authenticator.stored())
            }
        }
    }

    @Test("never crashes the decoding of a key", arguments: Algorithm.allCases)
    func keys(algorithm: Algorithm) {
        var generator = SeededGenerator(seed: 3)
        let key = TestKey.make(algorithm)
        for _ in 0..<5000 {
            let mutated = try? CredentialPublicKey(generator.mutate(key.cose))
            #expect(mutated?.isValid([UInt8](repeating: 0, count: 64), for: [1]) != true)
        }
    }

    @Test("never crashes the CBOR decoder")
    func decoder() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            guard let value = try? CBORDecoder.decode(bytes) else { continue }
            #expect(value == (try? CBORDecoder.decode(bytes)))
        }
    }
}
