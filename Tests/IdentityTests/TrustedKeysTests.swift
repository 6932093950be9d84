import Foundation
import JWTKit
import Testing

@testable import Identity

@Suite("The keys of a trusted issuer")
struct TrustedKeysTests {
    private static func keys() async throws -> [TestKey] {
        [try await .rsa(), .p256(), .ed25519(), try await .rsa("rsa512", algorithm: "RS512")]
    }

    @Test("can be a key set with several kinds of key")
    func set() async throws {
        let keys = try await Self.keys()
        let verifier = try await TokenVerifier.make(trusting: keys)
        for key in keys {
            #expect(try await verifier.accepts(key.token()), "\(key.algorithm)")
            #expect(try await !verifier.accepts(key.token(claims: ["aud": "others"])))
        }
    }

    @Test("can be a single JSON Web Key")
    func single() async throws {
        for key in try await Self.keys() {
            let text = String(
                decoding: try JSONSerialization.data(withJSONObject: key.jwk), as: UTF8.self)
            let verifier = try await TokenVerifier.make(trusting: text)
            #expect(try await verifier.accepts(key.token()), "\(key.algorithm)")
            #expect(try await verifier.accepts(key.token(header: ["kid": NSNull()])))
        }
    }

    @Test("can be a public key in PEM form, which goes with any key id")
    func pem() async throws {
        for key in [try await TestKey.rsa(), .p256(), .ed25519()] {
            for text in [key.pem, key.pem + "\n\n"] {
                let verifier = try await TokenVerifier.make(trusting: text)
                #expect(try await verifier.accepts(key.token()), "\(key.algorithm)")
                #expect(try await verifier.accepts(key.token(header: ["kid": NSNull()])))
                #expect(try await verifier.accepts(key.token(header: ["kid": "whatever"])))
                #expect(try await !verifier.accepts(TestKey.p256().token()))
            }
        }
    }

    @Test("verify no ECDSA signature of zeros, nor one turned round")
    func ellipticSignatures() async throws {
        let key = TestKey.p256()
        let verifier = try await TokenVerifier.make(trusting: [key])
        let input = try key.token().split(separator: ".").prefix(2).joined(separator: ".")
        #expect(await !verifier.accepts(input + "." + Data(count: 64).base64URL))
        let raw = try key.sign(Data(input.utf8))
        #expect(await verifier.accepts(input + "." + raw.base64URL))
        #expect(await !verifier.accepts(input + "." + Data(raw.reversed()).base64URL))
    }

    @Test(
        "must be usable",
        arguments: [
            "", "{}", "[]", "null", #"{"keys":[]}"#, #"{"keys":{}}"#, "not a key",
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
            #"{"kty":"oct","k":"c2VjcmV0","alg":"HS256"}"#,
            #"{"keys":[{"kty":"oct","k":"c2VjcmV0","alg":"HS256"}]}"#,
            #"{"kty":"RSA"}"#, #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#,
        ])
    func unusable(text: String) async {
        await #expect(throws: UnusableKeyError.self) {
            try await TokenVerifier.make(trusting: text)
        }
    }

    @Test("leave out those for encryption, and those that we do not know")
    func leftOut() async throws {
        let key = TestKey.ed25519()
        let forEncryption = TestKey.p256("enc")
        let elements: [Any] = [
            forEncryption.jwk.merging(["use": "enc"]) { $1 },
            ["kty": "oct", "k": "c2VjcmV0", "kid": "secret"],
            ["kty": "post-quantum", "kid": "new"], ["kid": "no kind"], "no object", 7,
            ["kty": "RSA", "kid": "half", "n": "AQAB"],
            TestKey.p256("other").jwk.merging(["alg": "RS256"]) { $1 },
            key.jwk.merging(["use": "sig"]) { $1 },
        ]
        let data = Data(try TestKey.set(elements).utf8)
        #expect(VerificationKey.read(jwks: data).map(\.id) == ["ed"])
        let verifier = try await TokenVerifier.make(trusting: TestKey.set(elements))
        #expect(try await verifier.accepts(key.token()))
        #expect(try await !verifier.accepts(forEncryption.token()))
    }

    /// What a key may say that it is for, and whether it is then for verifying.
    private static let usages: [(members: [String: any Sendable], isVerifying: Bool)] = [
        (["key_ops": ["verify"]], true), (["key_ops": ["sign", "verify"]], true),
        (["key_ops": ["verify"], "use": "sig"], true),
        (["key_ops": ["sign"]], false), (["key_ops": [String]()], false),
        (["key_ops": ["Verify"]], false), (["key_ops": ["encrypt", "wrapKey"]], false),
        (["key_ops": ["sign"], "use": "sig"], false),
        (["key_ops": ["verify"], "use": "enc"], false), (["key_ops": "verify"], false),
        (["use": "enc"], false), (["use": 7], false),
    ]

    @Test("leave out those that are not for verifying", arguments: usages.indices)
    func meantFor(index: Int) async throws {
        let (members, isVerifying) = Self.usages[index]
        let key = TestKey.p256()
        let jwk = (key.jwk as [String: any Sendable]).merging(members) { $1 }
        let single = try JSONSerialization.data(withJSONObject: jwk)
        #expect(VerificationKey.read(jwks: single).count == (isVerifying ? 1 : 0))
        let verifier = try await TokenVerifier.make(
            trusting: TestKey.set([jwk, TestKey.ed25519().jwk]))
        #expect(try await verifier.accepts(key.token()) == isVerifying)
    }

    @Test("are all tried that have the name and the algorithm")
    func sameName() async throws {
        let keys = [
            TestKey.ed25519("k"), TestKey.p256("k"), .ed25519("k"), .p256("k"), .ed25519("other"),
        ]
        let verifier = try await TokenVerifier.make(trusting: keys)
        for key in keys { #expect(try await verifier.accepts(key.token())) }
        #expect(try await !verifier.accepts(TestKey.ed25519("k").token()))
        // Of another name, or of another algorithm, it is another key.
        #expect(try await !verifier.accepts(keys[4].token(header: ["kid": "k"])))
        #expect(try await !verifier.accepts(keys[0].token(header: ["alg": "ES256"])))
        // Right by its signature, and nothing else.
        #expect(try await !verifier.accepts(keys[2].token(claims: ["aud": "others"])))
    }

    /// The bytes of a set are bounded where it is fetched.
    @Test("are as many as the set has")
    func count() async throws {
        let keys = (0..<70).map { TestKey.ed25519("key \($0)") }
        let read = VerificationKey.read(jwks: Data(try TestKey.set(keys).utf8))
        #expect(read.count == 70)
    }
}
