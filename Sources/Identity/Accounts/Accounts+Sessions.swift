public import FaveGames
public import Foundation
import Storage
import StorageWrites

/// The new tokens of an API client. They must never be logged.
public struct SessionTokens: Sendable {
    public let user: User
    public let accessToken: String
    /// How long the access token is valid.
    public let expiresIn: Duration
    public let refreshToken: String
    /// What an app may do; `nil` for a user's own session, which allows everything.
    public let scopes: Set<TokenScope>?
}

extension Accounts {
    // MARK: Browsers

    /// Opens a browser session, always with a new token, and ends the browser's previous session.
    ///
    /// - Parameter device: The browser's secret, which distinguishes its later sign-in attempts
    ///   from those of others.
    /// - Throws: `AccountError.wrongCredentials` if the account has changed since the proof.
    public func openBrowserSession(
        _ proof: Proof, from origin: SessionOrigin, in device: SecretToken,
        replacing old: SecretToken?
    ) async throws -> SecretToken {
        let token = SecretToken()
        let id = try await store.openSession(
            .browser, userID: proof.user.id, tokenHash: token.hash, origin: origin,
            by: proof.means, lifetime: policy.sessionLifetime)
        guard id != nil else { throw AccountError.wrongCredentials }
        if let old { try await store.endSession(tokenHash: old.hash) }
        try await store.rememberDevice(userID: proof.user.id, tokenHash: device.hash)
        return token
    }

    public func browserSession(_ token: SecretToken) async throws -> BrowserSession? {
        try await store.browserSession(tokenHash: token.hash, lifetime: policy.sessionLifetime)
    }

    // MARK: The API

    /// Opens an API session.
    ///
    /// - Parameter device: The client's secret, if any, as for browsers.
    /// - Throws: `AccountError.wrongCredentials` if the account has changed since the proof.
    public func openSession(
        _ proof: Proof, from origin: SessionOrigin, in device: SecretToken?, ownKeys: OwnKeys
    ) async throws -> SessionTokens {
        guard let key = await ownKeys.current().first else { throw AccountError.busy }
        let refreshToken = RefreshToken()
        let id = try await store.openSession(
            .api, userID: proof.user.id, tokenHash: refreshToken.own.hash,
            familyHash: refreshToken.family.hash, origin: origin,
            by: proof.means,
            lifetime: policy.sessionLifetime)
        guard let id else { throw AccountError.wrongCredentials }
        if let device {
            try await store.rememberDevice(userID: proof.user.id, tokenHash: device.hash)
        }
        return try await tokens(
            OpenSession(id: id, user: proof.user, scopes: nil), refreshToken, key)
    }

    /// The outcome of presenting a refresh token.
    public enum Refreshed: Sendable {
        case refreshed(SessionTokens)
        /// The token is no longer valid, usually because it was used before. Its session has ended.
        case wasSpent(session: UUID)
        case unknown
    }

    /// Exchanges a refresh token for new tokens.
    ///
    /// Each refresh token works once. A later use means that someone has a copy, so it ends the
    /// session (RFC 9700 section 4.14.2). For some seconds it gives the same next token again: the
    /// first response may have been lost on the way.
    ///
    /// - Parameter app: The app that must own the session; `nil` for a user's own session.
    public func refresh(
        _ token: RefreshToken, of app: UUID? = nil, ownKeys: OwnKeys
    ) async throws -> Refreshed {
        guard let key = await ownKeys.current().first else { throw AccountError.busy }
        return try await exchange(token, for: token.next(key.refreshKey), of: app, key)
    }

    /// - Parameter binding: What the app shows if the token is its code.
    func exchange(
        _ token: RefreshToken, for next: RefreshToken, of app: UUID?, binding: [UInt8]? = nil,
        _ key: SigningKey
    ) async throws -> Refreshed {
        let outcome = try await store.refreshSession(
            familyHash: token.family.hash, tokenHash: token.own.hash,
            nextTokenHash: next.own.hash, of: app, binding: binding,
            lifetime: policy.sessionLifetime)
        switch outcome {
        case .refreshed(let session): return .refreshed(try await tokens(session, next, key))
        case .wasSpent(let session): return .wasSpent(session: session)
        case .unknown: return .unknown
        }
    }

    private func tokens(
        _ session: OpenSession, _ refreshToken: RefreshToken, _ key: SigningKey
    ) async throws -> SessionTokens {
        SessionTokens(
            user: session.user,
            accessToken: try await key.token(
                for: session.user.id, session: session.id, scopes: session.scopes,
                lifetime: policy.accessTokenLifetime),
            expiresIn: policy.accessTokenLifetime, refreshToken: refreshToken.text,
            scopes: session.scopes)
    }

    // MARK: Ending

    /// Ends the session of the request.
    public func endSession(_ id: UUID) async throws {
        try await store.endSession(id: id)
    }

    /// Ends one of a user's sessions. If the user doesn't have it, this succeeds, too.
    public func endSession(_ id: UUID, of user: User) async throws {
        try await store.endSession(id: id, of: user.id)
    }

    public func endSessions(of user: User) async throws {
        try await store.endSessions(userID: user.id)
    }
}
