import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import Identity

@Suite("An algorithm of signatures")
struct AlgorithmTests {
    /// A key of each algorithm. Those of RSA differ in nothing else.
    private static func keys() throws -> [TestKey] {
        let (p384, p521) = (P384.Signing.PrivateKey(), P521.Signing.PrivateKey())
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let numbers = try rsa.publicKey.getKeyPrimitives()
        func ofRSA(_ algorithm: String, _ sign: @escaping @Sendable (Data) throws -> Data)
            -> TestKey
        {
            let jwk = [
                "kty": "RSA", "kid": algorithm, "alg": algorithm, "n": numbers.modulus.base64URL,
                "e": numbers.publicExponent.base64URL,
            ]
            return TestKey(algorithm: algorithm, jwk: jwk, pem: "", sign: sign)
        }
        func onCurve(
            _ curve: String, _ algorithm: String, _ point: Data,
            _ sign: @escaping @Sendable (Data) throws -> Data
        ) -> TestKey {
            let jwk = [
                "kty": "EC", "crv": curve, "kid": algorithm,
                "x": point.prefix(point.count / 2).base64URL,
                "y": point.suffix(point.count / 2).base64URL,
            ]
            return TestKey(algorithm: algorithm, jwk: jwk, pem: "", sign: sign)
        }
        return [
            .ed25519(), .p256(),
            onCurve("P-384", "ES384", p384.publicKey.rawRepresentation) {
                try p384.signature(for: $0).rawRepresentation
            },
            onCurve("P-521", "ES512", p521.publicKey.rawRepresentation) {
                try p521.signature(for: $0).rawRepresentation
            },
            ofRSA("RS256") {
                try rsa.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5)
                    .rawRepresentation
            },
            ofRSA("RS384") {
                try rsa.signature(for: SHA384.hash(data: $0), padding: .insecurePKCS1v1_5)
                    .rawRepresentation
            },
            ofRSA("RS512") {
                try rsa.signature(for: SHA512.hash(data: $0), padding: .insecurePKCS1v1_5)
                    .rawRepresentation
            },
            ofRSA("PS256") {
                try rsa.signature(for: SHA256.hash(data: $0), padding: .PSS).rawRepresentation
            },
            ofRSA("PS384") {
                try rsa.signature(for: SHA384.hash(data: $0), padding: .PSS).rawRepresentation
            },
            ofRSA("PS512") {
                try rsa.signature(for: SHA512.hash(data: $0), padding: .PSS).rawRepresentation
            },
        ]
    }

    @Test("verifies what was signed with it, and nothing that was signed with another")
    func each() async throws {
        let keys = try Self.keys()
        #expect(Set(keys.map(\.algorithm)) == Set(VerificationKey.algorithms))
        for key in keys {
            let verifier = try await TokenVerifier.make(trusting: [key])
            for signer in keys {
                // Only the signature differs from that of the trusted key.
                let token = try TestKey(
                    algorithm: key.algorithm, jwk: key.jwk, pem: "", sign: signer.sign
                ).token()
                let isAccepted = await verifier.accepts(token)
                #expect(
                    isAccepted == (signer.algorithm == key.algorithm),
                    "\(signer.algorithm) as \(key.algorithm)")
            }
        }
    }
}
