import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views
import WebAuthn

/// Passkeys: the page that lists a user's passkeys, and the requests of the browser's scripts.
///
/// A site whose address is an IP address can't use passkeys: section 5.4.2 of the specification
/// allows only domains with TLS, and `localhost`.
enum PasskeysPage {
    static let path = "/settings/passkeys"
    private static let signInPath = "/sign-in/passkey"

    private static let forms = RouteGroup<Visitor>(
        path, for: .visitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("done"), returns: .response, caching: .never
        ) { context, visitor, done in
            try await page(context, visitor, notice: done.flatMap(Done.init)?.text)
        },
        Route(
            .post, "\(path)/options", .page, takes: .visitor(returningTo: path),
            .form(RecoveryAPI.Confirmation.self), returns: .response, costs: .dear,
            handler: creationOptions),
        forms.post(takes: .form(NewPasskey.self), costs: .dear, handler: add),
        forms.post("/{passkey}/remove", takes: .passkey, handler: remove),
        Route(.post, "\(signInPath)/options", .page, returns: .response, handler: requestOptions),
        Route(
            .post, signInPath, .page, takes: .form(SignIn.self), .formReturnPath, on: "/sign-in",
            returns: .response, costs: .dear, handler: signIn),
    ]

    private struct NewPasskey: RequestBody {
        let name: TokenName
        let registration: Registration

        init?(from reader: inout JSONObjectReader) {
            let name = reader.required("name", .tokenName)
            let data = reader.required("clientDataJSON", .bytes)
            let object = reader.required("attestationObject", .bytes)
            guard let name, let data, let object else { return nil }
            self.name = name
            registration = Registration(clientDataJSON: data, attestationObject: object)
        }
    }

    private struct SignIn: RequestBody {
        let assertion: Assertion

        init?(from reader: inout JSONObjectReader) {
            let id = reader.required("id", .bytes)
            let data = reader.required("clientDataJSON", .bytes)
            let authenticator = reader.required("authenticatorData", .bytes)
            let signature = reader.required("signature", .bytes)
            let user = reader.optional("userHandle", .bytes)
            guard let id, let data, let authenticator, let signature else { return nil }
            assertion = Assertion(
                credentialID: id, clientDataJSON: data, authenticatorData: authenticator,
                signature: signature, userHandle: user)
        }
    }

    private enum Done: String {
        case added, removed

        var text: Words {
            switch self {
            case .added: .passkeyAdded
            case .removed: .passkeyRemoved
            }
        }
    }

    // MARK: Adding

    @Sendable private static func creationOptions(
        _ context: RequestContext, visitor: Visitor, confirmation: RecoveryAPI.Confirmation
    ) async throws -> Response {
        let (challenge, options) = try await context.services.accounts.beginPasskey(
            of: visitor.bearer, password: confirmation.password ?? "", at: context.relyingParty(),
            from: context.client.networkName)
        return try await context.carrying(challenge, options.json)
    }

    @Sendable private static func add(
        _ context: RequestContext, visitor: Visitor, new: NewPasskey
    ) async throws -> Response {
        try await context.services.accounts.addPasskey(
            new.registration, named: new.name, to: visitor.bearer,
            respondingTo: try await context.passkeyChallenge(), at: context.relyingParty())
        return context.withoutChallenge(.seeOther("\(path)?done=\(Done.added.rawValue)"))
    }

    @Sendable private static func remove(
        _ context: RequestContext, visitor: Visitor, id: UUID
    ) async throws -> Response {
        try await context.services.accounts.removePasskey(
            id, from: visitor.user, issuers: context.services.providers.map(\.configuration.issuer))
        return .seeOther("\(path)?done=\(Done.removed.rawValue)")
    }

    // MARK: Signing in

    @Sendable private static func requestOptions(_ context: RequestContext) async throws -> Response
    {
        let (challenge, options) = context.services.accounts.beginPasskeySignIn(
            at: try context.relyingParty())
        return try await context.carrying(challenge, options.json)
    }

    @Sendable private static func signIn(
        _ context: RequestContext, body: SignIn, returnPath: String?
    ) async throws -> Response {
        do {
            let proof = try await context.services.accounts.signIn(
                body.assertion, respondingTo: try await context.passkeyChallenge(),
                at: context.relyingParty(), from: context.client.networkName)
            return context.withoutChallenge(try await context.open(proof, returnPath: returnPath))
        } catch {
            guard var problem = Problem(refusal: error) else { throw error }
            context.noteFailedProof(error)
            problem.headerFields.append(context.challengeRemoval)
            throw problem
        }
    }

    private static func page(
        _ context: RequestContext, _ visitor: Visitor, notice: Words? = nil
    ) async throws -> Response {
        _ = try context.relyingParty()
        let services = context.services
        var page = PageModel(
            .passkeys, description: .aboutPasskeys, path: nil,
            section: .settings, context: context.pageContext)
        page.isIndexed = false
        page.script = services.assets.path("passkeys.js")
        async let passkeys = services.store.passkeys(userID: visitor.user.id)
        let hasPassword = try await services.accounts.hasPassword(visitor.user)
        let name = context.origin.device.map(DeviceName.words) ?? .myPasskey
        let form = context.fields(
            of: path, showing: ["name": name.string(in: page.language), "password": ""])
        let content = View.passkeys(
            FormKeys(token: context.formToken().token), notice: notice,
            problem: context.problem(besides: form),
            passkeys: try await passkeys.map { passkey in
                PasskeyRow(
                    name: passkey.name, usedAt: passkey.usedAt, addedAt: passkey.createdAt,
                    action: "\(path)/\(passkey.id.text)/remove")
            }, hasPassword: hasPassword, form: form)
        return .privatePage(page, content)
    }
}

extension WebSettings {
    /// This site as a relying party; `nil` if it can't use passkeys.
    var relyingParty: RelyingParty? {
        guard let origin = WebOrigin(publicURL), origin.isSecure || origin.host == "localhost",
            origin.host.contains(where: \.isLetter), HostName.isValid(origin.host[...])
        else { return nil }
        return RelyingParty(id: origin.host, name: site.name, origins: [publicURL])
    }
}

extension RequestContext {
    /// - Throws: 404 if this site can have no passkeys.
    fileprivate func relyingParty() throws -> RelyingParty {
        guard let site = services.settings.relyingParty else {
            throw Problem.notFound(.noPasskeys)
        }
        return site
    }

    private var challengeSeal: Seal {
        get async { Seal(await services.ownKeys.current().map(\.challengeKey)) }
    }

    /// A response for our script, with a cookie that has the challenge.
    fileprivate func carrying(
        _ challenge: PasskeyChallenge, _ json: [UInt8]
    ) async throws -> Response {
        guard let sealed = await challengeSeal.seal(challenge.text) else {
            throw Problem(.unavailable, .noKeyYet)
        }
        var response = Response(
            headerFields: [
                .contentType: MediaType.json.description, .cacheControl: "no-store",
            ], body: json)
        response.headerFields.append(
            Cookie.challenge.setting(
                sealed, maximumAge: .seconds(PasskeyChallenge.lifetime),
                at: services.settings.cookieSite))
        return response
    }

    /// - Throws: `AccountError.passkeyRefused` if the browser carries none, or an old one.
    fileprivate func passkeyChallenge() async throws -> PasskeyChallenge {
        let cookie = Cookie.challenge.value(in: request, at: services.settings.cookieSite)
        guard let cookie, let text = await challengeSeal.open(cookie),
            let challenge = PasskeyChallenge(text: text)
        else { throw AccountError.passkeyRefused(.challengeMismatch) }
        return challenge
    }

    fileprivate func withoutChallenge(_ response: Response) -> Response {
        var response = response
        response.headerFields.append(challengeRemoval)
        return response
    }

    /// A browser gets one try with a challenge, whatever the outcome. A sign-in's challenge is also
    /// stored as used, since a copy of its response would sign in again.
    fileprivate var challengeRemoval: HTTPField {
        Cookie.challenge.removing(at: services.settings.cookieSite)
    }
}

extension BodyMember where Value == [UInt8] {
    /// Bytes in base64url.
    fileprivate static var bytes: Self {
        .parsed(.token, .english("This must be base64url.")) {
            Base64URL.decode($0.utf8).map { Array($0) }
        }
    }
}

extension Input where Value == UUID {
    fileprivate static var passkey: Self {
        .id("passkey", "The passkey's id.", example: Example.user)
    }
}
