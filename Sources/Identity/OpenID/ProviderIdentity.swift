import FaveGames
import Foundation
import HTTPClient
import HTTPTypes
@_spi(Writing) import Storage

/// A person's identity, as an issuer states it.
public struct ProviderIdentity: Hashable, Sendable {
    public let issuer: String
    public let subject: String
    /// The issuer's name for the person, to suggest a username from. Never a mail address.
    public private(set) var suggestedName: String?
    public private(set) var displayName: String?
    /// Whether one of the claims is a name that the person goes by, and not a mail address.
    private(set) var hasHandle = false
    private let usernameClaim: String?

    var means: SignInMeans { .identity(issuer: issuer, subject: subject) }

    init(_ claims: TokenClaims, usernameClaim: String?) {
        issuer = claims.issuer
        subject = claims.subject
        self.usernameClaim = usernameClaim
        take(claims.texts)
    }

    /// Takes the names from the claims. A name that makes no username is passed over. Of a
    /// mail address, only the part before the host is taken.
    private mutating func take(_ texts: [String: String]) {
        func named(_ claims: String?...) -> [String] {
            claims.compactMap { $0.flatMap { texts[$0] } }.filter { !$0.isEmpty }
        }
        let claimed = named(usernameClaim, "preferred_username", "nickname")
        let handles = claimed.filter { !$0.contains("@") }
        let others = claimed.filter { $0.contains("@") } + named("email", "name")
        let names = handles + others.map { String($0.trimmingPrefix("@").prefix { $0 != "@" }) }
        hasHandle = hasHandle || !handles.isEmpty
        suggestedName = names.first(where: Username.isSuggested) ?? suggestedName
        displayName = named("name", "nickname").first { !$0.contains("@") } ?? displayName
    }

    /// An identity that was proved before.
    public init(
        issuer: String, subject: String, suggestedName: String? = nil, displayName: String? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.suggestedName = suggestedName
        self.displayName = displayName
        usernameClaim = nil
    }

    /// Asks the issuer's userinfo endpoint (section 5.3) for the names that the token lacks. Errors
    /// are ignored: the person's identity is already known, and only their name then has to be made
    /// up.
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
            // Section 5.3.4: a response about someone else must not be used.
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
        // A limit that no real issuer reaches.
        for key in container.allKeys.prefix(256) {
            texts[key.stringValue] = try? container.decode(String.self, forKey: key)
        }
        self.texts = texts
    }
}
