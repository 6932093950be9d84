import Foundation
import JWTKit

/// Verifies bearer tokens of our own and of the issuers an operator trusts; RFC 7519 and 8725.
///
/// One stands on each loop.
public struct TokenVerifier: Sendable {
    /// An issuer, what its tokens must say, and its keys.
    struct TrustedIssuer: Sendable {
        let issuer: String
        let audience: String
        let keys: KeySet
    }

    private let issuers: [String: TrustedIssuer]

    /// How far clocks may differ, in seconds.
    private static let leeway = 30.0
    /// Longer tokens are not looked at.
    private static let maximumBytes = 8192

    init(_ issuers: [TrustedIssuer]) {
        self.issuers = Dictionary(issuers.map { ($0.issuer, $0) }) { first, _ in first }
    }

    /// - Returns: Who the token speaks for; `nil` if it is not valid, for whatever reason.
    public func verify(_ token: String, now: Date = Date()) async -> TokenSubject? {
        let bytes = Array(token.utf8)
        guard bytes.count <= Self.maximumBytes,
            let (header, unverified) = Self.parse(bytes),
            let trusted = issuers[unverified.issuer],
            let key = await trusted.keys.key(id: header.keyID, algorithm: header.algorithm),
            let claims = try? await key.verify(bytes),
            Self.isAcceptable(claims, for: trusted, at: now.timeIntervalSince1970)
        else { return nil }
        return TokenSubject(
            issuer: claims.issuer, subject: claims.subject,
            suggestedName: claims.preferredUsername ?? claims.nickname ?? claims.email
                ?? claims.name,
            displayName: claims.name ?? claims.nickname)
    }

    private struct Header: Decodable {
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

    /// Reads header and claims without believing them: they only say which key to try.
    private static func parse(_ token: [UInt8]) -> (Header, TokenClaims)? {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty,
            let headerData = decodeBase64URL(parts[0]),
            let header = try? JSONDecoder().decode(Header.self, from: headerData),
            // RFC 7515 section 4.1.11: extensions we do not know must not be ignored.
            header.critical == nil,
            ["jwt", "at+jwt", "application/at+jwt"].contains(header.type?.lowercased() ?? "jwt"),
            let claimsData = decodeBase64URL(parts[1]),
            let claims = try? JSONDecoder().decode(TokenClaims.self, from: claimsData),
            decodeBase64URL(parts[2]) != nil
        else { return nil }
        return (header, claims)
    }

    /// RFC 7515 section 2: without padding, and nothing else in between.
    private static func decodeBase64URL(_ text: ArraySlice<UInt8>) -> Data? {
        var base64: [UInt8] = []
        base64.reserveCapacity(text.count + 3)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: base64.append(byte)
            }
        }
        while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(base64))
    }

    private static func isAcceptable(
        _ claims: TokenClaims, for trusted: TrustedIssuer, at now: Double
    ) -> Bool {
        claims.issuer == trusted.issuer
            && claims.audience.contains(trusted.audience)
            && !claims.subject.isEmpty && claims.subject.unicodeScalars.count <= 255
            && !claims.subject.unicodeScalars.contains("\0")
            && claims.expires > now - leeway
            && claims.notBefore ?? 0 <= now + leeway
            && claims.issuedAt ?? 0 <= now + leeway
    }
}

/// Who a valid token speaks for.
public struct TokenSubject: Hashable, Sendable {
    public let issuer: String
    public let subject: String
    /// What the issuer calls the person, to make a username of.
    public let suggestedName: String?
    public let displayName: String?
}
