import FaveGames
public import HTTPClient
public import Logging
public import Sockets
import Work

/// The authorities that we trust to say who someone is: ourselves, and the issuers and providers
/// that the operator trusts. All loops share the realm, with the keys and metadata that it caches.
public struct Realm: Sendable {
    public let ownKeys: OwnKeys
    private let verifier: TokenVerifier
    private let providers: [Provider]
    private let trusted: [TrustedIssuer]

    private struct Provider: Sendable {
        let configuration: OpenIDConfiguration
        let discovery: Discovery
        let keys: KeySet
        let authentication = ClientAuthentication.Accepted()
    }

    /// - Parameters:
    ///   - client: Belongs to `loop`, which fetches keys and metadata for all loops. No address is
    ///     contacted before it is needed.
    /// - Throws: `UnusableKeyError` if configured key material cannot be used.
    public init(
        ownKeys: OwnKeys, trusted: [TrustedIssuerConfiguration],
        providers configurations: [OpenIDConfiguration], client: HTTPClient, loop: EventLoop,
        logger: Logger
    ) async throws {
        self.ownKeys = ownKeys
        // By issuer, for all issuers that publish metadata.
        var discoveries: [String: Discovery] = [:]
        for issuer in configurations.map(\.issuer) + trusted.map(\.issuer)
        where discoveries[issuer] == nil && issuer.hasPrefix("http") {
            discoveries[issuer] = Discovery(
                issuer: issuer, client: client, loop: loop, logger: logger)
        }
        func keySet(
            of issuer: String, at url: @escaping @Sendable () async throws -> String
        ) -> KeySet {
            KeySet(
                CacheTerms(name: "key set of \(issuer)", loop: loop, logger: logger),
                client: client, url: url)
        }
        var providers: [Provider] = []
        for configuration in configurations {
            guard let discovery = discoveries[configuration.issuer] else { continue }
            providers.append(
                Provider(
                    configuration: configuration, discovery: discovery,
                    keys: keySet(of: configuration.issuer) { try await discovery.load().jwksURI }))
        }
        let own = TrustedIssuer(
            issuer: SigningKey.issuer, audience: SigningKey.issuer, keys: ownKeys.keySet)
        var issuers: [TrustedIssuer] = []
        for configuration in trusted {
            let keys: KeySet
            switch configuration.keys {
            case .contents(let text): keys = try KeySet(contents: text)
            case .url(let url): keys = keySet(of: configuration.issuer) { url }
            case .discovered:
                guard let discovery = discoveries[configuration.issuer] else { continue }
                keys =
                    providers.first { $0.configuration.issuer == configuration.issuer }?.keys
                    ?? keySet(of: configuration.issuer) { try await discovery.load().jwksURI }
            }
            issuers.append(
                TrustedIssuer(
                    issuer: configuration.issuer, audience: configuration.audience, keys: keys,
                    refusesIDTokens: true))
        }
        self.providers = providers
        self.trusted = issuers
        verifier = TokenVerifier([own] + issuers)
    }

    /// The providers, to be used on the client's loop.
    public func openIDProviders(client: HTTPClient) -> [OpenIDProvider] {
        providers.map {
            OpenIDProvider(
                $0.configuration, discovery: $0.discovery, keys: $0.keys,
                authentication: $0.authentication, client: client)
        }
    }

    /// Makes sure that the keys of the trusted issuers can be read and used.
    ///
    /// - Returns: What is wrong with each issuer, if anything.
    public func checkTrusted() async -> [(issuer: String, fault: OpenIDError?)] {
        var faults: [(issuer: String, fault: OpenIDError?)] = []
        for issuer in trusted {
            do throws(OpenIDError) {
                _ = try await issuer.keys.check()
                faults.append((issuer.issuer, nil))
            } catch {
                faults.append((issuer.issuer, error))
            }
        }
        return faults
    }

    /// Finds the users of bearer tokens, on the loop of `accounts`.
    public func authenticator(accounts: Accounts) -> Authenticator {
        Authenticator(verifier: verifier, accounts: accounts)
    }
}
