import Crypto
import Encodings
import FaveGames
import Foundation
import HTTP
import HTTPClient
import HTTPTypes

/// A provider that people sign in with, as the operator configures it.
public struct OpenIDConfiguration: Sendable {
    /// The provider's name in our paths: `[a-z0-9-]+`.
    public let key: String
    /// The provider's name on its button.
    public let name: String
    public let issuer: String
    public let clientID: String
    /// `nil` for a public client, which PKCE alone protects.
    public let clientSecret: String?
    public let scopes: String
    /// The claim to make usernames from; it is tried before the usual ones.
    public let usernameClaim: String?

    public init(
        key: String, name: String, issuer: String, clientID: String, clientSecret: String?,
        scopes: String = "openid profile email", usernameClaim: String? = nil
    ) {
        self.key = key
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.usernameClaim = usernameClaim
    }
}

/// Signs people in with a provider. Each loop has its own instance.
///
/// This is the authorization code flow of OpenID Connect Core 1.0, section 3.1, with PKCE (RFC
/// 7636).
public struct OpenIDProvider: Sendable {
    public let configuration: OpenIDConfiguration
    private let discovery: Discovery
    /// Verifies ID tokens, whose audience is our client.
    private let idTokens: TrustedIssuer
    private let authentication: ClientAuthentication.Accepted
    private let client: HTTPClient

    /// What the provider itself sends us may have this many bytes. It comes over our own connection to
    /// it, and no stranger chose it.
    static let maximumBytes = 1 << 18

    init(
        _ configuration: OpenIDConfiguration, discovery: Discovery, keys: KeySet,
        authentication: ClientAuthentication.Accepted, client: HTTPClient
    ) {
        self.configuration = configuration
        self.discovery = discovery
        self.authentication = authentication
        self.client = client
        idTokens = TrustedIssuer(
            issuer: configuration.issuer, audience: configuration.clientID, keys: keys)
    }

    /// Makes sure that the provider has metadata and keys with which people can sign in here.
    public func check() async throws(OpenIDError) {
        let algorithms = try await discovery.check().idTokenAlgorithms
        let keys = try await idTokens.keys.check()
        guard let algorithms, !keys.contains(where: { algorithms.contains($0.algorithm) }) else {
            return
        }
        throw OpenIDError(
            .badResponse,
            """
            it signs ID tokens with \(algorithms.joined(separator: ", ")), and its keys are for \
            \(Set(keys.map(\.algorithm)).sorted().joined(separator: ", "))
            """)
    }

    /// Whether a response of the provider's authorization endpoint may name this issuer, or none: RFC
    /// 9207 section 2.4.
    public func mayRespond(as issuer: String?) async throws(OpenIDError) -> Bool {
        if let issuer { return issuer == configuration.issuer }
        return try await discovery.load().announcesIssuer != true
    }

    /// The values of one sign-in handshake that are needed again when the browser comes back. All
    /// of them are derived from a secret that only this browser has.
    public struct Handshake: Sendable {
        private let secret: SecretToken
        private let issuer: String

        /// - Parameter provider: The provider of the sign-in. A response from another provider will
        ///   not match (RFC 9700 section 4.4).
        public init(_ secret: SecretToken, with provider: OpenIDConfiguration) {
            self.secret = secret
            issuer = provider.issuer
        }

        fileprivate var state: String { secret.derive(purpose("state")) }
        fileprivate var nonce: String { secret.derive(purpose("nonce")) }
        fileprivate var verifier: String { secret.derive(purpose("code verifier")) }

        /// Whether the state that the provider sent back is this handshake's.
        public func hasState(_ state: String) -> Bool {
            secret.derives(purpose("state"), is: state)
        }

        private func purpose(_ what: String) -> String { "\(what) for \(issuer)" }
    }

    /// The address to send the browser to.
    public func authorizationURL(
        _ handshake: Handshake, redirectURI: String
    ) async throws(OpenIDError) -> String {
        let endpoint = try await discovery.load().authorizationEndpoint
        let challenge = Base64URL.encode(SHA256.hash(data: Data(handshake.verifier.utf8)))
        let query = Self.form([
            ("response_type", "code"), ("client_id", configuration.clientID),
            ("redirect_uri", redirectURI), ("scope", configuration.scopes),
            ("state", handshake.state), ("nonce", handshake.nonce),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ])
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// Exchanges the code that the browser came back with for the person's identity.
    public func identity(
        code: String, handshake: Handshake, redirectURI: String
    ) async throws(OpenIDError) -> ProviderIdentity {
        let metadata = try await discovery.load()
        let tokens = try await exchange(
            code, handshake: handshake, redirectURI: redirectURI, metadata: metadata)
        guard let idToken = tokens.idToken else {
            throw OpenIDError(.badResponse, "no ID token; is \"openid\" among the scopes?")
        }
        let claims: TokenClaims
        do throws(TokenFault) {
            claims = try await idTokens.claims(of: idToken, maximumBytes: Self.maximumBytes)
        } catch {
            throw OpenIDError(
                .badResponse, "the ID token of \(configuration.issuer) is refused: \(error)")
        }
        guard claims.nonce == handshake.nonce else {
            throw OpenIDError(
                .badResponse,
                """
                the ID token of \(configuration.issuer) is refused: its nonce is missing, or another \
                sign-in's
                """)
        }
        // Section 3.1.3.7, points 4 and 5.
        guard claims.audience.count == 1 || claims.authorizedParty == configuration.clientID,
            claims.authorizedParty ?? configuration.clientID == configuration.clientID
        else {
            throw OpenIDError(
                .badResponse,
                """
                the ID token of \(configuration.issuer) is refused: it is for another party, too (aud \
                and azp)
                """)
        }
        let usernameClaim = configuration.usernameClaim
        var more: [String: String] = [:]
        if !ProviderIdentity.isComplete(claims, usernameClaim: usernameClaim),
            let accessToken = tokens.accessToken
        {
            more = await ProviderIdentity.userinfo(
                of: claims.subject, from: metadata, accessToken: accessToken, client: client)
        }
        return ProviderIdentity(claims, usernameClaim: usernameClaim, more: more)
    }

    private struct Tokens: Decodable {
        let idToken: String?
        let accessToken: String?

        enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case accessToken = "access_token"
        }
    }

    /// Exchanges the code for tokens, RFC 6749 section 4.1.3. If the provider rejects us as a client, we
    /// tell it our secret in the other way: the code is not used up by then.
    private func exchange(
        _ code: String, handshake: Handshake, redirectURI: String, metadata: ProviderMetadata
    ) async throws(OpenIDError) -> Tokens {
        let items = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", handshake.verifier),
        ]
        func exchange(_ method: ClientAuthentication) async throws(OpenIDError) -> Tokens {
            try await self.exchange(items, by: method, at: metadata.tokenEndpoint)
        }
        let method = authentication.first(of: metadata)
        let refusal: OpenIDError
        do throws(OpenIDError) {
            return try await exchange(method)
        } catch {
            guard error.isOfClient, configuration.clientSecret != nil else { throw error }
            refusal = error
        }
        do throws(OpenIDError) {
            let tokens = try await exchange(method.other)
            authentication.set(method.other)
            return tokens
        } catch {
            guard !error.isOfClient else { throw refusal }
            // It knows us now, though it may not know the code any more: the next sign-in succeeds.
            if error.code == .refused { authentication.set(method.other) }
            throw error
        }
    }

    private func exchange(
        _ items: [(String, String)], by method: ClientAuthentication, at endpoint: String
    ) async throws(OpenIDError) -> Tokens {
        var items = items
        var fields: HTTPFields = [
            .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
        ]
        if let secret = configuration.clientSecret {
            method.add(secret, of: configuration.clientID, to: &fields, &items)
        } else {
            items.append(("client_id", configuration.clientID))
        }
        let response: ClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(
                ClientRequest(
                    .post, endpoint, headerFields: fields, body: Array(Self.form(items).utf8),
                    timeout: .seconds(10), maximumResponseBytes: Self.maximumBytes))
        } catch {
            throw OpenIDError(.unavailable, error.debugDescription)
        }
        switch response.status.code {
        case 200: break
        case 400..<500: throw refusal(response)
        default: throw OpenIDError(.unavailable, "status \(response.status.code)")
        }
        guard let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(response.body)) else {
            throw OpenIDError(.badResponse, "the token endpoint's response cannot be read")
        }
        return tokens
    }

    /// Why the token endpoint refused: RFC 6749 section 5.2. The response names the error and holds no
    /// secret.
    private func refusal(_ response: ClientResponse) -> OpenIDError {
        struct Refusal: Decodable { let error: String }
        let error = try? JSONDecoder().decode(Refusal.self, from: Data(response.body)).error
        let said = OneLine.clean(String(decoding: response.body.prefix(300), as: UTF8.self))
        let detail = "status \(response.status.code): \(said)"
        guard error == "invalid_client" || error == nil && response.status == .unauthorized else {
            return OpenIDError(.refused, detail)
        }
        return OpenIDError(
            .refused,
            """
            \(configuration.issuer) rejects this site as its client; check the client's id and its \
            secret in the settings (\(detail))
            """, isOfClient: true)
    }

    private static func form(_ items: [(String, String)]) -> String {
        items.map { "\($0)=\(PercentCoding.encodeQueryValue($1))" }.joined(separator: "&")
    }
}
