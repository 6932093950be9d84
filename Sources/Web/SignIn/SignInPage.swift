import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

enum SignInPage {
    static let path = "/sign-in"

    static let routes = [
        Route(
            .get, path, .page, takes: .returnPath, returns: .response,
            caching: .never, crawling: .disallowed, handler: show),
        Route(
            .post, path, .page, takes: .form(SessionsAPI.Credentials.self), .formReturnPath,
            returns: .response, costs: .dear, handler: submit),
    ]

    @Sendable private static func show(_ context: RequestContext, returnPath: String?) -> Response {
        if let visitor = context.visitor, context.sent == nil {
            return .seeOther(returnPath ?? Path.list(visitor.user.username))
        }
        return page(context, returnPath: returnPath)
    }

    @Sendable private static func submit(
        _ context: RequestContext, credentials: SessionsAPI.Credentials, returnPath: String?
    ) async throws -> Response {
        let proof = try await context.services.accounts.signIn(
            credentials.username, password: credentials.password, from: context.client.networkName,
            device: context.device)
        return try await context.open(proof, returnPath: returnPath)
    }

    /// - Parameter problem: Why the page is shown instead of another one.
    static func page(
        _ context: RequestContext, problem: Problem? = nil, returnPath: String?
    ) -> Response {
        let services = context.services
        var page = PageModel(
            .signIn, description: .aboutSigningIn,
            path: path, context: context.pageContext)
        page.isIndexed = false
        if services.settings.relyingParty != nil {
            page.script = services.assets.path("passkeys.js")
        }
        let (token, cookie) = context.formToken()
        let policy = services.accounts.policy
        let form = context.fields(of: path, showing: ["username": "", "password": ""])
        let content = View.signIn(
            FormKeys(token: token, returnPath: returnPath),
            problem: problem?.detail ?? context.problem(besides: form),
            hasLocalAccounts: policy.hasLocalAccounts, form: form,
            forgotten: policy.sendsResets ? MailPages.forgotPath : RecoveryPage.path,
            hasPasskeys: services.settings.relyingParty != nil,
            providers: context.providerLinks(returnPath: returnPath),
            signUpHref: policy.hasLocalAccounts
                ? ReturnPath.appending(returnPath, to: SignUpPage.path) : nil,
            signUp: context.signUpOffer)
        return .privatePage(page, content, problem: problem, setting: cookie)
    }
}
