import Encodings
import FaveGames
import Foundation

/// The claims that we read from a token's payload, RFC 7519 section 4.
struct TokenClaims: Codable, Sendable {
    let issuer: String
    let subject: String
    let audience: [String]
    let expires: Double
    let notBefore: Double?
    let issuedAt: Double?
    /// When the user signed in at the issuer, if it says so.
    let authenticatedAt: Double?
    /// In our own tokens, the session that the token belongs to.
    let sessionID: UUID?
    /// In ID tokens.
    let nonce: String?
    let authorizedParty: String?
    /// In our own tokens for apps, what they may do: RFC 8693 section 4.2.
    let scope: String?
    /// All members that are strings. People's names are taken from them. They are not encoded.
    let texts: [String: String]

    enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case expires = "exp"
        case notBefore = "nbf"
        case issuedAt = "iat"
        case authenticatedAt = "auth_time"
        case sessionID = "sid"
        case nonce
        case authorizedParty = "azp"
        case scope
    }

    init(
        issuer: String, subject: String, audience: String, sessionID: UUID?,
        scopes: Set<TokenScope>? = nil, issuedAt: Date, expires: Date
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = [audience]
        self.sessionID = sessionID
        self.issuedAt = issuedAt.timeIntervalSince1970.rounded(.down)
        self.expires = expires.timeIntervalSince1970.rounded(.down)
        notBefore = nil
        authenticatedAt = nil
        nonce = nil
        authorizedParty = nil
        scope = scopes.map(\.text)
        texts = [:]
    }

    /// What one of our own tokens allows; `nil` for everything.
    var scopes: Set<TokenScope>? { scope.map { Set(scopes: $0) ?? [] } }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try container.decode(String.self, forKey: .issuer)
        subject = try container.decode(String.self, forKey: .subject)
        // A string, or an array of strings.
        if let one = try? container.decode(String.self, forKey: .audience) {
            audience = [one]
        } else {
            audience = try container.decode([String].self, forKey: .audience)
        }
        expires = try container.decode(Double.self, forKey: .expires)
        notBefore = try container.decodeIfPresent(Double.self, forKey: .notBefore)
        issuedAt = try container.decodeIfPresent(Double.self, forKey: .issuedAt)
        authenticatedAt = try? container.decodeIfPresent(Double.self, forKey: .authenticatedAt)
        texts = try TextClaims(from: decoder).texts
        // Other issuers' session ids need not be UUIDs.
        sessionID = texts["sid"].flatMap { UUID(uuidString: $0) }
        nonce = texts["nonce"]
        scope = texts["scope"]
        authorizedParty = try container.decodeIfPresent(String.self, forKey: .authorizedParty)
    }

    /// Whether this is an ID token: it tells a client who someone is, but does not open an API. The
    /// audience cannot tell, because some issuers give both kinds of token the same one.
    var isIDToken: Bool {
        // OpenID Connect Core section 3.1.3.6; and Keycloak's `typ`, because its access tokens may
        // have a nonce.
        texts["at_hash"] != nil || texts["c_hash"] != nil || texts["typ"] == "ID"
            || nonce != nil && texts["typ"] != "Bearer"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(issuer, forKey: .issuer)
        try container.encode(subject, forKey: .subject)
        try container.encode(audience, forKey: .audience)
        try container.encode(expires, forKey: .expires)
        try container.encodeIfPresent(issuedAt, forKey: .issuedAt)
        try container.encodeIfPresent(sessionID?.text, forKey: .sessionID)
        try container.encodeIfPresent(scope, forKey: .scope)
    }
}
