import Foundation
import HTTPClient
import HTTPTypes
import Logging
import Sockets
import Work

/// The metadata that an issuer publishes: OpenID Connect Discovery 1.0, section 3.
struct ProviderMetadata: Sendable, Decodable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let userinfoEndpoint: String?
    let jwksURI: String
    let tokenEndpointAuthMethods: [String]?
    let idTokenAlgorithms: [String]?
    /// Whether each response of the authorization endpoint names the issuer (RFC 9207 section 3).
    let announcesIssuer: Bool?

    enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case userinfoEndpoint = "userinfo_endpoint"
        case jwksURI = "jwks_uri"
        case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
        case idTokenAlgorithms = "id_token_signing_alg_values_supported"
        case announcesIssuer = "authorization_response_iss_parameter_supported"
    }
}

/// Fetches an issuer's metadata when it is first needed, and caches it for an hour.
struct Discovery: Sendable {
    private let issuer: String
    private let metadata: Cached<ProviderMetadata>
    private let fetch: @Sendable () async throws -> ProviderMetadata

    /// - Parameter client: Belongs to `loop`.
    init(issuer: String, client: HTTPClient, loop: EventLoop, logger: Logger) {
        self.issuer = issuer
        let fetch: @Sendable () async throws -> ProviderMetadata = {
            try await Self.fetch(issuer, client)
        }
        self.fetch = fetch
        metadata = Cached(
            CacheTerms(
                name: "metadata of \(issuer)", loop: loop, logger: logger,
                attemptInterval: .seconds(5)), load: fetch)
    }

    /// Fetches the metadata now, and says what is wrong.
    func check() async throws(OpenIDError) -> ProviderMetadata {
        do {
            return try await fetch()
        } catch {
            throw OpenIDError(wrapping: error)
        }
    }

    /// The metadata. If the issuer does not respond now, this is the metadata that it last returned.
    func load() async throws(OpenIDError) -> ProviderMetadata {
        guard let metadata = await metadata.value() else {
            throw OpenIDError(.unavailable, "no metadata of \(issuer)")
        }
        return metadata
    }

    private static func fetch(
        _ issuer: String, _ client: HTTPClient
    ) async throws -> ProviderMetadata {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let response = try await client.send(
            ClientRequest(
                .get, base + "/.well-known/openid-configuration",
                headerFields: [.accept: "application/json"], timeout: .seconds(5),
                maximumResponseBytes: 1 << 18))
        guard response.status == .ok else {
            throw OpenIDError(
                .unavailable, "its metadata responds with status \(response.status.code)")
        }
        let metadata: ProviderMetadata
        do {
            metadata = try JSONDecoder().decode(ProviderMetadata.self, from: Data(response.body))
        } catch {
            let summary = (error as? DecodingError)?.summary ?? "it is no JSON"
            throw OpenIDError(.badResponse, "the document can't be used: \(summary)")
        }
        // Section 4.3: otherwise anyone could speak for the issuer.
        guard metadata.issuer == issuer else {
            throw OpenIDError(.badResponse, "the document is of \(metadata.issuer)")
        }
        let endpoints =
            [metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.jwksURI]
            + [metadata.userinfoEndpoint].compactMap { $0 }
        // An issuer that uses TLS must not send us, or our secret, to an endpoint without TLS.
        let scheme = issuer.hasPrefix("https:") ? ["https://"] : ["https://", "http://"]
        for endpoint in endpoints where !scheme.contains(where: endpoint.hasPrefix) {
            throw OpenIDError(.badResponse, "the endpoint \(endpoint) is not safe")
        }
        return metadata
    }
}
