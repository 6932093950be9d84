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
    static let path = "\(Path.circles)/join"

    /// The address that an invited person opens.
    static func path(to token: SecretToken) -> String { "\(path)?invitation=\(token.text)" }

    static let routes = [
        Route(
            .get, path, .page, takes: .text("invitation"), returns: .response,
            caching: .never, crawling: .disallowed
        ) { context, invitation in try await page(context, invitation.flatMap(SecretToken.init)) },
        Route(
            .post, path, .page, takes: .form(CircleInvitationsAPI.Token.self),
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
            "Invitation to \(offer.circle.name)", description: description(offer), path: nil,
            section: .people, context: context.pageContext)
        page.isIndexed = false
        if page.isForMachines {
            let settings = context.services.settings
            page.image = PreviewImage(
                settings.card(of: offer), of: path, query: CardPictures.query(of: token),
                words: "\(offer.circle.name): \(page.description)",
                publicURL: settings.publicURL)
        }
        let (key, cookie) = context.formToken()
        let content = HTML.circleInvitation(
            offer, keys: FormKeys(token: key), invitation: token.text, problem: context.problem(),
            isSignedIn: context.visitor != nil)
        return .privatePage(page, content, setting: cookie)
    }

    private static func description(_ offer: CircleOffer) -> String {
        let text = offer.circle.description
        return "\(offer.owner) invites you"
            + (text.isEmpty ? " to a circle." : ": “\(text)”")
    }
}
