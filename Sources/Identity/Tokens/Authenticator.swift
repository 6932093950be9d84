import FaveGames
import Foundation
import Storage

/// The user, and the session if any, that a bearer token speaks for.
public struct Bearer: Sendable {
    public let user: User
    /// The session that the token belongs to, if it is one of our own tokens and names a session.
    public let sessionID: UUID?
}

/// Finds the user that a bearer token speaks for, and creates one for a new subject. Each loop has
/// an authenticator.
public struct Authenticator: Sendable {
    private let verifier: TokenVerifier
    private let accounts: Accounts

    init(verifier: TokenVerifier, accounts: Accounts) {
        self.verifier = verifier
        self.accounts = accounts
    }

    /// - Returns: `nil` if the token is invalid, if its user is gone or disabled, or if its session
    ///   has ended.
    /// - Throws: `AccountError.signUpClosed` for a new subject while sign-up is closed;
    ///   `PostgresError`.
    public func bearer(token: String) async throws -> Bearer? {
        guard let claims = await verifier.verify(token) else { return nil }
        guard claims.issuer == SigningKey.issuer else {
            return try await bearer(claims)
        }
        guard let id = UUID(uuidString: claims.subject),
            let user = try await accounts.store.bearer(userID: id, sessionID: claims.sessionID)
        else { return nil }
        return Bearer(user: user, sessionID: claims.sessionID)
    }

    /// The list of the user that the token speaks for. For one of our own tokens, this takes no more
    /// round trips than `bearer`.
    ///
    /// - Returns: As `bearer`.
    /// - Throws: As `bearer`.
    public func list(token: String) async throws -> FaveList? {
        guard let claims = await verifier.verify(token) else { return nil }
        guard claims.issuer == SigningKey.issuer else {
            guard let bearer = try await bearer(claims) else { return nil }
            return try await accounts.store.list(userID: bearer.user.id)
        }
        guard let id = UUID(uuidString: claims.subject) else { return nil }
        return try await accounts.store.list(bearer: id, sessionID: claims.sessionID)
    }

    /// The user that another issuer's token speaks for.
    private func bearer(_ claims: TokenClaims) async throws -> Bearer? {
        do {
            let user = try await accounts.user(
                ofToken: ProviderIdentity(issuer: claims.issuer, subject: claims.subject),
                issuedAt: Date(timeIntervalSince1970: claims.issuedAt ?? 0))
            return Bearer(user: user, sessionID: nil)
        } catch AccountError.disabled, AccountError.gone {
            return nil
        }
    }
}
