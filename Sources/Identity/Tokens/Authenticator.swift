public import FaveGames
public import Foundation
public import Storage

/// The user, and the session if any, that a bearer token speaks for.
public struct Bearer: Sendable {
    public let user: User
    /// The session that the token belongs to, if it is one of our own tokens and names a session.
    public var sessionID: UUID?
    /// What a personal token or an app's access token allows; `nil` for everything.
    public var scopes: Set<TokenScope>?
    /// When the user signed in, according to a token without a session here.
    var signedInAt: Date?

    /// Someone with a session here.
    public init(user: User, sessionID: UUID) {
        self.user = user
        self.sessionID = sessionID
    }

    fileprivate init(user: User, scopes: Set<TokenScope>) {
        self.user = user
        self.scopes = scopes
    }

    fileprivate init(user: User, claims: TokenClaims) {
        self.user = user
        let isOwn = claims.issuer == SigningKey.issuer
        sessionID = isOwn ? claims.sessionID : nil
        scopes = isOwn ? claims.scopes : nil
        signedInAt = (claims.authenticatedAt ?? claims.issuedAt).map {
            Date(timeIntervalSince1970: $0)
        }
    }

    /// Whether the token says that the user has just signed in.
    var isFresh: Bool {
        signedInAt.map { Date().timeIntervalSince($0) < Double(Confirmation.freshness) } ?? false
    }
}

/// Finds the user that a bearer token speaks for, and creates one for a new subject. Each loop has
/// its own authenticator.
public struct Authenticator: Sendable {
    private let verifier: TokenVerifier
    private let accounts: Accounts

    init(verifier: TokenVerifier, accounts: Accounts) {
        self.verifier = verifier
        self.accounts = accounts
    }

    /// The same, but users are read from this store, which belongs to the same loop.
    public func reading(from store: Store) -> Authenticator {
        Authenticator(verifier: verifier, accounts: accounts.reading(from: store))
    }

    /// - Returns: `nil` if the token is invalid, if its user is gone or disabled, or if its session
    ///   has ended.
    /// - Throws: `AccountError.signUpClosed` for a new subject while sign-up is closed;
    ///   `PostgresError`.
    /// - Parameter makesUser: Whether a new subject gets a user.
    public func bearer(token: String, makesUser: Bool = true) async throws -> Bearer? {
        if let token = PersonalToken(token) { return try await bearer(token) }
        guard let claims = await verifier.verify(token) else { return nil }
        guard claims.issuer == SigningKey.issuer else {
            return try await bearer(claims, makesUser: makesUser)
        }
        guard let id = UUID(uuidString: claims.subject),
            let user = try await accounts.store.bearer(userID: id, sessionID: claims.sessionID)
        else { return nil }
        return Bearer(user: user, claims: claims)
    }

    /// Whether a token that speaks for no user isn't wrong: it is a new subject's of a trusted issuer, or its
    /// issuer's keys can't be fetched at the moment.
    public func isOfStranger(_ token: String) async throws -> Bool {
        guard let claims = await verifier.verify(token) else {
            return await verifier.lacksKeys(for: token)
        }
        guard claims.issuer != SigningKey.issuer else { return false }
        return try await accounts.store.user(issuer: claims.issuer, subject: claims.subject) == nil
    }

    /// The list of the user that the token speaks for. For one of our own access tokens, this takes no
    /// more round trips than `bearer`.
    ///
    /// - Returns: As `bearer`, with what the token allows; `nil` for everything.
    /// - Throws: As `bearer`.
    public func list(
        token: String, makesUser: Bool = true
    ) async throws -> (list: FaveList, scopes: Set<TokenScope>?)? {
        let bearer: Bearer?
        if let token = PersonalToken(token) {
            bearer = try await self.bearer(token)
        } else {
            guard let claims = await verifier.verify(token) else { return nil }
            if claims.issuer == SigningKey.issuer {
                guard let id = UUID(uuidString: claims.subject) else { return nil }
                return try await accounts.store.list(bearer: id, sessionID: claims.sessionID)
                    .map { ($0, claims.scopes) }
            }
            bearer = try await self.bearer(claims, makesUser: makesUser)
        }
        guard let bearer else { return nil }
        return try await accounts.store.list(userID: bearer.user.id).map { ($0, bearer.scopes) }
    }

    private func bearer(_ token: PersonalToken) async throws -> Bearer? {
        try await accounts.store.personalBearer(tokenHash: token.hash).map {
            Bearer(user: $0.user, scopes: $0.scopes)
        }
    }

    /// The user that another issuer's token speaks for.
    private func bearer(_ claims: TokenClaims, makesUser: Bool) async throws -> Bearer? {
        guard makesUser else {
            let user = try await accounts.store.user(
                issuer: claims.issuer, subject: claims.subject)
            return user.flatMap { $0.isDisabled ? nil : Bearer(user: $0, claims: claims) }
        }
        do {
            let user = try await accounts.user(
                ofToken: ProviderIdentity(issuer: claims.issuer, subject: claims.subject),
                issuedAt: Date(timeIntervalSince1970: claims.issuedAt ?? 0))
            return Bearer(user: user, claims: claims)
        } catch AccountError.disabled, AccountError.gone {
            return nil
        }
    }
}
