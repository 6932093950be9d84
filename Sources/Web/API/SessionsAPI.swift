import HTTP
import HTTPTypes
import Identity
import JSON

/// Sessions of the API: a short access token, and a refresh token for the next one.
enum SessionsAPI {
    static func create(_ call: Call) async throws -> Response {
        var reader = JSONObjectReader(try call.json())
        let username = reader.string("username")
        let password = reader.string("password")
        try reader.finish()
        let proof = try await call.services.accounts.signIn(
            username ?? "", password: password ?? "", from: call.client.networkName)
        let tokens = try await call.services.accounts.openSession(
            proof, ownKeys: call.services.ownKeys)
        return response(tokens, status: .created)
    }

    static func refresh(_ call: Call) async throws -> Response {
        var reader = JSONObjectReader(try call.json())
        let text = reader.string("refreshToken")
        try reader.finish()
        guard let token = RefreshToken(text ?? "") else { throw unknownRefreshToken }
        switch try await call.services.accounts.refresh(token, ownKeys: call.services.ownKeys) {
        case .refreshed(let tokens): return response(tokens, status: .ok)
        case .wasSpent(let session):
            call.logger.notice(
                "a refresh token came a second time: session \(session) has ended")
            throw unknownRefreshToken
        case .unknown: throw unknownRefreshToken
        }
    }

    private static var unknownRefreshToken: Problem {
        .unauthorized("The refresh token is not valid, or not valid any more. Sign in again.")
    }

    /// Ends the session that the access token belongs to.
    static func delete(_ call: Call) async throws -> Response {
        guard let id = try await call.bearer().sessionID else {
            throw Problem(.conflict, "This token belongs to no session of this server.")
        }
        try await call.services.store.endSession(id: id)
        return Response(status: .noContent)
    }

    /// As in RFC 6749 section 5.1, with our names.
    private static func response(
        _ tokens: SessionTokens, status: HTTPResponse.Status
    ) -> Response {
        var response = Response.json(status) { json in
            json.object { json in
                json.member("accessToken", tokens.accessToken)
                json.member("tokenType", "Bearer")
                json.member("expiresIn", Int(tokens.expiresIn.components.seconds))
                json.member("refreshToken", tokens.refreshToken)
                json.name("user")
                json.ownUser(tokens.user)
            }
        }
        response.headerFields[.cacheControl] = "no-store"
        return response
    }

    /// Our public keys, RFC 7517 and 8037.
    static func keys(_ call: Call) async throws -> Response {
        let keys = await call.services.ownKeys.current()
        var response = Response.json { json in
            json.object { json in
                json.name("keys")
                json.array(keys) { json, key in
                    json.object { json in
                        json.member("kty", "OKP")
                        json.member("crv", "Ed25519")
                        json.member("use", "sig")
                        json.member("alg", "EdDSA")
                        json.member("kid", key.id)
                        json.member("x", key.x)
                    }
                }
            }
        }
        response.headerFields[.cacheControl] = "public, max-age=60"
        return response
    }
}
