import Encodings
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import JSON
import Storage
import Views
import WebAuthn

/// Passkeys: the page that lists a user's, and what the browser's scripts ask for and send.
///
/// A site whose address is an IP address has none: section 5.4.2 of the specification takes domains
/// only, and secure ones, or `localhost`.
enum PasskeysPage {
    static let path = "/settings/passkeys"
    private static let signInPath = "/sign-in/passkey"

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("done"), answers: .response, caching: .never
        ) { call, visitor, done in
            try await page(call, visitor, notice: done.flatMap(Done.init)?.text)
        },
        Route(
            .post, "\(path)/options", .page, takes: .visitor(returningTo: path),
            answers: .response, costs: .dear, handler: creationOptions),
        Route(
            .post, path, .page, takes: .visitor(returningTo: path), answers: .response,
            costs: .dear, handler: add),
        Route(
            .post, "\(path)/{passkey}/remove", .page, takes: .visitor(returningTo: path),
            .passkey, answers: .response, handler: remove),
        Route(.post, "\(signInPath)/options", .page, answers: .response, handler: requestOptions),
        Route(.post, signInPath, .page, answers: .response, costs: .dear, handler: signIn),
    ]

    private enum Done: String {
        case added, removed

        var text: String {
            switch self {
            case .added: "Added. You can sign in with it from now on."
            case .removed: "Removed."
            }
        }
    }

    // MARK: Adding

    @Sendable private static func creationOptions(
        _ call: Call, visitor: Visitor
    ) async throws -> Response {
        let form = try call.form()
        let (challenge, options) = try await call.services.accounts.beginPasskey(
            of: visitor.bearer, password: form["password"] ?? "", at: call.relyingParty(),
            from: call.client.networkName)
        return try await call.carrying(challenge, options.json)
    }

    @Sendable private static func add(_ call: Call, visitor: Visitor) async throws -> Response {
        let form = try call.form()
        guard let name = TokenName(form["name"] ?? "") else {
            return try await page(
                call, visitor,
                problem: Problem(
                    .unprocessableContent,
                    "Give it a name of at most \(TokenName.limit) characters."))
        }
        do {
            try await call.services.accounts.addPasskey(
                Registration(
                    clientDataJSON: form.bytes("clientDataJSON"),
                    attestationObject: form.bytes("attestationObject")),
                named: name, to: visitor.bearer, answering: try await call.passkeyChallenge(),
                at: call.relyingParty())
            return call.withoutChallenge(.seeOther("\(path)?done=\(Done.added.rawValue)"))
        } catch let error as AccountError {
            return try await page(call, visitor, problem: Problem(error))
        }
    }

    @Sendable private static func remove(
        _ call: Call, visitor: Visitor, id: UUID
    ) async throws -> Response {
        _ = try call.form()
        do {
            try await call.services.accounts.removePasskey(
                id, from: visitor.user,
                issuers: call.services.providers.map(\.configuration.issuer))
            return .seeOther("\(path)?done=\(Done.removed.rawValue)")
        } catch let error as AccountError {
            return try await page(call, visitor, problem: Problem(error))
        }
    }

    // MARK: Signing in

    @Sendable private static func requestOptions(_ call: Call) async throws -> Response {
        _ = try call.form()
        let (challenge, options) = call.services.accounts.beginPasskeySignIn(
            at: try call.relyingParty())
        return try await call.carrying(challenge, options.json)
    }

    @Sendable private static func signIn(_ call: Call) async throws -> Response {
        let form = try call.form()
        let returnPath = ReturnPath.parse(form["return"])
        do {
            let proof = try await call.services.accounts.signIn(
                Assertion(
                    credentialID: form.bytes("id"),
                    clientDataJSON: form.bytes("clientDataJSON"),
                    authenticatorData: form.bytes("authenticatorData"),
                    signature: form.bytes("signature"),
                    userHandle: form["userHandle"] == nil ? nil : form.bytes("userHandle")),
                answering: try await call.passkeyChallenge(), at: call.relyingParty(),
                from: call.client.networkName)
            return call.withoutChallenge(try await call.open(proof, returnPath: returnPath))
        } catch let error as AccountError {
            return call.withoutChallenge(
                SignInPage.page(call, problem: Problem(error), returnPath: returnPath))
        }
    }

    private static func page(
        _ call: Call, _ visitor: Visitor, notice: String? = nil, problem: Problem? = nil
    ) async throws -> Response {
        _ = try call.relyingParty()
        let services = call.services
        var page = PageModel(
            "Passkeys", description: "Sign in without a password.", path: nil,
            section: .settings, context: call.context)
        page.isIndexed = false
        page.script = services.assets.path("passkeys.js")
        async let passkeys = services.store.passkeys(userID: visitor.user.id)
        let hasPassword = try await services.accounts.hasPassword(visitor.user)
        let (token, _) = call.formToken()
        let content = HTML.passkeys(
            FormKeys(token: token), notice: notice, problem: problem?.detail,
            passkeys: try await passkeys.map { passkey in
                let use = passkey.usedAt.map { "last used \($0.dayInWords)" } ?? "not used yet"
                return PasskeyRow(
                    name: passkey.name, detail: "\(use); added \(passkey.createdAt.dayInWords)",
                    action: "\(path)/\(passkey.id.uuidString.lowercased())/remove")
            }, hasPassword: hasPassword, suggestedName: call.origin.device ?? "My passkey")
        return .privatePage(page, content, problem: problem)
    }
}

extension WebSettings {
    /// This site as passkeys know it; `nil` if it can have none.
    var relyingParty: RelyingParty? {
        guard let match = publicURL.wholeMatch(of: /(https?):\/\/([a-z0-9.-]+)(:[0-9]+)?/),
            match.1 == "https" || match.2 == "localhost",
            match.2.contains(where: \.isLetter)
        else { return nil }
        return RelyingParty(id: String(match.2), name: "Fave Games", origins: [publicURL])
    }
}

extension Call {
    /// - Throws: 404 if this site can have no passkeys.
    fileprivate func relyingParty() throws -> RelyingParty {
        guard let site = services.settings.relyingParty else {
            throw Problem.notFound("This site has no passkeys: its address has no domain.")
        }
        return site
    }

    private var challengeSeal: Seal {
        get async { Seal(await services.ownKeys.current().map(\.challengeKey)) }
    }

    /// An answer for our script, with a cookie that has the challenge.
    fileprivate func carrying(
        _ challenge: PasskeyChallenge, _ json: [UInt8]
    ) async throws -> Response {
        guard let sealed = await challengeSeal.seal(challenge.text) else {
            throw Problem(.unavailable, "This server has no key yet. Try again in a moment.")
        }
        var response = Response(
            headerFields: [
                .contentType: MediaType.json.description, .cacheControl: "no-store",
            ], body: json)
        response.headerFields.append(
            Cookie.challenge.setting(
                sealed, maximumAge: .seconds(PasskeyChallenge.lifetime),
                isSecure: services.settings.isSecure))
        return response
    }

    /// - Throws: `AccountError.passkeyRefused` if the browser carries none, or an old one.
    fileprivate func passkeyChallenge() async throws -> PasskeyChallenge {
        let cookie = Cookie.challenge.value(in: request, isSecure: services.settings.isSecure)
        guard let cookie, let text = await challengeSeal.open(cookie),
            let challenge = PasskeyChallenge(text: text)
        else { throw AccountError.passkeyRefused(.challengeMismatch) }
        return challenge
    }

    fileprivate func withoutChallenge(_ response: Response) -> Response {
        var response = response
        response.headerFields.append(
            Cookie.challenge.removing(isSecure: services.settings.isSecure))
        return response
    }
}

extension FormItems {
    /// The bytes of a field in base64url; none if it is missing or malformed.
    fileprivate func bytes(_ name: String) -> [UInt8] {
        self[name].flatMap { Base64URL.decode($0.utf8) }.map { Array($0) } ?? []
    }
}
