import Foundation
import HTTPClient
import Logging
import Sockets

/// An issuer of tokens besides ourselves, as an operator names it.
public struct TrustedIssuerConfiguration: Sendable {
    public enum Keys: Sendable {
        /// The address of a key set.
        case url(String)
        /// A key set or a key, as JSON; or a public key in PEM form.
        case contents(String)
    }

    public let issuer: String
    public let audience: String
    public let keys: Keys

    public init(issuer: String, audience: String, keys: Keys) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
    }
}

/// The key material that an operator gave cannot be used.
public struct UnusableKeyError: Error, Sendable, CustomStringConvertible {
    public var description: String {
        """
        The key file holds no key that can verify tokens. It must be a JSON Web Key Set, a JSON Web \
        Key, or a public key in PEM form (RSA, P-256 or Ed25519).
        """
    }
}

extension TokenVerifier {
    /// Makes the verifier of one loop.
    ///
    /// - Throws: `UnusableKeyError` for key material that was given and cannot be used. An address
    ///   is not tried before the first token asks for it.
    public init(
        own keys: [SigningKey], trusted: [TrustedIssuerConfiguration], client: HTTPClient,
        loop: EventLoop, logger: Logger
    ) async throws {
        var ownKeys: [VerificationKey] = []
        for key in keys { ownKeys.append(await key.verificationKey) }
        var issuers = [
            TrustedIssuer(
                issuer: SigningKey.issuer, audience: SigningKey.issuer, keys: KeySet(ownKeys))
        ]
        for configuration in trusted {
            let keySet: KeySet
            switch configuration.keys {
            case .url(let url):
                keySet = KeySet(
                    KeySet.Source(url: url, client: client, loop: loop, logger: logger))
            case .contents(let text):
                var keys = await VerificationKey.read(jwks: Data(text.utf8))
                if keys.isEmpty, let key = await VerificationKey(pem: text) { keys = [key] }
                guard !keys.isEmpty else { throw UnusableKeyError() }
                keySet = KeySet(keys)
            }
            issuers.append(
                TrustedIssuer(
                    issuer: configuration.issuer, audience: configuration.audience, keys: keySet))
        }
        self.init(issuers)
    }
}
