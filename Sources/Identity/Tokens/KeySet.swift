import Foundation
import HTTPClient
import HTTPTypes
import Logging
import Sockets
import Work

/// The keys of one issuer: fixed, or loaded from elsewhere and cached.
struct KeySet: Sendable {
    private enum Keys: Sendable {
        case fixed([VerificationKey])
        case loaded(Cached<[VerificationKey]>, load: @Sendable () async throws -> [VerificationKey])
    }

    private let keys: Keys

    init(_ keys: [VerificationKey]) {
        self.keys = .fixed(keys)
    }

    /// - Parameter terms: How the set is cached. Its `attemptInterval` limits how often an unknown
    ///   key makes us load the set again: four times a minute by default.
    /// - Parameter load: Loads the set. An empty set counts as a failure.
    init(
        _ terms: CacheTerms,
        load: @escaping @Sendable () async throws -> [VerificationKey]
    ) {
        let loadKeys: @Sendable () async throws -> [VerificationKey] = {
            let keys = try await load()
            guard !keys.isEmpty else {
                throw OpenIDError(
                    .badResponse,
                    """
                    its key set has no public key that verifies tokens \
                    (\(VerificationKey.algorithmList)); a provider that signs with HS256 publishes none
                    """)
            }
            return keys
        }
        keys = .loaded(Cached(terms, load: loadKeys), load: loadKeys)
    }

    /// A key set at an address.
    ///
    /// - Parameters:
    ///   - client: Belongs to the terms' loop.
    ///   - url: Called before each load, because an issuer's metadata may name a new address.
    init(
        _ terms: CacheTerms, client: HTTPClient,
        url: @escaping @Sendable () async throws -> String
    ) {
        self.init(terms) {
            let response = try await client.send(
                ClientRequest(
                    .get, url(), headerFields: [.accept: "application/json"],
                    timeout: .seconds(5), maximumResponseBytes: 1 << 18))
            guard response.status == .ok else {
                throw OpenIDError(
                    .badResponse, "its key set responds with status \(response.status.code)")
            }
            return VerificationKey.read(jwks: Data(response.body))
        }
    }

    /// The keys to try for a token with this key id and algorithm in its header.
    ///
    /// Usually there is one key, but an issuer may give several keys the same id (RFC 7517 section
    /// 4.5). A header without an id is accepted if only one key has the algorithm.
    ///
    /// - Returns: At least one.
    func keys(id: String?, algorithm: String) async throws(TokenFault) -> [VerificationKey] {
        var all: [VerificationKey]
        switch keys {
        case .fixed(let keys): all = keys
        case .loaded(let keys, _):
            all = await keys.value() ?? []
            // The key may be new, so the set is loaded again.
            if Self.find(id, algorithm, among: all).isEmpty { all = await keys.reload() ?? [] }
        }
        let found = Self.find(id, algorithm, among: all)
        guard found.isEmpty else { return found }
        guard !all.isEmpty else { throw .noKeys }
        guard let id else {
            throw .noKeyNamed(algorithm, all.count { $0.algorithm == algorithm })
        }
        throw .unknownKey(id, algorithm, among: all.map { $0.id ?? "" })
    }

    /// Loads the set now, and says what is wrong.
    func check() async throws(OpenIDError) -> [VerificationKey] {
        switch keys {
        case .fixed(let keys): return keys
        case .loaded(_, let load):
            do {
                return try await load()
            } catch {
                throw OpenIDError(wrapping: error)
            }
        }
    }

    /// A number that changes whenever the set has been loaded again.
    func version() async -> Int {
        switch keys {
        case .fixed: 0
        case .loaded(let keys, _): await keys.version()
        }
    }

    private static func find(
        _ id: String?, _ algorithm: String, among keys: [VerificationKey]
    ) -> [VerificationKey] {
        let candidates = keys.filter { $0.algorithm == algorithm }
        if let id {
            let named = candidates.filter { $0.id == id }
            guard named.isEmpty else { return named }
            // A key in PEM form has no id.
            return candidates.count == 1 && candidates[0].id == nil ? candidates : []
        }
        return candidates.count == 1 ? candidates : []
    }
}
