import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The page that an invitation to a circle leads to. Opening it changes nothing: only its form joins.
///
/// The token is in the query, and never in a path: queries are not logged, and browsers don't tell them
/// to other sites.
enum CircleInvitationPage {
    private static let joinPath = "\(Path.circles)/join"

    /// The address that an invited person opens.
    static func path(to token: SecretToken) -> String { "\(joinPath)?invitation=\(token.text)" }

    static let routes = [
        Route(
            .get, joinPath, .page, takes: .text("invitation"), returns: .response,
            caching: .never, crawling: .disallowed
        ) { context, invitation in try await page(context, invitation.flatMap(SecretToken.init)) },
        Route(
            .post, joinPath, .page, takes: .form(CircleInvitationsAPI.Token.self),
            returns: .response, handler: join),
    ]

    @Sendable private static func join(
        _ context: RequestContext, body: CircleInvitationsAPI.Token
    ) async throws -> Response {
        let visitor = try context.member(returnPath: path(to: body.invitation))
        let id = try await context.circles.join(with: body.invitation, as: visitor.user)
        return .seeOther(CirclePage.Done.joined.path(of: id))
    }

    private static func page(
        _ context: RequestContext, _ token: SecretToken?
    ) async throws -> Response {
        guard let token,
            let offer = try await context.services.store.circleOffer(
                tokenHash: token.hash, for: context.visitor?.user.id)
        else { throw CircleError.invitationInvalid }
        var page = PageModel(
            "Invitation to \(offer.circle.name)", description: "Join a circle.", path: nil,
            section: .people, context: context.pageContext)
        page.isIndexed = false
        let (key, cookie) = context.formToken()
        let content = HTML.circleInvitation(
            offer, keys: FormKeys(token: key), invitation: token.text, problem: context.problem(),
            isSignedIn: context.visitor != nil)
        return .privatePage(page, content, setting: cookie)
    }
}
