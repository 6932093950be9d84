import Foundation
import JWTKit

/// A public key, together with the only algorithm that it may be used with.
///
/// The algorithm comes from the key set or from the kind of key, never from a token. The algorithm
/// in a token's header must agree with it (RFC 8725 section 3.1).
struct VerificationKey: Sendable {
    let id: String?
    let algorithm: String
    /// Holds only this key, as its default, so that jwt-kit cannot choose another.
    private let keys: JWTKeyCollection

    init(eddsa key: EdDSA.PublicKey, id: String?) async {
        self.id = id
        algorithm = "EdDSA"
        keys = await JWTKeyCollection().add(eddsa: key)
    }

    /// - Returns: `nil` if the key does not verify signatures by an algorithm that we accept.
    init?(_ jwk: JWK) async {
        guard let algorithm = Self.algorithm(of: jwk) else { return nil }
        self.id = jwk.keyIdentifier?.string
        self.algorithm = algorithm.rawValue
        var copy = jwk
        copy.algorithm = algorithm
        // jwt-kit requires an id for every key.
        copy.keyIdentifier = JWKIdentifier(string: "key")
        guard let keys = try? await JWTKeyCollection().add(jwk: copy, isDefault: true) else {
            return nil
        }
        self.keys = keys
    }

    /// Reads a public key in PEM form: RSA (used as RS256), P-256 (ES256) or Ed25519 (EdDSA).
    init?(pem: String) async {
        id = nil
        if let key = try? Insecure.RSA.PublicKey(pem: pem) {
            algorithm = "RS256"
            keys = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256)
        } else if let key = try? ES256PublicKey(pem: pem) {
            algorithm = "ES256"
            keys = await JWTKeyCollection().add(ecdsa: key)
        } else if let key = try? EdDSA.PublicKey(pem: pem) {
            algorithm = "EdDSA"
            keys = await JWTKeyCollection().add(eddsa: key)
        } else {
            return nil
        }
    }

    private static func algorithm(of jwk: JWK) -> JWK.Algorithm? {
        let accepted: [JWK.Algorithm]
        switch jwk.keyType {
        case .rsa: accepted = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case .octetKeyPair: accepted = [.eddsa]
        case .ecdsa:
            switch jwk.curve?.rawValue {
            case "P-256": accepted = [.es256]
            case "P-384": accepted = [.es384]
            case "P-521": accepted = [.es512]
            default: return nil
            }
        default: return nil
        }
        guard let stated = jwk.algorithm else { return accepted.first }
        return accepted.first { $0 == stated }
    }

    func verify(_ token: [UInt8]) async throws -> TokenClaims {
        try await keys.verify(token, as: TokenClaims.self)
    }
}

extension VerificationKey {
    /// Reads a key set, RFC 7517 section 5, or a single key. Keys that we cannot use are left out,
    /// as the RFC asks, and so are those that are not meant for verifying signatures.
    static func read(jwks data: Data) async -> [VerificationKey] {
        struct Envelope<Key: Decodable>: Decodable { let keys: [Lenient<Key>] }
        let decoder = JSONDecoder()
        var found: [JWK] = []
        if let set = try? decoder.decode(Envelope<JWK>.self, from: data),
            let usages = try? decoder.decode(Envelope<Usage>.self, from: data)
        {
            for (key, usage) in zip(set.keys, usages.keys) {
                guard let jwk = key.value, usage.value?.isVerifying == true else { continue }
                found.append(jwk)
            }
        } else if let single = try? decoder.decode(JWK.self, from: data),
            (try? decoder.decode(Usage.self, from: data))?.isVerifying == true
        {
            found = [single]
        }
        var keys: [VerificationKey] = []
        // A limit that no real key set reaches.
        for jwk in found.prefix(64) {
            if let key = await VerificationKey(jwk) { keys.append(key) }
        }
        return keys
    }
}

/// What a key is meant for, RFC 7517 sections 4.2 and 4.3. A key that does not say so may be used
/// for anything.
private struct Usage: Decodable {
    let use: String?
    let operations: [String]?

    enum CodingKeys: String, CodingKey {
        case use
        case operations = "key_ops"
    }

    var isVerifying: Bool { use ?? "sig" == "sig" && operations?.contains("verify") ?? true }
}

/// An element of an array that becomes `nil` if it cannot be decoded, instead of failing the whole
/// array.
private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
    }
}
