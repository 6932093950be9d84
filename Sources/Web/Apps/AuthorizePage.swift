import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

/// The page that asks people whether an app may use their account: the authorization endpoint of OAuth
/// 2.1. Anyone who is signed in can use it, however they signed in.
enum AuthorizePage {
    static let path = "/oauth/authorize"

    static let routes = [
        Route(
            .get, path, .page, returns: .response, caching: .never, crawling: .disallowed,
            handler: show),
        Route(.post, path, .page, returns: .response, costs: .dear, handler: submit),
    ]

    @Sendable private static func show(_ context: RequestContext) async throws -> Response {
        let request: AuthorizationRequest
        do {
            request = try await AuthorizationRequest(context)
        } catch let refusal as AuthorizationRequest.Refusal {
            // A link to this site must not send strangers to an address that anyone can register: RFC
            // 9700 section 4.11.2.
            _ = try context.signedInVisitor()
            return try leave(for: refusal.app, at: refusal.address, context)
        }
        let visitor = try context.signedInVisitor()
        var page = PageModel(
            .letIn(app: request.app.name), description: .aboutAskingApp,
            path: nil, context: context.pageContext)
        page.isIndexed = false
        let content = View.authorize(
            FormKeys(token: context.formToken().token),
            // The form has the whole request in its address, so it is read as it was.
            action: ReturnPath.of(context.request.target) ?? path, app: request.app,
            username: visitor.user.username,
            scopes: TokenScope.allCases.filter(request.scopes.contains),
            destination: request.back.redirect.origin.description)
        return .privatePage(page, content)
    }

    @Sendable private static func submit(_ context: RequestContext) async throws -> Response {
        let request: AuthorizationRequest
        do {
            request = try await AuthorizationRequest(context)
        } catch let refusal as AuthorizationRequest.Refusal {
            return try leave(for: refusal.app, at: refusal.address, context)
        }
        let returnPath = ReturnPath.of(context.request.target)
        let visitor = try context.signedInVisitor(returnPath: returnPath)
        guard context.sent?["decision"] == "allow" else {
            let address = request.back.address(
                ("error", "access_denied"), ("error_description", "The person said no."))
            return try leave(for: request.app.name, at: address, context)
        }
        let code = try await context.services.accounts.letIn(
            request.binding, scopes: request.scopes, to: visitor.bearer, from: context.origin)
        guard let code else { throw SignInRequired(returnPath: returnPath) }
        return try leave(for: request.app.name, at: request.back.address(("code", code)), context)
    }

    /// Sends the browser back by way of a page: browsers refuse to follow a form to another site, be it
    /// this page's or that for signing in (form-action of the Content-Security-Policy applies to
    /// redirects, too).
    private static func leave(
        for name: String, at address: String, _ context: RequestContext
    ) throws -> Response {
        guard let address = RedirectAddress(madeHere: address) else {
            throw Problem.badRequest(.appHasNoAddress)
        }
        var page = PageModel(
            .backTo(name), description: .backTo(name), path: nil,
            context: context.pageContext)
        page.isIndexed = false
        page.redirect = address
        return .privatePage(
            page,
            .continueTo(
                name, lead: "If nothing happens, use the button below.", href: address))
    }
}
