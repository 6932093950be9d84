import FaveGames
import Foundation
import Storage

/// What a client of the API signs in with from now on. Never to be logged.
public struct SessionTokens: Sendable {
    public let user: User
    public let accessToken: String
    /// Of the access token.
    public let expiresIn: Duration
    public let refreshToken: String
}

extension Accounts {
    // MARK: Browsers

    /// Opens a browser's session, always with a new token; ends the one that the browser had.
    ///
    /// - Throws: `AccountError.wrongCredentials` if the account has changed since the proof.
    public func openBrowserSession(
        _ proof: Proof, replacing old: SecretToken?
    ) async throws -> SecretToken {
        let token = SecretToken()
        let id = try await store.openSession(
            .browser, userID: proof.user.id, tokenHash: token.hash,
            passwordHash: proof.passwordHash, lifetime: policy.sessionLifetime)
        guard id != nil else { throw AccountError.wrongCredentials }
        if let old { try await store.endSession(tokenHash: old.hash) }
        return token
    }

    public func browserSession(_ token: SecretToken) async throws -> OpenSession? {
        try await store.browserSession(tokenHash: token.hash, lifetime: policy.sessionLifetime)
    }

    // MARK: The API

    /// Opens a session of the API.
    ///
    /// - Throws: `AccountError.wrongCredentials` if the account has changed since the proof.
    public func openSession(_ proof: Proof, ownKeys: OwnKeys) async throws -> SessionTokens {
        let refreshToken = RefreshToken()
        let id = try await store.openSession(
            .api, userID: proof.user.id, tokenHash: refreshToken.own.hash,
            familyHash: refreshToken.family.hash, passwordHash: proof.passwordHash,
            lifetime: policy.sessionLifetime)
        guard let id else { throw AccountError.wrongCredentials }
        return try await tokens(proof.user, id, refreshToken, ownKeys)
    }

    /// What came of showing a refresh token.
    public enum Refreshed: Sendable {
        case refreshed(SessionTokens)
        /// It is an old one: its session has ended.
        case wasSpent(session: UUID)
        case unknown
    }

    /// Exchanges a refresh token for new tokens, once: when one comes a second time someone has a
    /// copy, and the session ends (RFC 9700 section 4.14.2).
    public func refresh(_ token: RefreshToken, ownKeys: OwnKeys) async throws -> Refreshed {
        let next = token.next
        let outcome = try await store.refreshSession(
            familyHash: token.family.hash, tokenHash: token.own.hash,
            nextTokenHash: next.own.hash, lifetime: policy.sessionLifetime)
        switch outcome {
        case .refreshed(let session):
            return .refreshed(try await tokens(session.user, session.id, next, ownKeys))
        case .wasSpent(let session): return .wasSpent(session: session)
        case .unknown: return .unknown
        }
    }

    private func tokens(
        _ user: User, _ session: UUID, _ refreshToken: RefreshToken, _ ownKeys: OwnKeys
    ) async throws -> SessionTokens {
        guard let key = await ownKeys.current().first else { throw AccountError.busy }
        return SessionTokens(
            user: user,
            accessToken: try await key.token(
                for: user.id, session: session, lifetime: policy.accessTokenLifetime),
            expiresIn: policy.accessTokenLifetime, refreshToken: refreshToken.text)
    }
}
