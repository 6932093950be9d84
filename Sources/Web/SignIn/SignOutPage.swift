import Endpoints
import HTTP
import HTTPTypes
import Identity
import Views

enum SignOutPage {
    static let routes = [
        Route(
            .get, "/sign-out", .page, returns: .response, crawling: .disallowed, handler: show),
        Route(.post, "/sign-out", .page, returns: .response, handler: submit),
    ]

    /// The page for people who open the address: signing out requires a form.
    @Sendable private static func show(_ call: Call) -> Response {
        guard call.visitor != nil else { return .seeOther("/") }
        var page = PageModel(
            "Sign out", description: "Sign out of Fave Games.", path: nil, context: call.context)
        page.isIndexed = false
        let (token, cookie) = call.formToken()
        return .privatePage(
            page, .signOut(FormKeys(token: token), problem: call.problem()), setting: cookie)
    }

    @Sendable private static func submit(_ call: Call) async throws -> Response {
        // Someone who is already signed out has what they want.
        guard let visitor = call.visitor else { return .seeOther("/") }
        try await call.services.accounts.endSession(visitor.sessionID)
        return call.signedOut(to: HomePage.Farewell.signedOut.path)
    }
}
