import Crypto
import Encodings
public import FaveGames
public import Foundation
import Storage
import StorageWrites

/// What an app's code is bound to: the app must show the same again with it.
public struct CodeBinding: Sendable {
    public let app: UUID
    /// Where the person was sent back to.
    public let redirect: String
    /// The SHA-256 of the app's verifier in base64url: RFC 7636 section 4.2.
    let challenge: String

    /// - Returns: `nil` if the challenge is not a digest.
    public init?(app: UUID, redirect: String, challenge: String) {
        guard SecretToken(challenge) != nil else { return nil }
        self.app = app
        self.redirect = redirect
        self.challenge = challenge
    }

    /// - Returns: `nil` if the verifier is malformed: RFC 7636 section 4.1.
    public init?(app: UUID, redirect: String, verifier: String) {
        guard
            verifier.consists(
                of: { $0.isASCIILetter || $0.isASCIIDigit || "-._~".utf8.contains($0) },
                bytes: 43...128)
        else { return nil }
        self.app = app
        self.redirect = redirect
        challenge = Base64URL.encode(SHA256.hash(data: Data(verifier.utf8)))
    }

    var digest: [UInt8] {
        Array(SHA256.hash(data: Data("\(app.uuidString)\n\(challenge)\n\(redirect)".utf8)))
    }
}

// Apps that people can let use their account. An app has a session of its own, which lasts, is renewed
// and ends as others do.
extension Accounts {
    /// How long a code is valid, in seconds: RFC 6749 section 4.1.2.
    static let codeLifetime = 60

    /// - Throws: `AccountError.tooManyApps`; `RefusedText`.
    public func register(
        _ name: TokenName, address: String, redirects: [String], by user: User
    ) async throws {
        try policy.refusedWords.check([name.text])
        let app = try await store.makeApp(
            of: user.id, name: name.text, address: address, redirects: redirects)
        guard app != nil else { throw AccountError.tooManyApps }
    }

    /// Removes an app that a user has registered. If it doesn't exist, this succeeds, too.
    public func removeApp(_ id: UUID, of user: User) async throws {
        _ = try await store.removeApp(id, of: user.id)
    }

    /// Lets an app use an account.
    ///
    /// - Parameter bearer: Someone with a browser's session.
    /// - Returns: The code for the app; `nil` if the session or the app is gone.
    public func letIn(
        _ binding: CodeBinding, scopes: Set<TokenScope>, to bearer: Bearer,
        from origin: SessionOrigin
    ) async throws -> String? {
        guard let session = bearer.sessionID, bearer.scopes == nil else { return nil }
        let code = RefreshToken()
        let isOpen = try await store.openAppSession(
            of: binding.app, userID: bearer.user.id, allowedBy: session, scopes: scopes,
            codeHash: code.own.hash, familyHash: code.family.hash, binding: binding.digest,
            origin: origin, lifetime: Self.codeLifetime)
        return isOpen ? code.text : nil
    }

    /// Exchanges an app's code for its first tokens, once. A second use, or a use with other
    /// values than the code is bound to, means that the code has leaked, and ends the session.
    public func redeem(
        _ code: RefreshToken, _ binding: CodeBinding, ownKeys: OwnKeys
    ) async throws -> Refreshed {
        guard let key = await ownKeys.current().first else { throw AccountError.busy }
        return try await exchange(
            code, for: code.redeemed(), of: binding.app, binding: binding.digest, key)
    }

    /// Ends an app's session that one of its tokens names. If there is none, this succeeds, too.
    ///
    /// - Parameter bearer: The user of the token if it is an access token.
    public func revoke(_ token: String, of app: UUID, bearer: Bearer?) async throws {
        try await store.endSession(
            id: bearer?.sessionID, familyHash: RefreshToken(token)?.family.hash, of: app)
    }
}
