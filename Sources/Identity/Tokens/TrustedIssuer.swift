import Encodings
import Foundation
import JSON
import Signatures

/// An issuer of tokens, with its keys and the claims that its tokens must have; RFC 7519 and 8725.
struct TrustedIssuer: Sendable {
    let issuer: String
    let audience: String
    let keys: KeySet
    /// Whether to reject ID tokens: they tell a client who someone is, but grant no access.
    var refusesIDTokens = false

    /// How far clocks may differ, in seconds.
    static let leeway = 60.0
    /// Longer tokens that clients send are rejected unread.
    static let maximumBytes = 8192

    /// - Parameter maximumBytes: Longer tokens are rejected unread.
    func claims(
        of token: String, maximumBytes: Int, now: Date = Date()
    ) async throws(TokenFault) -> TokenClaims {
        try await claims(of: UnverifiedToken(token, maximumBytes: maximumBytes), now: now)
    }

    func claims(of token: UnverifiedToken, now: Date) async throws(TokenFault) -> TokenClaims {
        let header = token.header
        guard VerificationKey.algorithms.contains(header.algorithm) else {
            throw .algorithm(header.algorithm)
        }
        let keys = try await keys.keys(id: header.keyID, algorithm: header.algorithm)
        guard keys.contains(where: { $0.key.isValid(token.signature, for: token.signed) }) else {
            throw .signature(header.keyID)
        }
        try check(token.claims, at: now)
        return token.claims
    }

    /// Checks the claims of a token that the issuer has signed.
    func check(_ claims: TokenClaims, at now: Date) throws(TokenFault) {
        let now = now.timeIntervalSince1970
        guard claims.issuer == issuer else { throw .issuer(claims.issuer, not: issuer) }
        guard claims.audience.contains(audience) else {
            throw .audience(claims.audience, not: audience)
        }
        guard !claims.subject.isEmpty, claims.subject.unicodeScalars.count <= 255,
            !claims.subject.unicodeScalars.contains("\0")
        else { throw .subject }
        guard claims.expires > now - Self.leeway else { throw .expired(now - claims.expires) }
        for (name, time) in [("nbf", claims.notBefore), ("iat", claims.issuedAt)] {
            guard let time, time > now + Self.leeway else { continue }
            throw .early(name, time - now)
        }
        guard !(refusesIDTokens && claims.isIDToken) else { throw .isIDToken }
    }
}

/// A parsed token that is not verified yet. Its header and its claims serve only to find the keys to
/// try.
struct UnverifiedToken: Sendable {
    /// The JOSE header, RFC 7515 section 4.
    struct Header: Sendable {
        let algorithm: String
        let keyID: String?

        /// - Throws: If the header is malformed, or demands something that we do not support.
        init(_ text: Data) throws(TokenFault) {
            // Not parsed by Foundation, which accepts duplicate members. Section 4 allows us to
            // reject them, and another reader might pick the other duplicate.
            guard case .object(let members)? = try? JSONParser.parse(Array(text)) else {
                throw .malformed("its header is no JSON object")
            }
            guard let algorithm = members["alg"]?.text,
                ["kid", "typ"].allSatisfy({ members[$0] == nil || members[$0]?.text != nil })
            else { throw .malformed("a member of its header (alg, kid or typ) is no text") }
            // Section 4.1.11: unknown extensions must not be ignored, and we know none. An empty
            // list, or anything but a list, is malformed.
            guard members["crit"] == nil else { throw .extensions }
            let type = members["typ"]?.text ?? "JWT"
            guard ["jwt", "at+jwt", "application/at+jwt"].contains(type.lowercased()) else {
                throw .type(type)
            }
            self.algorithm = algorithm
            keyID = members["kid"]?.text
        }
    }

    let header: Header
    let claims: TokenClaims
    /// The signed part of the token.
    let signed: ArraySlice<UInt8>
    let signature: Data

    /// - Throws: If the text is not a token in compact form, RFC 7515 section 7.1.
    init(
        _ text: String, maximumBytes: Int = TrustedIssuer.maximumBytes
    ) throws(TokenFault) {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumBytes else {
            throw .tooLarge(bytes.count, limit: maximumBytes)
        }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count != 5 else {
            throw .malformed("it is encrypted; let the issuer only sign it")
        }
        guard parts.count == 3 else { throw .malformed("it has \(parts.count) parts instead of 3") }
        guard let headerData = Base64URL.decode(parts[0]),
            let claimsData = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed("a part is no base64url") }
        header = try Header(headerData)
        // An algorithm comes first in what is said: such a token may have no signature at all.
        guard !parts[2].isEmpty else { throw .algorithm(header.algorithm) }
        do {
            claims = try JSONDecoder().decode(TokenClaims.self, from: claimsData)
        } catch {
            throw .malformed(error)
        }
        self.signature = signature
        signed = bytes[..<parts[1].endIndex]
    }
}
