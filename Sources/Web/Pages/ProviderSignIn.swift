import HTTP
import HTTPTypes
import Identity
import Views

/// Signing in with an OpenID Connect provider: the way there and the way back.
enum ProviderSignIn {
    static let routes = [
        Route(
            .get, "/sign-in/with/{provider}", .page, takes: .provider, .returnPath,
            answers: .response, crawling: .disallowed, handler: begin),
        Route(
            .get, "/sign-in/with/{provider}/callback", .page,
            takes: .provider, AuthorizationAnswer.Input(), answers: .response,
            crawling: .disallowed, handler: finish),
        Route(
            .post, "/settings/connect/{provider}", .page,
            takes: .visitor(returningTo: "/settings"), .provider, answers: .response,
            handler: connect),
    ]

    /// Sends the browser to the provider.
    @Sendable private static func begin(
        _ call: Call, provider: OpenIDProvider, returnPath: String?
    ) async throws -> Response {
        // A link elsewhere must not change who someone is here.
        if let visitor = call.visitor {
            return .seeOther(returnPath ?? Path.list(visitor.user.username))
        }
        let handshake = ProviderHandshake(returnPath: returnPath)
        var response = Response.seeOther(try await address(call, provider, handshake))
        response.headerFields.append(call.setting(handshake))
        return response
    }

    /// The same to connect the provider with the account that is signed in.
    ///
    /// By a page in between: browsers refuse to follow a form to another site (form-action of the
    /// Content-Security-Policy covers redirects, too).
    @Sendable private static func connect(
        _ call: Call, visitor: Visitor, provider: OpenIDProvider
    ) async throws -> Response {
        _ = try call.form()
        let handshake = ProviderHandshake(connecting: visitor)
        let href = try await address(call, provider, handshake)
        let name = provider.configuration.name
        var page = PageModel(
            "Continue to \(name)", description: "Connecting \(name).", path: nil,
            context: call.context)
        page.isIndexed = false
        guard let address = RedirectAddress(madeHere: href) else {
            throw Problem(.badGateway, "\(name) has no address that a browser could go to.")
        }
        page.redirect = address
        return .privatePage(
            page, .continueToProvider(name, href: address), setting: call.setting(handshake))
    }

    private static func address(
        _ call: Call, _ provider: OpenIDProvider, _ handshake: ProviderHandshake
    ) async throws -> String {
        try await provider.authorizationURL(
            OpenIDProvider.Handshake(handshake.secret, with: provider.configuration),
            redirectURI: call.redirectURI(provider.configuration))
    }

    /// Where the provider sends the browser back to: OpenID Connect Core section 3.1.2.5.
    @Sendable private static func finish(
        _ call: Call, provider: OpenIDProvider, answer: AuthorizationAnswer
    ) async throws -> Response {
        var response: Response
        do {
            response = try await redeem(answer, of: provider, call)
        } catch let error as AccountError {
            response = SignInPage.page(call, problem: Problem(error), returnPath: nil)
        } catch let error as OpenIDError {
            response = SignInPage.page(
                call, problem: Problem(error, logger: call.logger), returnPath: nil)
        } catch let problem as Problem {
            response = SignInPage.page(call, problem: problem, returnPath: nil)
        }
        // Good once, however it ended.
        response.headerFields.append(
            Cookie.handshake.removing(isSecure: call.services.settings.isSecure))
        return response
    }

    private static func redeem(
        _ answer: AuthorizationAnswer, of provider: OpenIDProvider, _ call: Call
    ) async throws -> Response {
        let name = provider.configuration.name
        guard
            let handshake = Cookie.handshake
                .value(in: call.request, isSecure: call.services.settings.isSecure)
                .flatMap(ProviderHandshake.init)
        else {
            throw Problem.badRequest(
                "This sign-in is too old, or was started in another browser. Start again.")
        }
        let secret = OpenIDProvider.Handshake(handshake.secret, with: provider.configuration)
        guard let state = answer.state, secret.hasState(state),
            // RFC 9207: an answer of another provider than the one that was asked.
            answer.issuer ?? provider.configuration.issuer == provider.configuration.issuer
        else {
            throw Problem.badRequest(
                "The answer of \(name) does not belong to the sign-in that was started here. Start again."
            )
        }
        if let error = answer.error {
            throw Problem.badRequest(
                error == "access_denied"
                    ? "Signing in with \(name) was cancelled."
                    : "\(name) could not sign you in. Start again, or sign in another way.")
        }
        guard let code = answer.code, (1...4096).contains(code.utf8.count) else {
            throw Problem.badRequest("\(name) sent no code. Start again.")
        }
        // A client that makes up codes must not make us ask the provider without end.
        let accounts = call.services.accounts
        try await accounts.attemptProvider(from: call.client.networkName)
        let identity = try await provider.identity(
            code: code, handshake: secret, redirectURI: call.redirectURI(provider.configuration))
        try await accounts.forgiveProvider(from: call.client.networkName)
        guard handshake.isForConnecting else {
            let proof = try await accounts.signIn(with: identity)
            return try await call.open(proof, returnPath: handshake.returnPath)
        }
        guard let visitor = call.visitor, handshake.connects(visitor) else {
            throw Problem.badRequest(
                "You have signed in or out since. Start again from the settings.")
        }
        do {
            try await accounts.link(identity, to: visitor.user)
        } catch let error as AccountError {
            return try await SettingsPage.page(call, visitor, SettingsPage.Rejected(Problem(error)))
        }
        return .seeOther(SettingsPage.Saved.connected.path)
    }
}

/// An handshake to sign in with a provider, as the browser's cookie carries it until it comes back.
///
/// Nothing in it needs to be kept from the browser's owner, and a cookie of someone else's would
/// only fail.
struct ProviderHandshake: Sendable {
    let secret: SecretToken
    let returnPath: String?
    /// Proves that the handshake to connect began in a session, by a form of it.
    private let connection: String?

    init(returnPath: String?) {
        secret = SecretToken()
        self.returnPath = returnPath
        connection = nil
    }

    init(connecting visitor: Visitor) {
        secret = SecretToken()
        returnPath = nil
        connection = visitor.token.derive(Self.purpose(secret))
    }

    private static func purpose(_ secret: SecretToken) -> String { "connect \(secret.text)" }

    var isForConnecting: Bool { connection != nil }

    /// Whether it began in this session.
    func connects(_ visitor: Visitor) -> Bool {
        guard let connection else { return false }
        return visitor.token.derives(Self.purpose(secret), is: connection)
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

/// What a provider sends the browser back with.
private struct AuthorizationAnswer: Sendable {
    var state: String?
    var issuer: String?
    var error: String?
    var code: String?

    struct Input: Web.Input {
        func read(_ call: Call) -> AuthorizationAnswer {
            AuthorizationAnswer(
                state: call.query["state"], issuer: call.query["iss"], error: call.query["error"],
                code: call.query["code"])
        }

        var description: InputDescription { InputDescription() }
    }
}

/// The provider of the path.
private struct ProviderInput: Input {
    /// - Throws: 404 if the operator has set none of that key.
    func read(_ call: Call) throws(Problem) -> OpenIDProvider {
        let key = call.parameters["provider"]
        guard let provider = call.services.providers.first(where: { $0.configuration.key == key })
        else { throw .notFound("You can’t sign in that way here.") }
        return provider
    }

    var description: InputDescription { InputDescription() }
}

extension Input where Self == ProviderInput {
    fileprivate static var provider: Self { Self() }
}

extension Call {
    /// One for each provider, so that no answer can be taken for another one's.
    fileprivate func redirectURI(_ provider: OpenIDConfiguration) -> String {
        "\(services.settings.publicURL)/sign-in/with/\(provider.key)/callback"
    }

    fileprivate func setting(_ handshake: ProviderHandshake) -> HTTPField {
        Cookie.handshake.setting(
            handshake.cookie, maximumAge: .seconds(600), isSecure: services.settings.isSecure)
    }
}
