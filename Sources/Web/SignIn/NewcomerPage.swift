import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

/// Someone whom a provider has sent here for the first time chooses a name, and who sees their list.
/// Until then nothing about them is stored here: their browser carries the signed identity.
enum NewcomerPage {
    static let path = "/sign-up/name"

    static let routes = [
        Route(
            .get, path, .page, returns: .response, caching: .never, crawling: .disallowed,
            handler: show),
        Route(.post, path, .page, takes: .form(Form.self), returns: .response, handler: submit),
    ]

    /// Sends a newcomer to the page.
    static func redirect(
        _ context: RequestContext, _ identity: ProviderIdentity, returnPath: String?
    ) async throws -> Response {
        let newcomer = Newcomer(identity, returnPath: returnPath)
        guard let sealed = await context.newcomerSeal.seal(newcomer.text) else {
            throw Problem(.unavailable, .noKeyYet)
        }
        var response = Response.seeOther(path)
        response.headerFields.append(
            Cookie.newcomer.setting(
                sealed, maximumAge: .seconds(Newcomer.lifetime),
                at: context.services.settings.cookieSite))
        return response
    }

    @Sendable private static func show(_ context: RequestContext) async throws -> Response {
        guard let newcomer = await context.newcomer else { return expired(context) }
        let identity = newcomer.identity
        let username = try await context.services.accounts.freeUsername(for: identity)
        return page(
            context, newcomer, username: username.description,
            displayName: identity.displayName.flatMap { DisplayName($0)?.text }
                ?? username.description)
    }

    private struct Form: RequestBody {
        let username: Username
        let displayName: DisplayName
        let visibility: Visibility

        init?(from reader: inout JSONObjectReader) {
            let username = reader.required("username", .username)
            let displayName = reader.required("displayName", .displayName)
            let visibility = reader.required("visibility", .visibility)
            guard let username, let displayName, let visibility else { return nil }
            self.username = username
            self.displayName = displayName
            self.visibility = visibility
        }
    }

    @Sendable private static func submit(_ context: RequestContext, form: Form) async throws
        -> Response
    {
        guard let newcomer = await context.newcomer else { return expired(context) }
        return try await context.open(returnPath: newcomer.returnPath) { context in
            try await context.services.accounts.signUp(
                with: newcomer.identity, provedAt: newcomer.provedAt, as: form.username,
                displayName: form.displayName, visibility: form.visibility,
                invitation: context.invitation, from: context.client.networkName)
        }.response
    }

    private static func expired(_ context: RequestContext) -> Response {
        if let visitor = context.visitor, context.sent?.problem == nil {
            return .seeOther(Path.list(visitor.user.username))
        }
        return SignInPage.page(
            context, problem: .badRequest(.signInExpired), returnPath: nil
        )
    }

    private static func page(
        _ context: RequestContext, _ newcomer: Newcomer, username: String, displayName: String
    ) -> Response {
        var page = PageModel(
            .chooseYourName, description: .aboutNames, path: path,
            context: context.pageContext)
        page.isIndexed = false
        let (token, cookie) = context.formToken()
        let content = View.newcomer(
            FormKeys(token: token, returnPath: newcomer.returnPath),
            form: context.fields(
                of: path,
                showing: [
                    "username": username, "displayName": displayName,
                    "visibility": Visibility.public.rawValue,
                ]), hasRules: context.services.settings.site.rules != nil)
        return .privatePage(page, content, setting: cookie)
    }
}

/// Someone with an identity that a provider has just proved, who has no account here.
private struct Newcomer: Sendable {
    let identity: ProviderIdentity
    let provedAt: Date
    let returnPath: String?

    /// In seconds.
    static let lifetime = 1800

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()

    private struct Members: Codable {
        let issuer: String
        let subject: String
        let suggestedName: String?
        let displayName: String?
        let provedAt: Double
        let returnPath: String?
    }

    init(_ identity: ProviderIdentity, returnPath: String?) {
        self.identity = identity
        provedAt = Date()
        self.returnPath = returnPath
    }

    /// - Returns: `nil` if `text` did not make this text, or made it too long ago.
    init?(text: String) {
        guard let members = try? JSONDecoder().decode(Members.self, from: Data(text.utf8)),
            case let age = Date().timeIntervalSince1970 - members.provedAt,
            age < Double(Self.lifetime)
        else { return nil }
        identity = ProviderIdentity(
            issuer: members.issuer, subject: members.subject,
            suggestedName: members.suggestedName, displayName: members.displayName)
        provedAt = Date(timeIntervalSince1970: members.provedAt)
        returnPath = ReturnPath.parse(members.returnPath)
    }

    /// The text for the cookie. Long members are cut or left out, because browsers limit the size of
    /// cookies.
    var text: String {
        func cut(_ name: String?) -> String? {
            guard var name else { return nil }
            while name.utf8.count > 120 { name.unicodeScalars.removeLast() }
            return name
        }
        let members = Members(
            issuer: identity.issuer, subject: identity.subject,
            suggestedName: cut(identity.suggestedName), displayName: cut(identity.displayName),
            provedAt: provedAt.timeIntervalSince1970,
            returnPath: returnPath)
        let data = (try? Self.encoder.encode(members)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}

extension RequestContext {
    fileprivate var newcomerSeal: Seal {
        get async { Seal(await services.ownKeys.current().map(\.identityKey)) }
    }

    /// The newcomer whose identity the browser carries. Someone else may be signed in there: their
    /// session is replaced.
    fileprivate var newcomer: Newcomer? {
        get async {
            let cookie = Cookie.newcomer.value(
                in: request, at: services.settings.cookieSite)
            guard let cookie else { return nil }
            return await newcomerSeal.open(cookie).flatMap(Newcomer.init)
        }
    }
}
