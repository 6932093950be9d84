import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

enum SignOutPage {
    static let path = "/sign-out"

    static let routes = [
        Route(
            .get, path, .page, returns: .response, crawling: .disallowed, handler: show),
        Route(.post, path, .page, returns: .response, handler: submit),
    ]

    /// The page for people who open the address: signing out requires a form.
    @Sendable private static func show(_ context: RequestContext) -> Response {
        guard context.visitor != nil else { return .seeOther("/") }
        var page = PageModel(
            .signOut, description: .signOut(of: context.services.settings.site.name),
            path: nil, context: context.pageContext)
        page.isIndexed = false
        let (token, cookie) = context.formToken()
        return .privatePage(
            page, .signOut(FormKeys(token: token), problem: context.problem()), setting: cookie)
    }

    @Sendable private static func submit(_ context: RequestContext) async throws -> Response {
        // Someone who is already signed out has what they want.
        guard let visitor = context.visitor else { return .seeOther("/") }
        try await context.services.accounts.endSession(visitor.sessionID)
        return context.signedOut(to: HomePage.Farewell.signedOut.path)
    }
}
