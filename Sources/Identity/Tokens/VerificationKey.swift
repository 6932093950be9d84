import Crypto
import CryptoExtras
import Encodings
import Foundation
import Signatures

/// A public key that verifies tokens.
struct VerificationKey: Sendable {
    let id: String?
    let key: PublicKey

    init(_ key: PublicKey, id: String?) {
        self.id = id
        self.key = key
    }

    /// Reads a public key in PEM form: RSA (used as RS256), P-256 (ES256) or Ed25519 (EdDSA).
    init?(pem: String) {
        if let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem) {
            self.init(.rsa(key, .rs256), id: nil)
        } else if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
            self.init(.p256(key), id: nil)
        } else if let key = try? Curve25519.Signing.PublicKey(pemRepresentation: pem) {
            self.init(.ed25519(key), id: nil)
        } else {
            return nil
        }
    }

    /// The algorithm's name in a token's header, which must agree with the key.
    var algorithm: String {
        switch key {
        case .p256: "ES256"
        case .p384: "ES384"
        case .p521: "ES512"
        case .ed25519: "EdDSA"
        case .rsa(_, let algorithm): algorithm.rawValue
        }
    }
}

extension VerificationKey {
    /// The names of all algorithms that we accept.
    static let algorithms =
        PublicKey.RSAAlgorithm.allCases.map(\.rawValue) + ["ES256", "ES384", "ES512", "EdDSA"]

    static let algorithmList = algorithms.joined(separator: ", ")

    /// Reads a key set, RFC 7517 section 5, or a single key. Keys that we cannot use are left out,
    /// as the RFC requires. So are keys for other purposes than verifying signatures.
    static func read(jwks data: Data) -> [VerificationKey] {
        struct Envelope: Decodable { let keys: [Lenient<JWK>] }
        let decoder = JSONDecoder()
        let keys =
            (try? decoder.decode(Envelope.self, from: data))?.keys.map(\.value)
            ?? [try? decoder.decode(JWK.self, from: data)]
        return keys.compactMap { $0?.verificationKey }
    }
}

/// A JSON Web Key: RFC 7517 section 4, RFC 7518 section 6 and RFC 8037 section 2.
private struct JWK: Decodable {
    let kty: String
    let crv, alg, kid, use, x, y, n, e: String?
    let operations: [String]?

    enum CodingKeys: String, CodingKey {
        case kty, crv, alg, kid, use, x, y, n, e
        case operations = "key_ops"
    }

    /// - Returns: `nil` if the key does not verify signatures by an algorithm that we accept. A key
    ///   that does not say what it is meant for may be used for anything.
    var verificationKey: VerificationKey? {
        guard use ?? "sig" == "sig", operations?.contains("verify") ?? true, let key = publicKey
        else { return nil }
        let found = VerificationKey(key, id: kid)
        return alg ?? found.algorithm == found.algorithm ? found : nil
    }

    private var publicKey: PublicKey? {
        func bytes(_ member: String?) -> Data { Base64URL.decode((member ?? "").utf8) ?? Data() }
        let point = Data([4]) + bytes(x) + bytes(y)
        return switch (kty, crv) {
        case ("EC", "P-256"): try? .p256(P256.Signing.PublicKey(x963Representation: point))
        case ("EC", "P-384"): try? .p384(P384.Signing.PublicKey(x963Representation: point))
        case ("EC", "P-521"): try? .p521(P521.Signing.PublicKey(x963Representation: point))
        case ("OKP", "Ed25519"):
            try? .ed25519(Curve25519.Signing.PublicKey(rawRepresentation: bytes(x)))
        case ("RSA", _):
            PublicKey.RSAAlgorithm(rawValue: alg ?? "RS256").flatMap {
                try? .rsa(_RSA.Signing.PublicKey(n: bytes(n), e: bytes(e)), $0)
            }
        default: nil
        }
    }
}

/// An element of an array that becomes `nil` if it cannot be decoded, instead of failing the whole
/// array.
private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
    }
}
