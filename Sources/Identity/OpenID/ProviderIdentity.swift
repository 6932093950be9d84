import FaveGames
import Foundation
import HTTPClient
import HTTPTypes

/// A person's identity, as an issuer states it.
public struct ProviderIdentity: Hashable, Sendable {
    public let issuer: String
    public let subject: String
    /// The issuer's name for the person, to suggest a username from. Never a mail address.
    public let suggestedName: String?
    public let displayName: String?

    var means: SignInMeans { .identity(issuer: issuer, subject: subject) }

    /// - Parameters:
    ///   - usernameClaim: The claim to make usernames from, before the usual ones.
    ///   - more: Claims of the person that fill what the token lacks.
    init(_ claims: TokenClaims, usernameClaim: String?, more: [String: String] = [:]) {
        let texts = Self.visible(claims.texts).merging(Self.visible(more)) { own, other in
            own.contains("@") ? other : own
        }
        func named(_ claims: String?...) -> [String] {
            claims.compactMap { $0.flatMap { texts[$0] } }
        }
        // A name that makes no username is passed over. Of a mail address, only the part before the
        // host is taken.
        let claimed = named(usernameClaim, "preferred_username", "nickname")
        let handles = claimed.filter { !$0.contains("@") }
        let others = claimed.filter { $0.contains("@") } + named("email", "name")
        let names = handles + others.map { String($0.trimmingPrefix("@").prefix { $0 != "@" }) }
        self.init(
            issuer: claims.issuer, subject: claims.subject,
            suggestedName: names.first(where: Username.isSuggested),
            displayName: named("name", "nickname").first { !$0.contains("@") })
    }

    private static func visible(_ texts: [String: String]) -> [String: String] {
        texts.filter { OneLine.isVisible($0.value) }
    }

    /// Whether a token has all the names that we ask for, and none of them is a mail address.
    static func isComplete(_ claims: TokenClaims, usernameClaim: String?) -> Bool {
        let texts = visible(claims.texts)
        return [usernameClaim, "preferred_username", "name"].allSatisfy {
            $0.map { texts[$0]?.contains("@") == false } ?? true
        }
    }

    /// An identity that was proved before.
    public init(
        issuer: String, subject: String, suggestedName: String? = nil, displayName: String? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.suggestedName = suggestedName
        self.displayName = displayName
    }

    /// Asks the issuer's userinfo endpoint (section 5.3) about someone. Errors are ignored: the person's
    /// identity is already known, and only their name then has to be made up.
    static func userinfo(
        of subject: String, from metadata: ProviderMetadata, accessToken: String,
        client: HTTPClient
    ) async -> [String: String] {
        guard let endpoint = metadata.userinfoEndpoint else { return [:] }
        let request = ClientRequest(
            .get, endpoint,
            headerFields: [.accept: "application/json", .authorization: "Bearer \(accessToken)"],
            timeout: .seconds(5), maximumResponseBytes: OpenIDProvider.maximumBytes)
        guard let response = try? await client.send(request), response.status == .ok,
            let claims = try? JSONDecoder().decode(TextClaims.self, from: Data(response.body)),
            // Section 5.3.4: a response about someone else must not be used.
            claims.texts["sub"] == subject
        else { return [:] }
        return claims.texts
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
        for key in container.allKeys {
            texts[key.stringValue] = try? container.decode(String.self, forKey: key)
        }
        self.texts = texts
    }
}
