import Foundation
import JWTKit

/// An issuer of tokens, what its tokens must say, and its keys; RFC 7519 and 8725.
struct TrustedIssuer: Sendable {
    let issuer: String
    let audience: String
    let keys: KeySet
    /// Whether ID tokens must be refused: they say who somebody is to a client, and let nobody in.
    var refusesIDTokens = false

    /// How far clocks may differ, in seconds.
    private static let leeway = 30.0
    /// Longer tokens are not looked at.
    private static let maximumBytes = 8192

    /// - Returns: `nil` if the token is not valid, for whatever reason.
    func claims(of token: String, now: Date = Date()) async -> TokenClaims? {
        guard let token = UnverifiedToken(token, maximumBytes: Self.maximumBytes) else {
            return nil
        }
        return await claims(of: token, now: now)
    }

    func claims(of token: UnverifiedToken, now: Date) async -> TokenClaims? {
        guard
            let key = await keys.key(id: token.header.keyID, algorithm: token.header.algorithm),
            let claims = try? await key.verify(token.bytes),
            isAcceptable(claims, at: now.timeIntervalSince1970)
        else { return nil }
        return claims
    }

    private func isAcceptable(_ claims: TokenClaims, at now: Double) -> Bool {
        claims.issuer == issuer
            && claims.audience.contains(audience)
            && !claims.subject.isEmpty && claims.subject.unicodeScalars.count <= 255
            && !claims.subject.unicodeScalars.contains("\0")
            && claims.expires > now - Self.leeway
            && claims.notBefore ?? 0 <= now + Self.leeway
            && claims.issuedAt ?? 0 <= now + Self.leeway
            && !(refusesIDTokens && claims.isIDToken)
    }
}

/// A token taken apart without being believed: header and issuer only say which key to try.
struct UnverifiedToken: Sendable {
    struct Header: Decodable, Sendable {
        let algorithm: String
        let keyID: String?
        let type: String?
        let critical: [String]?

        enum CodingKeys: String, CodingKey {
            case algorithm = "alg"
            case keyID = "kid"
            case type = "typ"
            case critical = "crit"
        }
    }

    let bytes: [UInt8]
    let header: Header
    let issuer: String

    /// - Returns: `nil` for what is no token in compact form, RFC 7515 section 7.1.
    init?(_ text: String, maximumBytes: Int = 8192) {
        bytes = Array(text.utf8)
        guard bytes.count <= maximumBytes else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty,
            let headerData = Base64URL.decode(parts[0]),
            let header = try? JSONDecoder().decode(Header.self, from: headerData),
            // RFC 7515 section 4.1.11: extensions we do not know must not be ignored.
            header.critical == nil,
            ["jwt", "at+jwt", "application/at+jwt"].contains(header.type?.lowercased() ?? "jwt"),
            let claimsData = Base64URL.decode(parts[1]),
            let claims = try? JSONDecoder().decode(TokenClaims.self, from: claimsData),
            Base64URL.decode(parts[2]) != nil
        else { return nil }
        self.header = header
        issuer = claims.issuer
    }
}
