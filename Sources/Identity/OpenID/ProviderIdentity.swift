import Foundation
import HTTPClient
import HTTPTypes

/// Who an issuer says that someone is.
public struct ProviderIdentity: Hashable, Sendable {
    public let issuer: String
    public let subject: String
    /// What the issuer calls the person, to make a username of.
    public private(set) var suggestedName: String?
    public private(set) var displayName: String?
    private let usernameClaim: String?

    init(_ claims: TokenClaims, usernameClaim: String?) {
        issuer = claims.issuer
        subject = claims.subject
        self.usernameClaim = usernameClaim
        take(claims.texts)
    }

    /// A mail address is cut at its "@" by `Username.suggestion`.
    private mutating func take(_ texts: [String: String]) {
        let names = [usernameClaim, "preferred_username", "nickname", "email"].compactMap { $0 }
        suggestedName = names.lazy.compactMap { texts[$0] }.first { !$0.isEmpty }
        displayName = texts["name"] ?? texts["nickname"]
    }

    /// Asks the issuer's userinfo endpoint (section 5.3) for what the token did not say. Whatever
    /// goes wrong there, the person is known: only the name is made up then.
    mutating func complete(
        from metadata: ProviderMetadata, accessToken: String, client: HTTPClient
    ) async {
        guard let endpoint = metadata.userinfoEndpoint else { return }
        let request = ClientRequest(
            .get, endpoint,
            headerFields: [.accept: "application/json", .authorization: "Bearer \(accessToken)"],
            timeout: .seconds(5), maximumResponseBytes: 1 << 16)
        guard let response = try? await client.send(request), response.status == .ok,
            let claims = try? JSONDecoder().decode(TextClaims.self, from: Data(response.body)),
            // Section 5.3.4: an answer about someone else must not be used.
            claims.texts["sub"] == subject
        else { return }
        take(claims.texts)
    }
}

/// The members of a JSON object that are strings; the others are left out.
struct TextClaims: Decodable {
    let texts: [String: String]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var texts: [String: String] = [:]
        // A bound: nobody says so much.
        for key in container.allKeys.prefix(256) {
            texts[key.stringValue] = try? container.decode(String.self, forKey: key)
        }
        self.texts = texts
    }
}
