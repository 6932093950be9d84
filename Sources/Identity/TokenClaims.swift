import Foundation
import JWTKit

/// What we read of a token's payload, RFC 7519 section 4.
struct TokenClaims: JWTPayload {
    let issuer: String
    let subject: String
    let audience: [String]
    let expires: Double
    let notBefore: Double?
    let issuedAt: Double?
    let preferredUsername: String?
    let nickname: String?
    let name: String?
    let email: String?

    enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case expires = "exp"
        case notBefore = "nbf"
        case issuedAt = "iat"
        case preferredUsername = "preferred_username"
        case nickname, name, email
    }

    init(issuer: String, subject: String, audience: String, issuedAt: Date, expires: Date) {
        self.issuer = issuer
        self.subject = subject
        self.audience = [audience]
        self.issuedAt = issuedAt.timeIntervalSince1970.rounded(.down)
        self.expires = expires.timeIntervalSince1970.rounded(.down)
        notBefore = nil
        preferredUsername = nil
        nickname = nil
        name = nil
        email = nil
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try container.decode(String.self, forKey: .issuer)
        subject = try container.decode(String.self, forKey: .subject)
        // One text, or several.
        if let one = try? container.decode(String.self, forKey: .audience) {
            audience = [one]
        } else {
            audience = try container.decode([String].self, forKey: .audience)
        }
        expires = try container.decode(Double.self, forKey: .expires)
        notBefore = try container.decodeIfPresent(Double.self, forKey: .notBefore)
        issuedAt = try container.decodeIfPresent(Double.self, forKey: .issuedAt)
        // Only used to make a name: of a wrong type they are as good as absent.
        preferredUsername = try? container.decodeIfPresent(String.self, forKey: .preferredUsername)
        nickname = try? container.decodeIfPresent(String.self, forKey: .nickname)
        name = try? container.decodeIfPresent(String.self, forKey: .name)
        email = try? container.decodeIfPresent(String.self, forKey: .email)
    }

    /// The claims are checked by `TokenVerifier`, which knows what to expect of them.
    func verify(using algorithm: some JWTAlgorithm) {}
}
