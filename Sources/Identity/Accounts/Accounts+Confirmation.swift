import Attempts
import Crypto
import Encodings
public import FaveGames
import Foundation
import Storage
import StorageWrites

// Making sure that it is the owner who changes a way into an account, and not someone with a stolen
// session or token.
extension Accounts {
    /// Makes sure that the request comes from the account's owner: by the password or, if the
    /// account has no password, by a recent sign-in.
    ///
    /// Attempts have the same limits as sign-ins. They are counted apart from sign-ins by user,
    /// regardless of the username, and together with sign-ins by address.
    ///
    /// - Parameter needsSession: Whether an account without a password must have a session here: a
    ///   leaked token must not be enough.
    /// - Throws: `AccountError.wrongPassword`, `signInNeeded` or `firstPasswordNeedsBrowser`;
    ///   `TooManyAttempts`.
    public func confirm(
        _ bearer: Bearer, _ password: String, needsSession: Bool = false, from address: String
    ) async throws -> Confirmation {
        guard bearer.scopes == nil else { throw AccountError.signInNeeded }
        let user = bearer.user
        guard let hash = try await store.credentials(userID: user.id)?.passwordHash else {
            guard bearer.sessionID != nil || !needsSession else {
                throw AccountError.firstPasswordNeedsBrowser
            }
            let confirmation = Confirmation(userID: user.id, sessionID: bearer.sessionID)
            guard bearer.sessionID != nil || bearer.isFresh,
                try await store.holds(confirmation)
            else { throw AccountError.signInNeeded }
            return confirmation
        }
        let own = Attempt.confirm(user.id)
        try await attempt(from: address)
        try await attempts.count(own, policy.attemptsPerName)
        let verification = try await hashing {
            try await hasher.verify(password, against: hash, for: share(of: address))
        }
        guard verification.matches else { throw AccountError.wrongPassword }
        try await attempts.forgiveAll(own)
        try await forgiveFrom(address)
        return Confirmation(userID: user.id, sessionID: bearer.sessionID, passwordHash: hash)
    }

    /// Writes what was confirmed.
    ///
    /// - Throws: `AccountError.changedMeanwhile` or `signInNeeded` if the confirmation no longer
    ///   holds, and what `write` throws.
    func write<Result>(
        _ confirmation: Confirmation, _ write: (Confirmation) async throws -> Result
    ) async throws -> Result {
        do {
            return try await write(confirmation)
        } catch is ConfirmationLapsedError {
            throw confirmation.passwordDigest == nil
                ? AccountError.signInNeeded : AccountError.changedMeanwhile
        }
    }
}

extension Confirmation {
    init(userID: UUID, sessionID: UUID?, passwordHash: String) {
        self.init(
            userID: userID, sessionID: sessionID,
            passwordDigest: Array(SHA256.hash(data: Data(passwordHash.utf8))))
    }

    /// Whether it was given in the session of this request.
    public func isOf(_ bearer: Bearer) -> Bool {
        userID == bearer.user.id && sessionID == bearer.sessionID
    }

    /// For what is finished by a later request. It is to be signed before a browser carries it.
    public var text: String {
        [
            userID.uuidString, sessionID?.uuidString ?? "", Base64URL.encode(passwordDigest ?? []),
        ].joined(separator: ",")
    }

    /// - Returns: `nil` if the text is not one that `text` made.
    public init?(text: some StringProtocol) {
        let parts = String(text).split(separator: ",", omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 3, let userID = UUID(uuidString: parts[0]),
            let digest = Base64URL.decode(parts[2].utf8)
        else { return nil }
        let sessionID = UUID(uuidString: parts[1])
        guard sessionID != nil || parts[1].isEmpty else { return nil }
        self.init(
            userID: userID, sessionID: sessionID,
            passwordDigest: digest.isEmpty ? nil : Array(digest))
    }
}
