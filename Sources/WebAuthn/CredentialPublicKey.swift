import Crypto
import CryptoExtras
import Signatures

/// A credential's public key, decoded from a COSE key (RFC 9052 section 7).
///
/// WebAuthn section 6.5.1 says that the key names its algorithm and has no other optional members,
/// so a key with anything unknown in it is refused. The algorithm decides what the rest must be.
struct CredentialPublicKey: Sendable {
    /// In bits. Below this range keys are weak; above it, verifying takes too long.
    static let modulusLengths = 2048...4096

    let algorithm: Algorithm
    private let key: PublicKey

    /// - Parameter offered: The key must be for one of these algorithms.
    init(
        _ bytes: [UInt8], offered: [Algorithm] = Algorithm.allCases
    ) throws(WebAuthnError) {
        guard let members = (try? CBORDecoder.decode(bytes))?.map,
            let number = members[Label.algorithm]?.int
        else { throw .malformedPublicKey }
        guard let algorithm = Algorithm(rawValue: number), offered.contains(algorithm) else {
            throw .algorithmNotOffered
        }
        let key: PublicKey? =
            switch algorithm {
            case .es256: Self.p256(members)
            case .edDSA: Self.ed25519(members)
            case .rs256: Self.rsa(members)
            }
        guard let key else { throw .malformedPublicKey }
        self.algorithm = algorithm
        self.key = key
    }

    /// Whether a signature, in the form of section 6.5.5, is valid for a message.
    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard algorithm == .es256 else { return key.isValid(signature, for: message) }
        guard let numbers = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
            return false
        }
        return key.isValid(numbers.rawRepresentation, for: message)
    }

    // MARK: Decoding

    /// The members of COSE keys. What a negative label means depends on the key's type.
    private enum Label {
        static let keyType: CBORKey = 1
        static let algorithm: CBORKey = 3
        static let curve: CBORKey = -1
        static let x: CBORKey = -2
        static let y: CBORKey = -3
        static let modulus: CBORKey = -1
        static let exponent: CBORKey = -2
    }

    /// An EC2 key (RFC 9053 section 7.1.1) on P-256, whose point is not compressed (section 5.8.5).
    private static func p256(_ members: [CBORKey: CBORValue]) -> PublicKey? {
        guard members.count == 5, members[Label.keyType] == .int(2),
            members[Label.curve] == .int(1), let x = members[Label.x]?.bytes, x.count == 32,
            let y = members[Label.y]?.bytes, y.count == 32
        else { return nil }
        // Refuses a point that is not on the curve.
        return try? .p256(P256.Signing.PublicKey(rawRepresentation: x + y))
    }

    /// An OKP key (RFC 9053 section 7.2) on Ed25519. If its bytes are not a point on the curve, no
    /// signature is valid.
    private static func ed25519(_ members: [CBORKey: CBORValue]) -> PublicKey? {
        guard members.count == 4, members[Label.keyType] == .int(1),
            members[Label.curve] == .int(6), let x = members[Label.x]?.bytes, x.count == 32
        else { return nil }
        return try? .ed25519(Curve25519.Signing.PublicKey(rawRepresentation: x))
    }

    /// An RSA key (RFC 8230 section 4), whose numbers begin with no zeros. The exponent is odd, at
    /// least 3, and has at most 32 bits; in practice it is 65537.
    private static func rsa(_ members: [CBORKey: CBORValue]) -> PublicKey? {
        guard members.count == 4, members[Label.keyType] == .int(3),
            let modulus = members[Label.modulus]?.bytes, let first = modulus.first, first != 0,
            modulusLengths.contains(modulus.count * 8 - first.leadingZeroBitCount),
            let exponent = members[Label.exponent]?.bytes, (1...4).contains(exponent.count),
            exponent.first != 0, let last = exponent.last, last & 1 == 1, exponent != [1]
        else { return nil }
        return try? .rsa(_RSA.Signing.PublicKey(n: modulus, e: exponent), .rs256)
    }
}
