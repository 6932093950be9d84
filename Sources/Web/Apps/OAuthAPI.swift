import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import JSON
import Languages
import Logging
import Views

/// What apps call: the token and revocation endpoints of OAuth 2.1, and what they are found by. Apps have
/// no secret, so what they show instead is the code's verifier, or the refresh token.
enum OAuthAPI {
    private static let tokenPath = "/oauth/token"
    static let revocationPath = "/oauth/revoke"

    static let routes = [
        Route(
            .get, "/.well-known/oauth-authorization-server", .document, returns: .response,
            caching: .constant
        ) { context in metadata(context.services.settings.publicURL) },
        Route(
            .post, tokenPath, .plainAPI, takes: .credential(.oauthForm), returns: .response,
            caching: .never, handler: token),
        Route(
            .post, revocationPath, .plainAPI, takes: .credential(.oauthForm), returns: .response,
            caching: .never, handler: revoke),
    ]

    /// RFC 8414 section 2.
    private static func metadata(_ issuer: String) -> Response {
        json([
            "issuer": .string(issuer),
            "authorization_endpoint": .string(issuer + AuthorizePage.path),
            "token_endpoint": .string(issuer + tokenPath),
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint": .string(issuer + revocationPath),
            "revocation_endpoint_auth_methods_supported": ["none"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": .array(TokenScope.allCases.map { .string($0.rawValue) }),
            "authorization_response_iss_parameter_supported": true,
            "service_documentation": .string(issuer + "/api"),
        ])
    }

    /// RFC 6749 sections 4.1.3 and 6. A refresh always returns the scopes that the person allowed.
    @Sendable private static func token(
        _ context: RequestContext, form: FormItems
    ) async throws -> Response {
        let services = context.services
        guard let app = form.app else { return unknownClient }
        let outcome: Accounts.Refreshed
        switch form["grant_type"] {
        case "authorization_code":
            guard let code = form["code"], let redirect = form["redirect_uri"],
                let verifier = form["code_verifier"]
            else {
                return refusal("invalid_request", "code, redirect_uri or code_verifier is missing.")
            }
            guard let code = RefreshToken(code),
                let binding = CodeBinding(app: app, redirect: redirect, verifier: verifier)
            else { return invalidGrant }
            outcome = try await services.accounts.redeem(code, binding, ownKeys: services.ownKeys)
        case "refresh_token":
            guard let token = form["refresh_token"] else {
                return refusal("invalid_request", "refresh_token is missing.")
            }
            guard let token = RefreshToken(token) else { return invalidGrant }
            outcome = try await services.accounts.refresh(
                token, of: app, ownKeys: services.ownKeys)
        case nil: return refusal("invalid_request", "grant_type is missing.")
        default:
            return refusal(
                "unsupported_grant_type", "Use authorization_code or refresh_token.")
        }
        switch outcome {
        case .refreshed(let tokens): return json(tokens)
        case .wasSpent(let session):
            context.logger.notice(
                "an app's code or token came again, or from elsewhere: session \(session) has ended"
            )
            return invalidGrant
        case .unknown: return invalidGrant
        }
    }

    /// RFC 7009. An unknown token is revoked already.
    @Sendable private static func revoke(
        _ context: RequestContext, form: FormItems
    ) async throws -> Response {
        guard let app = form.app else { return unknownClient }
        guard let token = form["token"] else {
            return refusal("invalid_request", "token is missing.")
        }
        let bearer = try await context.services.authenticator.bearer(
            token: token, makesUser: false)
        try await context.services.accounts.revoke(token, of: app, bearer: bearer)
        return Response()
    }

    /// RFC 6749 section 5.1.
    private static func json(_ tokens: SessionTokens) -> Response {
        json([
            "access_token": .string(tokens.accessToken), "token_type": "Bearer",
            "expires_in": .int(Int(tokens.expiresIn.components.seconds)),
            "refresh_token": .string(tokens.refreshToken),
            "scope": .string(tokens.scopes?.text ?? ""),
        ])
    }

    private static let unknownClient = refusal("invalid_client", "client_id is no app's id.")
    private static let invalidGrant = refusal(
        "invalid_grant", "The code or the token is not valid for this app. Ask the person again.")

    /// RFC 6749 section 5.2.
    private static func refusal(
        _ error: String, _ description: String, _ status: HTTPResponse.Status = .badRequest
    ) -> Response {
        var response = json([
            "error": .string(error), "error_description": .string(description),
        ])
        response.status = status
        response.forbidCaching()
        return response
    }

    /// What went wrong outside of the handlers.
    static func response(to problem: Problem) -> Response {
        let error =
            switch problem.status {
            case .tooManyRequests, .serviceUnavailable: "temporarily_unavailable"
            case let status where status.kind == .serverError: "server_error"
            default: "invalid_request"
            }
        var response = refusal(error, problem.detail.string(in: .en), problem.status)
        for field in problem.headerFields { response.headerFields.append(field) }
        return response
    }

    private static func json(_ value: JSONValue) -> Response {
        Response(
            headerFields: [
                .contentType: MediaType.json.description, .cacheControl: "no-cache",
            ],
            body: Array((value.indented() + "\n").utf8))
    }
}

extension FormItems {
    fileprivate var app: UUID? { self["client_id"].flatMap { UUID(uuidString: $0) } }
}

extension Input<Services, FormItems> {
    /// The parameters of a request to an endpoint of OAuth, each at most once: RFC 6749 section 3.2.
    fileprivate static var oauthForm: Self {
        Self { context in
            let type = context.request.headerFields[.contentType].flatMap {
                MediaType(parsing: $0)
            }
            guard let type, type.isSameType(as: .formURLEncoded) else {
                throw Problem(
                    .unsupportedMediaType,
                    .english("The body must be application/x-www-form-urlencoded."))
            }
            let form = try FormItems(parsing: context.request.body)
            guard form.names.count == form.items.count else {
                throw Problem.badRequest(.english("A parameter is repeated."))
            }
            return form
        }
    }
}
