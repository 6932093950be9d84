public import Attempts
import Encodings
public import FaveGames
public import Foundation
import HTTP
import Sockets
public import Storage
import StorageWrites
import Work

/// Signs people up and in, and changes and deletes their accounts. Each loop has its own instance.
///
/// Methods throw `AccountError`, `NewPassword.Weakness` and `PostgresError`. Those that take the
/// address of a request limit the attempts from that address, and throw `TooManyAttempts`. It is an IPv4 address or an IPv6
/// network; the sites of such a network have limits, too. An empty address means that it is unknown;
/// then no limit per address applies.
public struct Accounts: Sendable {
    private(set) var store: Store
    let hasher: PasswordHasher
    public private(set) var attempts: AttemptCounter
    public let policy: AccountPolicy

    public init(store: Store, hasher: PasswordHasher, ownKeys: OwnKeys, policy: AccountPolicy) {
        self.store = store
        self.hasher = hasher
        attempts = AttemptCounter(store) {
            guard let key = await ownKeys.current().first else { throw AccountError.busy }
            return key.digestKey
        }
        self.policy = policy
    }

    /// The same, but users are read from this store, which belongs to the same loop.
    public func reading(from store: Store) -> Accounts {
        var accounts = self
        accounts.store = store
        accounts.attempts = attempts.reading(from: store)
        return accounts
    }

    /// A user who has just proved their identity.
    public struct Proof: Sendable {
        public let user: User
        let means: SignInMeans
    }

    // MARK: Signing up and in

    /// Creates an account with a password.
    ///
    /// - Parameters:
    ///   - invitation: Used up if people need one.
    public func signUp(
        _ username: Username, password: String, invitation: SecretToken? = nil,
        from address: String
    ) async throws -> Proof {
        guard policy.hasLocalAccounts else { throw AccountError.noLocalAccounts }
        let admission = try await admission(with: invitation)
        let name = username.description
        // Checked before hashing the password, which costs more than everything else here.
        try await checkIsAvailable(username)
        let password = try NewPassword(password, for: name)
        try await attempts.count(from: address, policy.signUpsPerAddress) { .signUpFrom($0) }
        let hash = try await hash(password, for: address)
        let user = try await admitting {
            try await store.makeUser(
                username: username, passwordHash: hash, admission: admission)
        }
        guard let user else { throw AccountError.usernameTaken(name) }
        return Proof(user: user, means: .password(hash: hash))
    }

    /// Verifies a name and a password.
    ///
    /// A failure takes the same time and gives the same error whether the name or the password is
    /// wrong. The exception is a stored hash with higher costs than today's: verifying it takes
    /// longer until its owner has signed in, which renews the hash.
    ///
    /// - Parameter device: The secret of a browser. If it was used for a successful sign-in to the
    ///   account before, its attempts are counted apart from all others: nobody else can use them
    ///   up.
    public func signIn(
        _ username: String, password: String, from address: String, device: SecretToken? = nil
    ) async throws -> Proof {
        guard policy.hasLocalAccounts else { throw AccountError.noLocalAccounts }
        let name = Username(username)
        let shown = name?.description ?? username
        let attempt = try await attemptSignIn(shown, from: address, device: device)
        let credentials =
            if let name {
                try await store.credentials(username: name.description)
            } else {
                Credentials?.none
            }
        let verification = try await hashing {
            try await hasher.verify(
                password, against: credentials?.passwordHash, for: share(of: address))
        }
        guard verification.matches, let credentials, let hash = credentials.passwordHash else {
            throw AccountError.wrongCredentials
        }
        // Only a person who knows the password learns this.
        try await refuseDisabled(credentials.user)
        try await forgive(attempt)
        return Proof(
            user: credentials.user,
            means: .password(
                hash: verification.needsRenewal
                    ? try await renew(password, hash, credentials.user, address) : hash))
    }

    /// Hashes a verified password again, with today's costs.
    ///
    /// - Returns: The hash that is stored afterwards; the old one if hashing fails.
    private func renew(
        _ password: String, _ hash: String, _ user: User, _ address: String
    ) async throws -> String {
        guard let renewed = try? await hasher.hash(password, for: share(of: address)) else {
            return hash
        }
        if try await store.renewPasswordHash(userID: user.id, from: hash, to: renewed) {
            return renewed
        }
        // Another request replaced the hash first. Its hash is fine if it is of the same password.
        let stored = try await store.credentials(userID: user.id)?.passwordHash
        let verification = try await hashing {
            try await hasher.verify(password, against: stored, for: share(of: address))
        }
        guard let stored, verification.matches else { throw AccountError.wrongCredentials }
        return stored
    }

    /// The user with an identity that an issuer has proved, if any.
    private func user(of identity: ProviderIdentity) async throws -> User? {
        let user = try await store.user(issuer: identity.issuer, subject: identity.subject)
        if let user { try await refuseDisabled(user) }
        return user
    }

    /// - Throws: `AccountError.disabled` or `AccountError.suspended` for a disabled account. Called
    ///   only after the owner has proved their identity.
    func refuseDisabled(_ user: User) async throws {
        guard user.isDisabled else { return }
        guard let suspension = try await store.suspension(userID: user.id),
            suspension.until != nil || !suspension.reason.isEmpty
        else { throw AccountError.disabled }
        throw AccountError.suspended(until: suspension.until, reason: suspension.reason)
    }

    /// Makes sure that an account may be made for an identity.
    ///
    /// - Parameter moment: When the identity was proved, by this process's clock. No account is made
    ///   for an identity that was given up since then.
    private func allowSignUp(
        with identity: ProviderIdentity, provedAt moment: Date
    ) async throws {
        let isRetired = try await store.isRetired(
            issuer: identity.issuer, subject: identity.subject,
            inLast: .seconds(min(max(0, Date().timeIntervalSince(moment)), 1e9)))
        guard !isRetired else { throw AccountError.gone }
    }

    /// The user that a trusted issuer's token speaks for. When its subject is first seen, the user
    /// is created with a neutral name and an unlisted list, because the person was not asked.
    func user(ofToken identity: ProviderIdentity, issuedAt: Date) async throws -> User {
        if let user = try await user(of: identity) { return user }
        let admission = try await admission(with: nil)
        try await allowSignUp(with: identity, provedAt: issuedAt)
        return try await store.makeUser(
            issuer: identity.issuer, subject: identity.subject, admission: admission
        ) {
            Username.suggestion(from: nil, attempt: $0)
        }
    }

    /// Counts a return from a provider as an attempt from the address. Called before the provider
    /// is asked.
    public func attemptProvider(from address: String) async throws {
        try await attempt(from: address)
    }

    /// Takes that attempt back once the provider has proved the person's identity.
    public func forgiveProvider(from address: String) async throws {
        try await forgiveFrom(address)
    }

    /// Signs in the user with an identity that a provider has proved.
    ///
    /// - Parameter invitation: Their invitation, if any, in case they have no account yet.
    /// - Returns: `nil` if they have no account yet, and may make one with `signUp`.
    public func signIn(
        with identity: ProviderIdentity, invitation: SecretToken? = nil
    ) async throws -> Proof? {
        if let user = try await user(of: identity) {
            return Proof(user: user, means: identity.means)
        }
        _ = try await admission(with: invitation)
        return nil
    }

    /// Creates an account for someone whose identity a provider has proved. If it was just created,
    /// because the form was sent twice, they are signed in to it.
    ///
    /// - Parameter moment: When the identity was proved.
    public func signUp(
        with identity: ProviderIdentity, provedAt moment: Date, as username: Username,
        displayName: DisplayName, visibility: Visibility, invitation: SecretToken? = nil,
        from address: String
    ) async throws -> Proof {
        if let user = try await user(of: identity) {
            // An older account asks the provider again: the proof of the identity was retained only
            // for choosing a name, not for signing in.
            guard try await store.isJustMade(userID: user.id) else { throw AccountError.gone }
            return Proof(user: user, means: identity.means)
        }
        let admission = try await admission(with: invitation)
        try await allowSignUp(with: identity, provedAt: moment)
        let name = username.description
        try policy.refusedWords.check([displayName.text])
        try await checkIsAvailable(username)
        try await attempts.count(from: address, policy.signUpsPerAddress) { .signUpFrom($0) }
        let user = try await admitting {
            try await store.makeUser(
                issuer: identity.issuer, subject: identity.subject, username: username,
                displayName: displayName.text, visibility: visibility, admission: admission)
        }
        guard let user else { throw AccountError.usernameTaken(name) }
        return Proof(user: user, means: identity.means)
    }

    /// A username that is currently free, as a suggestion for a new user.
    public func freeUsername(for identity: ProviderIdentity) async throws -> Username {
        for attempt in 0..<4 {
            let name = Username.suggestion(from: identity.suggestedName, attempt: attempt)
            if try await store.isFree(name) { return name }
        }
        return Username.suggestion(
            from: identity.suggestedName, attempt: Int.random(in: 1000...999_999))
    }

    // MARK: The user's own account

    /// Whether the user's account has a password.
    public func hasPassword(_ user: User) async throws -> Bool {
        try await store.credentials(userID: user.id)?.passwordHash != nil
    }

    /// Sets or changes a password, which ends all sessions.
    ///
    /// - Parameter current: Must be the account's present password; ignored for an account without
    ///   a password.
    /// - Throws: What `confirm` throws; `AccountError.changedMeanwhile`.
    public func changePassword(
        of bearer: Bearer, from current: String, to new: String, address: String
    ) async throws -> Proof {
        guard policy.hasLocalAccounts else { throw AccountError.noLocalAccounts }
        let user = bearer.user
        let password = try NewPassword(new, for: user.username)
        let confirmation = try await confirm(bearer, current, needsSession: true, from: address)
        try await attempts.count(.passwordChange(user.id), policy.passwordChanges)
        let hash = try await hash(password, for: address)
        try await write(confirmation) {
            try await store.setPassword(hash: hash, confirmedBy: $0)
        }
        return Proof(user: user, means: .password(hash: hash))
    }

    /// Deletes an account and everything that belongs to it.
    ///
    /// - Parameter password: Must be correct if the account has a password.
    /// - Throws: What `confirm` throws; `AccountError.changedMeanwhile`.
    public func delete(_ bearer: Bearer, password: String, address: String) async throws {
        try await write(confirm(bearer, password, from: address)) {
            try await store.deleteUser(confirmedBy: $0)
        }
    }

    /// Links an identity that a provider has proved, so that the user can sign in with it.
    ///
    /// - Parameter confirmation: From before the browser went to the provider.
    public func link(
        _ identity: ProviderIdentity, confirmedBy confirmation: Confirmation
    ) async throws {
        let outcome = try await write(confirmation) {
            try await store.link(
                issuer: identity.issuer, subject: identity.subject, confirmedBy: $0)
        }
        switch outcome {
        case .linked, .linkedBefore: return
        case .isAnothers: throw AccountError.identityTaken
        case .tooMany: throw AccountError.tooManyIdentities
        }
    }

    /// - Parameters:
    ///   - issuers: The issuers of the providers that people can sign in with.
    ///   - hasPasskeys: Whether people can sign in with passkeys.
    public func unlink(
        _ identityID: UUID, from user: User, issuers: [String], hasPasskeys: Bool
    ) async throws {
        let isUnlinked = try await store.unlink(
            userID: user.id, identityID: identityID, countsPassword: policy.hasLocalAccounts,
            countsPasskeys: hasPasskeys, issuers: issuers)
        guard isUnlinked else { throw AccountError.lastIdentity }
    }

    /// The name under which requests from an address take turns at hashing.
    func share(of address: String) -> String {
        IPNetwork(address)?.site?.description ?? address
    }

    func hash(_ password: NewPassword, for address: String) async throws -> String {
        try await hashing { try await hasher.hash(password, for: share(of: address)) }
    }

    func hashing<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch is WorkerPool.BusyError {
            throw AccountError.busy
        }
    }
}
