import Foundation

/// An issuer of tokens besides ourselves, as the operator configures it.
public struct TrustedIssuerConfiguration: Sendable {
    public enum Keys: Sendable {
        /// The address of a key set.
        case url(String)
        /// A key set or a key, as JSON; or a public key in PEM form.
        case contents(String)
        /// The key set at the address that the issuer's metadata names.
        case discovered
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

/// The key material that the operator gave cannot be used.
public struct UnusableKeyError: Error, Sendable, CustomStringConvertible {
    public var description: String {
        """
        The key file holds no key that can verify tokens. It must be a JSON Web Key Set, a JSON Web \
        Key, or a public key in PEM form (RSA, P-256 or Ed25519).
        """
    }
}

extension KeySet {
    /// A set that never changes.
    ///
    /// - Throws: `UnusableKeyError`.
    init(contents text: String) throws(UnusableKeyError) {
        var keys = VerificationKey.read(jwks: Data(text.utf8))
        if keys.isEmpty, let key = VerificationKey(pem: text) { keys = [key] }
        guard !keys.isEmpty else { throw UnusableKeyError() }
        self.init(keys)
    }
}
