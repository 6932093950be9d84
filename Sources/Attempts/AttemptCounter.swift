public import Crypto
import Encodings
public import FaveGames
public import Foundation
import Sockets
public import Storage
import StorageWrites

/// Counts attempts in the database, for all servers together, and refuses those beyond a limit.
/// Each loop has its own counter.
///
/// The address of a request is an IPv4 address or an IPv6 network; the sites of such a network have
/// limits, too. An empty address means that it is unknown; then no limit per address applies.
public struct AttemptCounter: Sendable {
    private let store: Store
    private let key: @Sendable () async throws -> SymmetricKey

    /// - Parameter key: The key of the digests, which all servers have.
    public init(_ store: Store, key: @escaping @Sendable () async throws -> SymmetricKey) {
        self.store = store
        self.key = key
    }

    public func reading(from store: Store) -> AttemptCounter { AttemptCounter(store, key: key) }

    /// - Throws: `TooManyAttempts`.
    public func count(_ attempt: Attempt, _ limit: AttemptLimit) async throws {
        if let wait = try await store.attempt(digest(of: attempt), limit: limit) {
            throw TooManyAttempts(retryAfter: max(1, Int((wait / .seconds(1)).rounded(.up))))
        }
    }

    /// Counts an attempt from an address, and from the sites that it is part of. An attempt that is
    /// refused to the address doesn't use up what its neighbours may do.
    ///
    /// - Throws: `TooManyAttempts`.
    public func count(
        from address: String, _ limit: AttemptLimit, _ attempt: (String) -> Attempt
    ) async throws {
        for (author, limit) in Self.authors(address, limit) {
            try await count(attempt(author), limit)
        }
    }

    /// Takes an attempt back.
    public func forgive(_ attempt: Attempt, _ limit: AttemptLimit) async throws {
        try await store.forgiveAttempt(digest(of: attempt), limit: limit)
    }

    /// Takes an attempt from an address back.
    public func forgive(
        from address: String, _ limit: AttemptLimit, _ attempt: (String) -> Attempt
    ) async throws {
        for (author, limit) in Self.authors(address, limit) {
            try await forgive(attempt(author), limit)
        }
    }

    public func forgiveAll(_ attempt: Attempt) async throws {
        try await store.forgiveAttempts(digest(of: attempt))
    }

    /// The digest that is stored instead of the attempt and its author. It is made with a key that
    /// all servers have: without it, anyone who reads the digests could find the IPv4 addresses in
    /// minutes. The key is derived from `signing_keys`, so this doesn't help against a reader of
    /// that table. When the operator rotates keys, all counts begin again.
    public func digest(of attempt: Attempt) async throws -> String {
        let digest = HMAC<SHA256>.authenticationCode(
            for: Data(attempt.text.utf8), using: try await key())
        return Base64URL.encode(digest.prefix(18))
    }

    /// An address and the sites that it is part of, with their limits, the narrowest first.
    public static func authors(
        _ address: String, _ limit: AttemptLimit
    ) -> [(author: String, limit: AttemptLimit)] {
        guard !address.isEmpty else { return [] }
        let sites = IPNetwork(address)?.sites ?? []
        return [(address, limit)]
            + sites.map { ($0.network.description, limit.times($0.allowance)) }
    }
}

/// A kind of attempt and its author. Only their digest is stored.
public struct Attempt: Sendable {
    fileprivate let text: String

    /// - Parameter what: The same for all attempts of a kind, and for no others.
    public init(_ what: String, _ who: String) {
        text = "\(what)\n\(who.lowercased())"
    }

    public init(_ what: String, _ user: UUID) { self.init(what, user.uuidString) }
}

/// An attempt was beyond its limit.
public struct TooManyAttempts: Error {
    /// In whole seconds.
    public let retryAfter: Int
}
