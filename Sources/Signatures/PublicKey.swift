public import Crypto
public import CryptoExtras
public import Foundation

/// A public key, together with the only algorithm that it verifies signatures by.
///
/// The algorithm comes from the key's source, never from the signed message (RFC 8725 section 3.1).
public enum PublicKey: Sendable {
    /// ECDSA, with the hash function that is as long as the curve's numbers.
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey, RSAAlgorithm)

    /// The paddings and hash functions of RSA signatures, by their names in RFC 7518 section 3.1.
    public enum RSAAlgorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case rs384 = "RS384"
        case rs512 = "RS512"
        case ps256 = "PS256"
        case ps384 = "PS384"
        case ps512 = "PS512"
    }

    /// Whether a signature is valid for a message. A signature by ECDSA consists of two numbers of
    /// fixed length (RFC 7518 section 3.4).
    public func isValid(_ signature: some DataProtocol, for message: some DataProtocol) -> Bool {
        switch self {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .p521(let key):
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .ed25519(let key):
            return key.isValidSignature(signature, for: message)
        case .rsa(let key, let algorithm):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            func isValid(
                _ hash: (some HashFunction).Type, _ padding: _RSA.Signing.Padding
            ) -> Bool {
                key.isValidSignature(signature, for: hash.hash(data: message), padding: padding)
            }
            return switch algorithm {
            case .rs256: isValid(SHA256.self, .insecurePKCS1v1_5)
            case .rs384: isValid(SHA384.self, .insecurePKCS1v1_5)
            case .rs512: isValid(SHA512.self, .insecurePKCS1v1_5)
            case .ps256: isValid(SHA256.self, .PSS)
            case .ps384: isValid(SHA384.self, .PSS)
            case .ps512: isValid(SHA512.self, .PSS)
            }
        }
    }
}
