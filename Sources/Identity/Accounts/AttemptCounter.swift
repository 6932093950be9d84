import Crypto
import Encodings
import FaveGames
import Foundation
import Sockets
import Storage
import StorageWrites

/// Counts attempts in the database, for all servers together, and refuses those beyond a limit.
/// Each loop has its own counter.
///
/// The address of a request is an IPv4 address or an IPv6 network; the sites of such a network have
/// limits, too. An empty address means that it is unknown; then no limit per address applies.
public struct AttemptCounter: Sendable {
    private var store: Store
    private let ownKeys: OwnKeys

    init(store: Store, ownKeys: OwnKeys) {
        self.store = store
        self.ownKeys = ownKeys
    }

    func reading(from store: Store) -> AttemptCounter {
        AttemptCounter(store: store, ownKeys: ownKeys)
    }

    /// - Throws: `AccountError.tooManyAttempts`.
    public func count(_ attempts: Attempts, _ limit: AttemptLimit) async throws {
        if let wait = try await store.attempt(digest(of: attempts), limit: limit) {
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            throw AccountError.tooManyAttempts(retryAfter: max(1, seconds))
        }
    }

    /// Counts an attempt from an address, and from the sites that it is part of. An attempt that is
    /// refused to the address doesn't use up what its neighbours may do.
    ///
    /// - Throws: `AccountError.tooManyAttempts`.
    public func count(
        from address: String, _ limit: AttemptLimit, _ attempts: (String) -> Attempts
    ) async throws {
        guard !address.isEmpty else { return }
        try await count(attempts(address), limit)
        for site in Self.sites(of: address) {
            try await count(attempts(site.name), limit.times(site.allowance))
        }
    }

    /// Takes an attempt back.
    func forgive(_ attempts: Attempts, _ limit: AttemptLimit) async throws {
        try await store.forgiveAttempt(digest(of: attempts), limit: limit)
    }

    /// Takes an attempt from an address back.
    func forgive(
        from address: String, _ limit: AttemptLimit, _ attempts: (String) -> Attempts
    ) async throws {
        guard !address.isEmpty else { return }
        try await forgive(attempts(address), limit)
        for site in Self.sites(of: address) {
            try await forgive(attempts(site.name), limit.times(site.allowance))
        }
    }

    func forgiveAll(_ attempts: Attempts) async throws {
        try await store.forgiveAttempts(digest(of: attempts))
    }

    /// The digest that is stored instead of the attempt and its author. It is made with a key that
    /// all servers have: without it, anyone who reads the digests could find the IPv4 addresses in
    /// minutes. The key is derived from `signing_keys`, so this doesn't help against a reader of
    /// that table. When the operator rotates keys, all counts begin again.
    public func digest(of attempts: Attempts) async throws -> String {
        guard let key = await ownKeys.current().first else { throw AccountError.busy }
        let digest = HMAC<SHA256>.authenticationCode(
            for: Data(attempts.text.utf8), using: key.digestKey)
        return Base64URL.encode(digest.prefix(18))
    }

    /// The sites of an IPv6 network, with how many times as much each may try.
    static func sites(of address: String) -> [(name: String, allowance: Int)] {
        (IPNetwork(address)?.sites ?? []).map { ($0.network.description, $0.allowance) }
    }
}

/// A kind of attempt and its author. Only their digest is stored.
public struct Attempts: Sendable {
    fileprivate let text: String

    /// - Parameter what: The same for all attempts of a kind, and for no others.
    public init(_ what: String, _ who: String) {
        text = "\(what)\n\(who.lowercased())"
    }

    public init(_ what: String, _ user: UUID) { self.init(what, user.uuidString) }

    static func from(_ address: String) -> Attempts { Attempts("from", address) }
    static func signUpFrom(_ address: String) -> Attempts { Attempts("sign-up from", address) }
    static func signIn(_ name: String) -> Attempts { Attempts("sign-in", name) }
    static func signIn(_ name: String, from address: String) -> Attempts {
        Attempts("sign-in from \(address)", name)
    }
    static func signIn(_ name: String, with device: SecretToken) -> Attempts {
        Attempts("sign-in with \(Base64URL.encode(device.hash))", name)
    }
    static func repetition(_ key: String) -> Attempts { Attempts("repetition", key) }
    static func confirm(_ user: UUID) -> Attempts { Attempts("confirm", user) }
    static func mailTo(_ address: String) -> Attempts { Attempts("mail to", address) }
    static func invite(_ user: UUID) -> Attempts { Attempts("invite", user) }
    static func mail(_ user: UUID) -> Attempts { Attempts("mail", user) }
    static func reset(_ account: String) -> Attempts { Attempts("reset", account) }
    static func resetFrom(_ address: String) -> Attempts { Attempts("reset from", address) }
    static func passwordChange(_ user: UUID) -> Attempts { Attempts("password", user) }
}
