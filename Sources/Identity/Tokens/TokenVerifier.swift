import Crypto
import Foundation
import Work

/// Verifies our own bearer tokens, and those of the issuers that the operator trusts. All loops
/// share it.
///
/// A token that was verified is cached: its signature isn't verified again until its issuer's keys
/// have been loaded again. Its times are checked each time. The verifier does not check whether its
/// session and its user still exist.
public struct TokenVerifier: Sendable {
    private let issuers: [String: TrustedIssuer]
    private let verified = LRUCache<Data, Verified>(countLimit: Self.cacheLimit)
    /// Nobody can find two tokens with the same digest, or learn a token from the cache's memory.
    private let digestKey = SymmetricKey(size: .bits256)

    /// How many tokens are cached. An entry has the token's claims, but not the token.
    static let cacheLimit = 4096

    private struct Verified: Sendable {
        let claims: TokenClaims
        /// The version of the issuer's keys, read before the token was verified.
        let keysVersion: Int
    }

    init(_ issuers: [TrustedIssuer]) {
        self.issuers = Dictionary(issuers.map { ($0.issuer, $0) }) { first, _ in first }
    }

    /// How many tokens are cached now.
    var cachedCount: Int { verified.count }

    /// - Returns: The token's claims; `nil` if the token is invalid for any reason.
    func verify(_ token: String, now: Date = Date()) async -> TokenClaims? {
        guard token.utf8.count <= TrustedIssuer.maximumBytes else { return nil }
        let digest = digest(of: token)
        if let found = verified[digest], let issuer = issuers[found.claims.issuer],
            await issuer.keys.version() == found.keysVersion
        {
            return (try? issuer.check(found.claims, at: now)) == nil ? nil : found.claims
        }
        guard let token = try? UnverifiedToken(token), let issuer = issuers[token.claims.issuer]
        else {
            return nil
        }
        let version = await issuer.keys.version()
        guard let claims = try? await issuer.claims(of: token, now: now) else { return nil }
        verified.insert(Verified(claims: claims, keysVersion: version), for: digest)
        return claims
    }

    /// Whether a token is not valid only because its issuer has no keys at the moment.
    func lacksKeys(for token: String, now: Date = Date()) async -> Bool {
        guard token.utf8.count <= TrustedIssuer.maximumBytes,
            let token = try? UnverifiedToken(token), let issuer = issuers[token.claims.issuer]
        else { return false }
        do {
            _ = try await issuer.claims(of: token, now: now)
            return false
        } catch {
            return error == .noKeys
        }
    }

    private func digest(of token: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Array(token.utf8), using: digestKey))
    }
}
