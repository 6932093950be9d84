import Crypto
import CryptoExtras
import Foundation
import WebAuthn

/// A credential's private key.
enum TestKey: Sendable {
    case p256(P256.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)

    /// Making an RSA key takes long, so all tests but those that need two share this one.
    private static let sharedRSA = orStop { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    static func make(_ algorithm: Algorithm) -> TestKey {
        switch algorithm {
        case .es256: .p256(P256.Signing.PrivateKey())
        case .edDSA: .ed25519(Curve25519.Signing.PrivateKey())
        case .rs256: .rsa(sharedRSA)
        }
    }

    static func makeOther(_ algorithm: Algorithm) -> TestKey {
        guard algorithm == .rs256 else { return make(algorithm) }
        return .rsa(orStop { try _RSA.Signing.PrivateKey(keySize: .bits2048) })
    }

    func sign(_ message: [UInt8]) -> [UInt8] {
        orStop {
            switch self {
            case .p256(let key): Array(try key.signature(for: message).derRepresentation)
            case .ed25519(let key): Array(try key.signature(for: message))
            case .rsa(let key):
                Array(
                    try key.signature(
                        for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5
                    ).rawRepresentation)
            }
        }
    }

    /// The public half as a COSE key.
    var cose: [UInt8] { CBOR.map(coseMembers.map { (CBOR.int($0), $1) }) }

    /// The members of the COSE key, encoded.
    var coseMembers: [(Int, [UInt8])] {
        switch self {
        case .p256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return COSE.p256(x: Array(point.prefix(32)), y: Array(point.suffix(32)))
        case .ed25519(let key):
            return COSE.ed25519(x: Array(key.publicKey.rawRepresentation))
        case .rsa(let key):
            let numbers = orStop { try key.publicKey.getKeyPrimitives() }
            return COSE.rsa(modulus: Array(numbers.modulus), exponent: [1, 0, 1])
        }
    }
}

/// The members of COSE keys, encoded.
enum COSE {
    static func p256(x: [UInt8], y: [UInt8]) -> [(Int, [UInt8])] {
        [
            (1, CBOR.int(2)), (3, CBOR.int(-7)), (-1, CBOR.int(1)), (-2, CBOR.bytes(x)),
            (-3, CBOR.bytes(y)),
        ]
    }

    static func ed25519(x: [UInt8]) -> [(Int, [UInt8])] {
        [(1, CBOR.int(1)), (3, CBOR.int(-8)), (-1, CBOR.int(6)), (-2, CBOR.bytes(x))]
    }

    static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [(Int, [UInt8])] {
        [
            (1, CBOR.int(3)), (3, CBOR.int(-257)), (-1, CBOR.bytes(modulus)),
            (-2, CBOR.bytes(exponent)),
        ]
    }
}

/// Stops the tests if a key cannot be made or used, which only a lack of memory could cause.
private func orStop<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { fatalError("\(error)") }
}
