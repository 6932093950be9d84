import Foundation
import HTTPClient
import HTTPTypes
import Logging
import Sockets
import Work

/// The keys of one issuer: fixed, or loaded from somewhere and kept for a while.
struct KeySet: Sendable {
    private enum Keys: Sendable {
        case fixed([VerificationKey])
        case loaded(Cached<[VerificationKey]>)
    }

    private let keys: Keys

    init(_ keys: [VerificationKey]) {
        self.keys = .fixed(keys)
    }

    /// - Parameter terms: How the set is kept. Its interval bounds how often an unknown key makes
    ///   us look: four times a minute, if it says nothing else.
    /// - Parameter load: An empty set is taken for a failure.
    init(
        _ terms: CacheTerms,
        load: @escaping @Sendable () async throws -> [VerificationKey]
    ) {
        keys = .loaded(
            Cached(terms) {
                let keys = try await load()
                guard !keys.isEmpty else {
                    throw OpenIDError(.badAnswer, "no key that can be used")
                }
                return keys
            })
    }

    /// A key set at an address.
    ///
    /// - Parameters:
    ///   - client: Of the terms' loop.
    ///   - url: Asked for each time, as an issuer's metadata may name another one.
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
                throw OpenIDError(.badAnswer, "status \(response.status.code)")
            }
            return await VerificationKey.read(jwks: Data(response.body))
        }
    }

    /// The keys to try for a token, by what its header names. Usually it is one; issuers may give
    /// several the same name (RFC 7517 section 4.5). A header without a name is accepted if only one
    /// key has the algorithm.
    func keys(id: String?, algorithm: String) async -> [VerificationKey] {
        switch keys {
        case .fixed(let keys): return Self.find(id, algorithm, among: keys)
        case .loaded(let keys):
            let found = Self.find(id, algorithm, among: await keys.value() ?? [])
            guard found.isEmpty else { return found }
            // It may be new.
            return Self.find(id, algorithm, among: await keys.reload() ?? [])
        }
    }

    private static func find(
        _ id: String?, _ algorithm: String, among keys: [VerificationKey]
    ) -> [VerificationKey] {
        let candidates = keys.filter { $0.algorithm == algorithm }
        if let id {
            let named = candidates.filter { $0.id == id }
            guard named.isEmpty else { return named }
            // A key file in PEM form has no names.
            return candidates.count == 1 && candidates[0].id == nil ? candidates : []
        }
        return candidates.count == 1 ? candidates : []
    }
}
