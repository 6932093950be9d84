public import Crypto
import Encodings
public import FaveGames
public import Foundation
import Signatures
package import Storage
import StorageWrites

/// One of the server's own Ed25519 keys, which sign the access tokens of its sessions.
public struct SigningKey: Sendable {
    /// The issuer and audience of our own tokens. It is not the public address, because that can
    /// change.
    public static let issuer = "fave-games"

    public let id: String
    private let key: Curve25519.Signing.PrivateKey
    /// The keys that encrypt cursors, sign identities whose owner has yet to choose a name, and
    /// derive each refresh token from the previous one. They are derived from the key that signs
    /// tokens, but differ from it.
    public let cursorKey: CursorKey
    public let identityKey: SymmetricKey
    /// Signs the challenges that passkeys respond to.
    public let challengeKey: SymmetricKey
    /// Signs what was confirmed before a browser went to a provider.
    public let connectionKey: SymmetricKey
    let refreshKey: SymmetricKey
    /// Makes digests of the subjects of limits, such as network addresses.
    let digestKey: SymmetricKey

    /// - Returns: `nil` if the stored key is not an Ed25519 key.
    package init?(_ stored: StoredSigningKey) {
        guard let seed = Data(base64Encoded: stored.privateKey),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        else { return nil }
        id = stored.id
        func derived(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: seed), info: Data(purpose.utf8),
                outputByteCount: 32)
        }
        cursorKey = CursorKey(
            encryption: derived("cursor encryption"),
            nonces: HMAC(key: derived("cursor nonces")))
        identityKey = derived("identity")
        challengeKey = derived("challenge")
        connectionKey = derived("connection")
        refreshKey = derived("refresh")
        digestKey = derived("digest")
        self.key = key
    }

    /// Makes a new key, to be stored.
    package static func make() -> StoredSigningKey {
        let key = Curve25519.Signing.PrivateKey()
        let digest = SHA256.hash(data: key.publicKey.rawRepresentation)
        return StoredSigningKey(
            id: Base64URL.encode(digest.prefix(12)),
            privateKey: key.rawRepresentation.base64EncodedString())
    }

    /// The public half of the key, as a JSON Web Key holds it (RFC 8037 section 2).
    public var x: String { Base64URL.encode(key.publicKey.rawRepresentation) }

    var verificationKey: VerificationKey { VerificationKey(.ed25519(key.publicKey), id: id) }

    /// Signs a token for one of our users.
    ///
    /// - Parameter session: The token becomes invalid when this session ends. With `nil`, it
    ///   becomes invalid only when it expires, or when the user is gone or disabled.
    /// - Parameter scopes: What it allows; `nil` for everything.
    public func token(
        for user: UUID, session: UUID? = nil, scopes: Set<TokenScope>? = nil, lifetime: Duration,
        now: Date = Date()
    ) async throws -> String {
        let claims = TokenClaims(
            issuer: Self.issuer, subject: user.text, audience: Self.issuer,
            sessionID: session, scopes: scopes, issuedAt: now,
            expires: now.addingTimeInterval(lifetime / .seconds(1)))
        let header = ["alg": verificationKey.algorithm, "kid": id, "typ": "JWT"]
        let signed = try [JSONEncoder().encode(header), JSONEncoder().encode(claims)]
            .map(Base64URL.encode).joined(separator: ".")
        return signed + "." + Base64URL.encode(try key.signature(for: Data(signed.utf8)))
    }
}

/// The keys that encrypt cursors and derive their nonces.
public struct CursorKey: Sendable {
    public let encryption: SymmetricKey
    public let nonces: HMAC<SHA256>
}
