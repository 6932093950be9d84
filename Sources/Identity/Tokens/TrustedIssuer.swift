import Encodings
import Foundation
import JSON

/// An issuer of tokens, with its keys and the claims that its tokens must have; RFC 7519 and 8725.
struct TrustedIssuer: Sendable {
    let issuer: String
    let audience: String
    let keys: KeySet
    /// Whether to reject ID tokens: they tell a client who someone is, but grant no access.
    var refusesIDTokens = false

    /// How far clocks may differ, in seconds.
    private static let leeway = 30.0
    /// Longer tokens are rejected unread.
    static let maximumBytes = 8192

    /// - Returns: `nil` if the token is invalid for any reason.
    func claims(of token: String, now: Date = Date()) async -> TokenClaims? {
        guard let token = UnverifiedToken(token, maximumBytes: Self.maximumBytes) else {
            return nil
        }
        return await claims(of: token, now: now)
    }

    func claims(of token: UnverifiedToken, now: Date) async -> TokenClaims? {
        let header = token.header
        let keys = await keys.keys(id: header.keyID, algorithm: header.algorithm)
        guard keys.contains(where: { $0.key.isValid(token.signature, for: token.signed) }),
            isAcceptable(token.claims, at: now)
        else { return nil }
        return token.claims
    }

    /// Whether the claims of a token that the issuer has signed are acceptable at this moment.
    func isAcceptable(_ claims: TokenClaims, at now: Date) -> Bool {
        let now = now.timeIntervalSince1970
        return claims.issuer == issuer
            && claims.audience.contains(audience)
            && !claims.subject.isEmpty && claims.subject.unicodeScalars.count <= 255
            && !claims.subject.unicodeScalars.contains("\0")
            && claims.expires > now - Self.leeway
            && claims.notBefore ?? 0 <= now + Self.leeway
            && claims.issuedAt ?? 0 <= now + Self.leeway
            && !(refusesIDTokens && claims.isIDToken)
    }
}

/// A parsed token that is not verified yet. Its header and its claims serve only to find the keys to
/// try.
struct UnverifiedToken: Sendable {
    /// The JOSE header, RFC 7515 section 4.
    struct Header: Sendable {
        let algorithm: String
        let keyID: String?

        /// - Returns: `nil` if the header is malformed, or demands something that we do not
        ///   support.
        init?(_ text: Data) {
            // Not parsed by Foundation, which accepts duplicate members. Section 4 allows us to
            // reject them, and another reader might pick the other duplicate.
            guard case .object(let members)? = try? JSONParser.parse(Array(text)),
                let algorithm = members["alg"]?.text,
                // Section 4.1.11: unknown extensions must not be ignored, and we know none. An
                // empty list, or anything but a list, is malformed.
                members["crit"] == nil,
                ["kid", "typ"].allSatisfy({ members[$0] == nil || members[$0]?.text != nil }),
                ["jwt", "at+jwt", "application/at+jwt"]
                    .contains(members["typ"]?.text?.lowercased() ?? "jwt")
            else { return nil }
            self.algorithm = algorithm
            keyID = members["kid"]?.text
        }
    }

    let header: Header
    let claims: TokenClaims
    /// The signed part of the token.
    let signed: ArraySlice<UInt8>
    let signature: Data

    /// - Returns: `nil` if the text is not a token in compact form, RFC 7515 section 7.1.
    init?(_ text: String, maximumBytes: Int = 8192) {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumBytes else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty,
            let headerData = Base64URL.decode(parts[0]),
            let header = Header(headerData),
            let claimsData = Base64URL.decode(parts[1]),
            let claims = try? JSONDecoder().decode(TokenClaims.self, from: claimsData),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = bytes[..<parts[1].endIndex]
    }
}
