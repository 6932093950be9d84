import Crypto
import Foundation
import JWTKit
import Storage

/// The server's own Ed25519 key, which signs the tokens of local accounts.
public struct SigningKey: Sendable {
    /// The issuer and audience of our own tokens. Not the public address: it can change.
    public static let issuer = "fave-games"

    public let id: String
    private let key: EdDSA.PrivateKey

    /// - Returns: `nil` if what is stored is no Ed25519 key.
    public init?(_ stored: StoredSigningKey) {
        guard let seed = Data(base64Encoded: stored.privateKey),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        else { return nil }
        id = stored.id
        self.key = EdDSA.PrivateKey(backing: key)
    }

    /// Makes a new key, to be stored.
    public static func make() -> StoredSigningKey {
        let key = Curve25519.Signing.PrivateKey()
        let digest = SHA256.hash(data: key.publicKey.rawRepresentation)
        let id = Data(digest.prefix(12)).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
        return StoredSigningKey(
            id: id, privateKey: key.rawRepresentation.base64EncodedString())
    }

    var verificationKey: VerificationKey {
        get async { await VerificationKey(eddsa: key.publicKey, id: id) }
    }

    /// Signs a token for one of our users.
    public func token(for user: UUID, lifetime: Duration, now: Date = Date()) async throws -> String
    {
        let claims = TokenClaims(
            issuer: Self.issuer, subject: user.uuidString.lowercased(), audience: Self.issuer,
            issuedAt: now, expires: now.addingTimeInterval(lifetime / .seconds(1)))
        let collection = await JWTKeyCollection().add(
            eddsa: key, kid: JWKIdentifier(string: id))
        return try await collection.sign(claims, kid: JWKIdentifier(string: id))
    }
}
