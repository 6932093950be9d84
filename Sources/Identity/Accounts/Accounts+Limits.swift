import Attempts
import Encodings
import FaveGames
import Foundation
import Storage
import StorageWrites

// How often something may be tried.
extension Accounts {
    /// An attempt to sign in that was counted.
    struct SignInAttempt {
        /// Attempts that only the account's owner can use up; `nil` if those aren't counted.
        fileprivate var own: Attempt?
        /// Attempts that others can use up, too.
        fileprivate var shared: [(attempt: Attempt, limit: AttemptLimit)] = []
        fileprivate let address: String
    }

    /// Counts an attempt to sign in.
    ///
    /// - Parameters:
    ///   - name: The username as it was typed, if it can't be one.
    ///   - isByName: Whether attempts with the name are limited, too. A secret that can't be guessed
    ///     needs no such limit, and strangers could use it to lock the owner out.
    func attemptSignIn(
        _ name: String, from address: String, device: SecretToken?, isByName: Bool = true
    ) async throws -> SignInAttempt {
        if let device, try await store.isKnownDevice(username: name, tokenHash: device.hash) {
            let own = Attempt.signIn(name, with: device)
            try await attempts.count(own, policy.attemptsPerName)
            return SignInAttempt(own: own, address: "")
        }
        try await attempt(from: address)
        guard isByName else { return SignInAttempt(address: address) }
        let own = Attempt.signIn(name, from: address)
        let limit = policy.attemptsPerName
        let shared =
            AttemptCounter.authors(address, limit).dropFirst().map { site, limit in
                (attempt: Attempt.signIn(name, from: site), limit: limit)
            } + [(attempt: .signIn(name), limit: policy.attemptsPerNameAnywhere)]
        // In this order: attempts that are refused to one address must not use up the limit for all
        // addresses together.
        try await attempts.count(own, limit)
        for (shared, limit) in shared { try await attempts.count(shared, limit) }
        return SignInAttempt(own: own, shared: shared, address: address)
    }

    /// Takes an attempt back after a person has proved their identity.
    func forgive(_ attempt: SignInAttempt) async throws {
        if let own = attempt.own { try await attempts.forgiveAll(own) }
        for (shared, limit) in attempt.shared { try await attempts.forgive(shared, limit) }
        try await forgiveFrom(attempt.address)
    }

    /// Counts an attempt to guess a secret.
    ///
    /// - Throws: `TooManyAttempts`.
    public func attempt(from address: String) async throws {
        try await attempts.count(from: address, policy.attemptsPerAddress) { .from($0) }
    }

    /// Counts an attempt to guess what was sent with a known key of a repeatable request, which may have
    /// been a password. It is counted for the key, from whatever address it comes.
    ///
    /// - Parameter address: Of someone who isn't signed in, otherwise empty.
    /// - Throws: `TooManyAttempts`.
    public func attemptRepetition(with key: String, from address: String) async throws {
        try await attempt(from: address)
        try await attempts.count(.repetition(key), policy.repetitionsPerKey)
    }

    /// Takes that attempt back, if it was right.
    public func forgiveRepetition(with key: String, from address: String) async throws {
        try await attempts.forgive(.repetition(key), policy.repetitionsPerKey)
        try await forgiveFrom(address)
    }

    func forgiveFrom(_ address: String) async throws {
        try await attempts.forgive(from: address, policy.attemptsPerAddress) { .from($0) }
    }
}

extension Attempt {
    static func from(_ address: String) -> Attempt { Attempt("from", address) }
    static func signUpFrom(_ address: String) -> Attempt { Attempt("sign-up from", address) }
    static func signIn(_ name: String) -> Attempt { Attempt("sign-in", name) }
    static func signIn(_ name: String, from address: String) -> Attempt {
        Attempt("sign-in from \(address)", name)
    }
    static func signIn(_ name: String, with device: SecretToken) -> Attempt {
        Attempt("sign-in with \(Base64URL.encode(device.hash))", name)
    }
    static func repetition(_ key: String) -> Attempt { Attempt("repetition", key) }
    static func confirm(_ user: UUID) -> Attempt { Attempt("confirm", user) }
    static func mailTo(_ address: String) -> Attempt { Attempt("mail to", address) }
    static func invite(_ user: UUID) -> Attempt { Attempt("invite", user) }
    static func mail(_ user: UUID) -> Attempt { Attempt("mail", user) }
    static func reset(_ account: String) -> Attempt { Attempt("reset", account) }
    static func resetFrom(_ address: String) -> Attempt { Attempt("reset from", address) }
    static func passwordChange(_ user: UUID) -> Attempt { Attempt("password", user) }
}
