import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Logging
import Views

/// Signing in with an OpenID Connect provider: the way there and the way back.
enum ProviderSignIn {
    /// What the addresses to sign in begin with.
    static let folder = "/sign-in/with"

    static let routes = [
        Route(
            .get, "\(folder)/{provider}", .page,
            takes: .provider, .returnPath, .text(movedParameter), returns: .response,
            caching: .never, crawling: .disallowed, handler: begin),
        Route(
            .get, "\(folder)/{provider}/callback", .page,
            takes: .provider, .authorizationResponse, returns: .response,
            crawling: .disallowed, handler: finish),
        Route(
            .post, "/settings/connect/{provider}", .page,
            takes: .visitor(returningTo: "/settings"), .provider,
            .form(RecoveryAPI.Confirmation.self), on: "/settings", returns: .response,
            costs: .dear, handler: connect),
    ]

    /// Says that the browser has been sent to the public address. It is sent only once, since a proxy may
    /// hide the name that the browser uses.
    private static let movedParameter = "moved"

    /// Sends the browser to the provider.
    @Sendable private static func begin(
        _ context: RequestContext, provider: OpenIDProvider, returnPath: String?, moved: String?
    ) async throws -> Response {
        // A link on another site must not change who is signed in here.
        if let visitor = context.visitor {
            return .seeOther(returnPath ?? Path.list(visitor.user.username))
        }
        // The provider sends the browser back to the public address, where a cookie of another name of
        // this server would be missing.
        if moved == nil, !context.isAtPublicURL {
            let path = ReturnPath.appending(
                returnPath, to: "\(folder)/\(provider.configuration.key)")
            let separator = returnPath == nil ? "?" : "&"
            return .seeOther(
                "\(context.services.settings.publicURL)\(path)\(separator)\(movedParameter)=1")
        }
        let handshake = ProviderHandshake(returnPath: returnPath)
        var response = Response.seeOther(try await address(context, provider, handshake))
        response.headerFields.append(context.setting(handshake))
        return response
    }

    /// Does the same to connect the provider to the account that is signed in.
    ///
    /// The browser goes there by way of a page: browsers refuse to follow a form to another site
    /// (form-action of the Content-Security-Policy applies to redirects, too).
    @Sendable private static func connect(
        _ context: RequestContext, visitor: Visitor, provider: OpenIDProvider,
        body: RecoveryAPI.Confirmation
    ) async throws -> Response {
        let publicURL = context.services.settings.publicURL
        // Here, the browser itself says where it is.
        if let origin = context.request.headerFields[.origin], WebOrigin(origin) != nil,
            origin != publicURL
        {
            throw Problem.badRequest(
                .providerElsewhere(provider.configuration.name, "\(publicURL)/settings"))
        }
        let confirmation = try await context.services.accounts.confirm(
            visitor.bearer, body.password ?? "", from: context.client.networkName)
        guard
            let handshake = ProviderHandshake(
                connecting: confirmation, seal: await context.connectionSeal)
        else { throw Problem(.unavailable, .noKeyYet) }
        let href = try await address(context, provider, handshake)
        let name = provider.configuration.name
        var page = PageModel(
            .continueTo(name), description: .connecting(name), path: nil,
            context: context.pageContext)
        page.isIndexed = false
        guard let address = RedirectAddress(madeHere: href) else {
            throw Problem(.badGateway, .providerHasNoAddress(name))
        }
        page.redirect = address
        return .privatePage(
            page,
            .continueTo(
                name,
                lead:
                    "You’ll come back here after signing in. If nothing happens, use the button below.",
                href: address), setting: context.setting(handshake))
    }

    private static func address(
        _ context: RequestContext, _ provider: OpenIDProvider, _ handshake: ProviderHandshake
    ) async throws -> String {
        try await provider.authorizationURL(
            OpenIDProvider.Handshake(handshake.secret, with: provider.configuration),
            redirectURI: context.redirectURI(provider.configuration))
    }

    /// Handles the browser's return from the provider: OpenID Connect Core section 3.1.2.5.
    @Sendable private static func finish(
        _ context: RequestContext, provider: OpenIDProvider, authorization: AuthorizationResponse
    ) async throws -> Response {
        var response: Response
        let handshake = Cookie.handshake
            .value(in: context.request, at: context.services.settings.cookieSite)
            .flatMap(ProviderHandshake.init)
        do {
            response = try await redeem(authorization, handshake, of: provider, context)
        } catch {
            let problem: Problem
            switch error {
            case let error as AccountError: problem = Problem(error)
            case let error as OpenIDError: problem = Problem(error, logger: context.logger)
            case let error as Problem: problem = error
            default: throw error
            }
            // Another attempt leads to where this one would have.
            response = SignInPage.page(context, problem: problem, returnPath: handshake?.returnPath)
        }
        // A handshake is valid once, whatever the outcome.
        response.headerFields.append(
            Cookie.handshake.removing(at: context.services.settings.cookieSite))
        return response
    }

    private static func redeem(
        _ authorization: AuthorizationResponse, _ handshake: ProviderHandshake?,
        of provider: OpenIDProvider,
        _ context: RequestContext
    ) async throws -> Response {
        let name = provider.configuration.name
        guard let handshake else {
            throw Problem.badRequest(
                .signInExpiredOrElsewhere)
        }
        let secret = OpenIDProvider.Handshake(handshake.secret, with: provider.configuration)
        let mismatch = Problem.badRequest(
            .signInMismatch(name))
        guard let state = authorization.state, secret.hasState(state) else { throw mismatch }
        guard try await provider.mayRespond(as: authorization.issuer) else {
            let fault =
                authorization.issuer == nil
                ? "it names no issuer (iss), although the metadata says that it does (RFC 9207)"
                : "it names another issuer (iss)"
            context.logger.warning(
                "sign-in: a response of \(provider.configuration.issuer) is refused: \(fault)")
            throw mismatch
        }
        if let error = authorization.error {
            throw Problem.badRequest(
                error == "access_denied" ? .signInCancelled(name) : .signInFailed(name))
        }
        guard let code = authorization.code, (1...4096).contains(code.utf8.count) else {
            throw Problem.badRequest(.noCode(name))
        }
        // A client that makes up codes must not make us ask the provider endlessly.
        let accounts = context.services.accounts
        try await accounts.attemptProvider(from: context.client.networkName)
        let identity = try await provider.identity(
            code: code, handshake: secret, redirectURI: context.redirectURI(provider.configuration))
        try await accounts.forgiveProvider(from: context.client.networkName)
        guard handshake.isForConnecting else {
            let returnPath = handshake.returnPath
            guard
                let proof = try await accounts.signIn(
                    with: identity, invitation: context.invitation)
            else {
                return try await NewcomerPage.redirect(context, identity, returnPath: returnPath)
            }
            return try await context.open(proof, returnPath: returnPath)
        }
        guard let visitor = context.visitor,
            let confirmation = handshake.confirmation(await context.connectionSeal),
            confirmation.isOf(visitor.bearer)
        else {
            throw Problem.badRequest(
                .connectingOverSessions)
        }
        do {
            try await accounts.link(identity, confirmedBy: confirmation)
        } catch let error as AccountError {
            return try await context.show(Problem(error), on: "/settings")
        }
        return .seeOther(SettingsPage.Saved.connected.path)
    }
}

/// A handshake for signing in with a provider. The browser's cookie carries it until the browser
/// comes back.
///
/// It contains no secrets from the browser's owner, and someone else's cookie would only fail.
struct ProviderHandshake: Sendable {
    let secret: SecretToken
    let returnPath: String?
    /// The user's confirmation before a handshake for connecting a provider. It is sealed: otherwise
    /// someone with a stolen session could forge it.
    private let connection: String?

    init(returnPath: String?) {
        secret = SecretToken()
        self.returnPath = returnPath
        connection = nil
    }

    /// - Returns: `nil` if the server has no key yet.
    init?(connecting confirmation: Confirmation, seal: Seal) {
        secret = SecretToken()
        returnPath = nil
        let end = Int(Date().timeIntervalSince1970) + Self.lifetime
        guard let sealed = seal.seal("\(secret.text) \(end) \(confirmation.text)") else {
            return nil
        }
        connection = sealed
    }

    /// How long someone can be away at the provider, in seconds.
    static let lifetime = 600

    var isForConnecting: Bool { connection != nil }

    /// The user's confirmation before this handshake; `nil` if the handshake is not for connecting a
    /// provider, or too old.
    func confirmation(_ seal: Seal) -> Confirmation? {
        guard let parts = connection.flatMap(seal.open)?.split(separator: " "), parts.count == 3,
            parts[0] == secret.text, let end = TimeInterval(parts[1]),
            end > Date().timeIntervalSince1970
        else { return nil }
        return Confirmation(text: parts[2])
    }

    init?(_ cookie: String) {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let secret = SecretToken(String(parts[0])),
            let path = Base64URL.decode(parts[2].utf8)
        else { return nil }
        self.secret = secret
        connection = parts[1].isEmpty ? nil : String(parts[1])
        returnPath = ReturnPath.parse(String(decoding: path, as: UTF8.self))
    }

    var cookie: String {
        "\(secret.text).\(connection ?? "").\(Base64URL.encode((returnPath ?? "").utf8))"
    }
}

/// The query parameters of a provider's redirect back to this site.
private struct AuthorizationResponse: Sendable {
    var state: String?
    var issuer: String?
    var error: String?
    var code: String?
}

extension Input where Value == AuthorizationResponse {
    fileprivate static var authorizationResponse: Self {
        Self { context in
            let query = context.query
            return AuthorizationResponse(
                state: query["state"], issuer: query["iss"], error: query["error"],
                code: query["code"])
        }
    }
}

extension Input<Services, OpenIDProvider> {
    /// The provider in the path. 404 if the operator has configured no provider with that key.
    fileprivate static var provider: Self {
        Self { context in
            let key = context.parameters["provider"]
            let providers = context.services.providers
            guard let provider = providers.first(where: { $0.configuration.key == key }) else {
                throw Problem.notFound(.noSuchProvider)
            }
            return provider
        }
    }
}

extension RequestContext {
    /// Whether the browser seems to use the public address.
    fileprivate var isAtPublicURL: Bool {
        let scheme = services.settings.isSecure ? "https://" : "http://"
        return WebOrigin(scheme + request.authority)?.description == services.settings.publicURL
    }

    /// Each provider has its own, so that no response can be mistaken for another provider's.
    fileprivate func redirectURI(_ provider: OpenIDConfiguration) -> String {
        "\(services.settings.publicURL)/sign-in/with/\(provider.key)/callback"
    }

    fileprivate var connectionSeal: Seal {
        get async { Seal(await services.ownKeys.current().map(\.connectionKey)) }
    }

    fileprivate func setting(_ handshake: ProviderHandshake) -> HTTPField {
        Cookie.handshake.setting(
            handshake.cookie, maximumAge: .seconds(ProviderHandshake.lifetime),
            at: services.settings.cookieSite)
    }
}
