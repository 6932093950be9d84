import Crypto
import Encodings
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
    private let client: HTTPClient

    init(
        _ configuration: OpenIDConfiguration, discovery: Discovery, keys: KeySet,
        client: HTTPClient
    ) {
        self.configuration = configuration
        self.discovery = discovery
        self.client = client
        idTokens = TrustedIssuer(
            issuer: configuration.issuer, audience: configuration.clientID, keys: keys)
    }

    /// Makes sure that the provider's metadata is available.
    public func check() async throws(OpenIDError) {
        _ = try await discovery.load()
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
        guard let claims = await idTokens.claims(of: idToken) else {
            throw OpenIDError(.badResponse, "the ID token is not valid")
        }
        guard claims.nonce == handshake.nonce else {
            throw OpenIDError(.badResponse, "the nonce is another handshake's")
        }
        // Section 3.1.3.7, points 4 and 5.
        guard claims.audience.count == 1 || claims.authorizedParty == configuration.clientID,
            claims.authorizedParty ?? configuration.clientID == configuration.clientID
        else { throw OpenIDError(.badResponse, "the ID token is for another party, too") }
        var identity = ProviderIdentity(claims, usernameClaim: configuration.usernameClaim)
        if !identity.hasHandle, identity.displayName == nil,
            let accessToken = tokens.accessToken
        {
            await identity.complete(
                from: metadata, accessToken: accessToken, client: client)
        }
        return identity
    }

    private struct Tokens: Decodable {
        let idToken: String?
        let accessToken: String?

        enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case accessToken = "access_token"
        }
    }

    /// Exchanges the code for tokens, RFC 6749 section 4.1.3.
    private func exchange(
        _ code: String, handshake: Handshake, redirectURI: String, metadata: ProviderMetadata
    ) async throws(OpenIDError) -> Tokens {
        var items = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", handshake.verifier),
        ]
        var fields: HTTPFields = [
            .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
        ]
        let methods = metadata.tokenEndpointAuthMethods ?? ["client_secret_basic"]
        if let secret = configuration.clientSecret {
            if methods.contains("client_secret_basic") {
                // Section 2.3.1: the id and the secret are escaped as in a form, before base64.
                let pair =
                    PercentCoding.encodeQueryValue(configuration.clientID) + ":"
                    + PercentCoding.encodeQueryValue(secret)
                fields[.authorization] = "Basic " + Data(pair.utf8).base64EncodedString()
            } else {
                items += [("client_id", configuration.clientID), ("client_secret", secret)]
            }
        } else {
            items.append(("client_id", configuration.clientID))
        }
        let response: ClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(
                ClientRequest(
                    .post, metadata.tokenEndpoint, headerFields: fields,
                    body: Array(Self.form(items).utf8), timeout: .seconds(10),
                    maximumResponseBytes: 1 << 18))
        } catch {
            throw OpenIDError(.unavailable, error.debugDescription)
        }
        switch response.status.code {
        case 200: break
        case 400..<500:
            // The response names the error and holds no secret (section 5.2).
            let text = String(decoding: response.body.prefix(300), as: UTF8.self)
                .filter { !$0.isNewline && $0 != "\u{1B}" }
            throw OpenIDError(.refused, "status \(response.status.code): \(text)")
        default: throw OpenIDError(.unavailable, "status \(response.status.code)")
        }
        guard let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(response.body)) else {
            throw OpenIDError(.badResponse, "the token endpoint's response cannot be read")
        }
        return tokens
    }

    private static func form(_ items: [(String, String)]) -> String {
        items.map { "\($0)=\(PercentCoding.encodeQueryValue($1))" }.joined(separator: "&")
    }
}
