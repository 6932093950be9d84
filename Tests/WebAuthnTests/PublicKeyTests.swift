import Testing

@testable import WebAuthn

@Suite("A credential's public key")
struct PublicKeyTests {
    private func refusal(_ bytes: [UInt8]) -> WebAuthnError? {
        do throws(WebAuthnError) {
            _ = try CredentialPublicKey(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(_ members: [(Int, [UInt8])]) -> WebAuthnError? {
        refusal(CBOR.map(members.map { (CBOR.int($0), $1) }))
    }

    /// The error for a key in which one member is replaced.
    private func refusal(
        _ algorithm: Algorithm, _ label: Int, _ value: [UInt8]
    ) -> WebAuthnError? {
        refusal(TestKey.make(algorithm).coseMembers.map { ($0, $0 == label ? value : $1) })
    }

    @Test("is accepted in any order of its members", arguments: Algorithm.allCases)
    func order(algorithm: Algorithm) {
        let members = TestKey.make(algorithm).coseMembers
        #expect(refusal(members) == nil)
        #expect(refusal(members.reversed()) == nil)
    }

    @Test("has exactly the members of its algorithm", arguments: Algorithm.allCases)
    func members(algorithm: Algorithm) {
        let members = TestKey.make(algorithm).coseMembers
        for index in members.indices {
            var missing = members
            missing.remove(at: index)
            #expect(refusal(missing) == .malformedPublicKey)
            #expect(refusal(members + [members[index]]) == .malformedPublicKey)
            var replaced = members
            replaced[index].0 = 99
            #expect(refusal(replaced) == .malformedPublicKey)
        }
        // A key id, operations, and something unknown.
        for label in [2, 4, -70_000] {
            #expect(refusal(members + [(label, CBOR.bytes([1]))]) == .malformedPublicKey)
        }
    }

    @Test("has members of the right types", arguments: Algorithm.allCases)
    func types(algorithm: Algorithm) {
        for (label, _) in TestKey.make(algorithm).coseMembers {
            for value in [CBOR.text("a"), [0xF6], [0xF5], CBOR.array([]), CBOR.emptyMap] {
                #expect(refusal(algorithm, label, value) == .malformedPublicKey)
            }
        }
    }

    @Test("must be of its algorithm's type and curve")
    func mismatch() {
        for (algorithm, right) in [(Algorithm.es256, 2), (.edDSA, 1), (.rs256, 3)] {
            for type in [0, 1, 2, 3, 4] where type != right {
                #expect(refusal(algorithm, 1, CBOR.int(type)) == .malformedPublicKey)
            }
            for other in Algorithm.allCases where other != algorithm {
                let label = CBOR.int(other.rawValue)
                #expect(refusal(algorithm, 3, label) == .malformedPublicKey)
            }
        }
        for curve in [0, 2, 3, 6, 8] {
            #expect(refusal(.es256, -1, CBOR.int(curve)) == .malformedPublicKey)
        }
        for curve in [1, 4, 5, 7] {
            #expect(refusal(.edDSA, -1, CBOR.int(curve)) == .malformedPublicKey)
        }
    }

    @Test("must be for an algorithm that we know")
    func algorithms() {
        for number in [-35, -36, -37, -47, -65_535, 0, 7, Int.min, Int.max] {
            #expect(refusal(.es256, 3, CBOR.int(number)) == .algorithmNotOffered)
        }
    }

    @Test("is a point on its curve, not compressed")
    func point() {
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(refusal(.es256, -2, CBOR.bytes(zero)) == .malformedPublicKey)
        #expect(refusal(COSE.p256(x: zero, y: zero)) == .malformedPublicKey)
        let greatest = [UInt8](repeating: 255, count: 32)
        #expect(refusal(COSE.p256(x: greatest, y: greatest)) == .malformedPublicKey)
        for sign: [UInt8] in [[0xF4], [0xF5]] {
            #expect(refusal(.es256, -3, sign) == .malformedPublicKey)
        }
    }

    @Test("has coordinates of 32 bytes")
    func coordinates() {
        for length in [0, 1, 31, 33, 64] {
            let bytes = CBOR.bytes([UInt8](repeating: 1, count: length))
            #expect(refusal(.es256, -2, bytes) == .malformedPublicKey)
            #expect(refusal(.es256, -3, bytes) == .malformedPublicKey)
            #expect(refusal(.edDSA, -2, bytes) == .malformedPublicKey)
        }
        // Together they have the right length.
        let short = [UInt8](repeating: 1, count: 31)
        #expect(refusal(COSE.p256(x: short, y: short + [1, 1])) == .malformedPublicKey)
    }

    @Test("for RSA has 2048 to 4096 bits")
    func modulus() {
        func modulus(_ first: UInt8, _ count: Int) -> [UInt8] {
            CBOR.bytes([first] + [UInt8](repeating: 255, count: count - 1))
        }
        #expect(refusal(.rs256, -1, modulus(0x80, 256)) == nil)
        #expect(refusal(.rs256, -1, modulus(0xFF, 512)) == nil)
        #expect(refusal(.rs256, -1, modulus(0x7F, 256)) == .malformedPublicKey)
        #expect(refusal(.rs256, -1, modulus(0x01, 513)) == .malformedPublicKey)
        // Zeros at the beginning do not make a number longer, and are not allowed.
        #expect(refusal(.rs256, -1, modulus(0x00, 257)) == .malformedPublicKey)
        #expect(refusal(.rs256, -1, modulus(0x00, 300)) == .malformedPublicKey)
        #expect(refusal(.rs256, -1, CBOR.bytes([])) == .malformedPublicKey)
    }

    @Test("for RSA has an odd exponent of at most 32 bits")
    func exponent() {
        for exponent: [UInt8] in [[3], [1, 0, 1], [255, 255, 255, 255]] {
            #expect(refusal(.rs256, -2, CBOR.bytes(exponent)) == nil)
        }
        for exponent: [UInt8] in [
            [], [0], [1], [2], [1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0, 1], [255, 255, 255, 255, 255],
        ] {
            #expect(refusal(.rs256, -2, CBOR.bytes(exponent)) == .malformedPublicKey)
        }
    }

    @Test("is followed by nothing, and is a map")
    func whole() {
        let key = TestKey.make(.es256).cose
        #expect(refusal(key) == nil)
        #expect(refusal(key + [0]) == .malformedPublicKey)
        #expect(refusal([UInt8]()) == .malformedPublicKey)
        #expect(refusal(CBOR.array([])) == .malformedPublicKey)
        for length in 0..<key.count {
            #expect(refusal(Array(key.prefix(length))) == .malformedPublicKey)
        }
    }
}
