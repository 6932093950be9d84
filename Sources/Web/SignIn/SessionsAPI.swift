import Endpoints
import HTTPTypes
import Identity
import Languages
import Logging
import Views

/// The API's sessions: a short-lived access token, and a refresh token to get the next pair.
enum SessionsAPI {
    static let routes = [
        Route(
            .post, "/api/v1/sessions",
            .api(
                "signIn", .sessions, "Sign in",
                "With a “deviceSecret”, others who guess passwords can't use up the attempts of a "
                    + "client that has signed in before."),
            takes: .json(Credentials.self),
            returns: .created(V1.tokens, "A new session's tokens.") { _ in "current" },
            fails: ProblemKind.ofSigningIn, costs: .dear
        ) { context, credentials in
            let proof = try await context.services.accounts.signIn(
                credentials.username, password: credentials.password,
                from: context.client.networkName, device: credentials.device)
            return try await context.services.accounts.openSession(
                proof, from: context.origin, in: credentials.device,
                ownKeys: context.services.ownKeys)
        },

        Route(
            .post, "/api/v1/sessions/refresh",
            .api(
                "refresh", .sessions, "Refresh tokens",
                "Using a refresh token twice ends the session, because someone else may have stolen "
                    + "it. Within 30 seconds, it returns the same next refresh token again: send the "
                    + "request again if the response is lost."),
            takes: .credential(.json(Refresh.self)),
            returns: .json(V1.tokens, "The next tokens. The old refresh token is used up."),
            fails: [.invalidRefreshToken], caching: .never
        ) { context, refresh in
            let unknown = Problem.unauthorized(
                .english("The refresh token is not valid. Sign in again."), .invalidRefreshToken)
            guard let token = RefreshToken(refresh.token) else { throw unknown }
            let accounts = context.services.accounts
            switch try await accounts.refresh(token, ownKeys: context.services.ownKeys) {
            case .refreshed(let tokens): return tokens
            case .wasSpent(let session):
                context.logger.notice(
                    "a refresh token came a second time: session \(session) has ended")
                throw unknown
            case .unknown: throw unknown
            }
        },

        Route(
            .delete, "/api/v1/sessions/current",
            .api(
                "signOut", .sessions, "Sign out",
                "Ends the token's session. 409 for a token from another issuer, which has no session "
                    + "here."),
            takes: .bearer(.account), returns: .noContent, fails: [.conflict]
        ) { context, bearer in
            guard let id = bearer.sessionID else {
                throw Problem(
                    .conflict, .english("This token doesn't belong to a session on this server."))
            }
            try await context.services.accounts.endSession(id)
        },

        Route(
            .get, "/.well-known/jwks.json",
            .service(
                .document, "getKeys", "Get the public keys of this server's tokens",
                "For services that verify access tokens themselves. New keys are published here "
                    + "before they are used for signing. A token with “scope” is an app's or a "
                    + "program's, and may do only that."),
            returns: .json(keySet, "A JSON Web Key Set."), caching: .everywhere(seconds: 60)
        ) { context in await context.services.ownKeys.current() },
    ]

    struct Credentials: RequestBody {
        let username: String
        let password: String
        let device: SecretToken?

        init?(from reader: inout JSONObjectReader) {
            let username = reader.required(
                "username", .text(.text(example: "newcomer")), "The account's username.")
            let password = reader.required(
                "password", .text(.password), "The account's password.")
            device = reader.deviceSecret()
            guard let username, let password else { return nil }
            self.username = username
            self.password = password
        }
    }

    private struct Refresh: RequestBody {
        let token: String

        init?(from reader: inout JSONObjectReader) {
            let token = reader.required(
                "refreshToken",
                .text(.text(example: "Yb0yXy0nYF3b0kJq2Q8m7w.2m7wqk0nYF3b0kJYb0yXy0")),
                "The latest refresh token.")
            guard let token else { return nil }
            self.token = token
        }
    }

    /// A JSON Web Key Set, RFC 7517. Its keys follow RFC 8037.
    private static let keySet = ObjectRepresentation<[SigningKey]>(
        "KeySet", "The public keys of this server's tokens, RFC 7517.",
        [
            .init(
                "keys", .array(of: key),
                "The current signing key, and earlier keys with tokens that are still valid."
            ) { $0 }
        ])

    private static let key = ObjectRepresentation<SigningKey>(
        nil, "A key, RFC 8037.",
        [
            .init("kty", .constant("OKP"), "The kind of key.") { _ in "OKP" },
            .init("crv", .constant("Ed25519"), "The curve.") { _ in "Ed25519" },
            .init("use", .constant("sig"), "What the key is for.") { _ in "sig" },
            .init("alg", .constant("EdDSA"), "The algorithm.") { _ in "EdDSA" },
            .init(
                "kid", .text(1..., example: "OHMkme2H5RHEz7Au"), "The key's id, as tokens name it."
            ) { $0.id },
            .init(
                "x",
                .text(
                    pattern: "^[A-Za-z0-9_-]{43}$",
                    example: "6A2erJy9yZhKgYIejGNBnm73CBGJ8MJvp6TBRyNfTmk"),
                "The public key, 32 bytes in base64url."
            ) { $0.x },
        ])
}

extension JSONObjectReader {
    /// What a client is recognised by when it signs in again.
    mutating func deviceSecret() -> SecretToken? {
        optional(
            "deviceSecret",
            .parsed(
                .secret(.text(43...43, pattern: "^[A-Za-z0-9_-]{43}$", example: Example.secret)),
                .english("This must be 32 bytes in base64url.")
            ) { SecretToken($0) },
            "32 random bytes in base64url, which the client makes once and stores.")
    }
}
