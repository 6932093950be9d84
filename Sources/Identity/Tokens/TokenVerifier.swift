import Foundation

/// Verifies our own bearer tokens, and those of the issuers that the operator trusts. All loops
/// share it.
public struct TokenVerifier: Sendable {
    private let issuers: [String: TrustedIssuer]

    init(_ issuers: [TrustedIssuer]) {
        self.issuers = Dictionary(issuers.map { ($0.issuer, $0) }) { first, _ in first }
    }

    /// - Returns: The token's claims; `nil` if the token is invalid for any reason.
    func verify(_ token: String, now: Date = Date()) async -> TokenClaims? {
        guard let token = UnverifiedToken(token), let issuer = issuers[token.claims.issuer] else {
            return nil
        }
        return await issuer.claims(of: token, now: now)
    }
}
