import Actions
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// The page that an invitation to a circle leads to. Opening it changes nothing: only its form joins.
///
/// The token is in the query, and never in a path: queries are not logged, and browsers don't tell them
/// to other sites.
enum CircleInvitationPage {
    private static let path = Path.circleInvitation

    /// The address that an invited person opens.
    static func path(to token: SecretToken) -> String { "\(path)?invitation=\(token.text)" }

    static let routes = [
        Route(
            .get, path, .page, takes: .text("invitation"), returns: .response,
            caching: .never, crawling: .disallowed
        ) { context, invitation in try await page(context, invitation.flatMap(SecretToken.init)) },
        Route(
            .post, path, .page, takes: .form(Form.self), returns: .response, handler: join),
    ]

    private struct Form: RequestBody {
        let invitation: SecretToken
        let hasAccount: Bool

        init?(from reader: inout JSONObjectReader) {
            let body = CircleInvitationsAPI.Token(from: &reader)
            hasAccount = reader.optional("hasAccount", .boolean(example: true)) ?? false
            guard let body else { return nil }
            invitation = body.invitation
        }
    }

    @Sendable private static func join(
        _ context: RequestContext, form: Form
    ) async throws -> Response {
        let token = form.invitation
        guard let visitor = context.visitor else {
            let canSignUp = context.signUpOffer == .open
            return .seeOther(
                ReturnPath.appending(
                    confirmedPath(context, to: token),
                    to: canSignUp && !form.hasAccount ? SignUpPage.path : SignInPage.path))
        }
        let circle = try await join(context, with: token, as: visitor.user)
        return .seeOther(CirclePage.Done.joined.path(of: circle))
    }

    private static func join(
        _ context: RequestContext, with token: SecretToken, as user: User
    ) async throws -> Circle {
        let id = try await context.circles.join(with: token, as: user)
        return try await context.circle(id, seenBy: user.id).circle
    }

    // MARK: Before signing in

    /// Where someone who has sent the form goes after signing up or in. The address has a proof that
    /// the form was sent: only this browser's own form could make it, and not a link.
    private static func confirmedPath(_ context: RequestContext, to token: SecretToken) -> String {
        let proof = context.guestSecret?.derive(purpose(token)) ?? ""
        return "\(path(to: token))&confirmed=\(proof)"
    }

    private static func purpose(_ token: SecretToken) -> String { "join \(token.text)" }

    /// Joins the circle whose invitation's form was sent before signing up or in.
    ///
    /// - Parameter returnPath: Where the browser goes next.
    /// - Returns: Where it goes instead; `nil` if no such form was sent in this browser, or if joining
    ///   fails: the invitation's page then says why, or lets people try again.
    static func finishJoining(
        _ context: RequestContext, as user: User, returnPath: String
    ) async -> String? {
        guard let target = try? RequestTarget(parsing: returnPath), target.path == path,
            let items = try? target.queryItems(), let proof = items["confirmed"],
            let token = items["invitation"].flatMap(SecretToken.init),
            context.guestSecret?.derives(purpose(token), is: proof) == true
        else { return nil }
        let circle = try? await join(context, with: token, as: user)
        return circle.map { CirclePage.Done.joined.path(of: $0) }
    }

    private static func page(
        _ context: RequestContext, _ token: SecretToken?
    ) async throws -> Response {
        guard let token,
            let offer = try await context.services.store.circleOffer(
                tokenHash: token.hash, for: context.visitor?.user.id)
        else { throw CircleError.invitationInvalid }
        var page = PageModel(
            .join(circle: offer.circle.name), description: description(offer), path: nil,
            section: .people, context: context.pageContext)
        page.isIndexed = false
        if page.isForMachines {
            let settings = context.services.settings
            page.image = PreviewImage(
                settings.card(of: offer), of: path, query: CardPictures.query(of: token),
                words: .about(offer.circle.name, page.description),
                publicURL: settings.publicURL)
        }
        let (key, cookie) = context.formToken()
        let content = View.circleInvitation(
            offer, keys: FormKeys(token: key), invitation: token.text, problem: context.problem(),
            isSignedIn: context.visitor != nil,
            signUp: context.signUpOffer)
        return .privatePage(page, content, setting: cookie)
    }

    private static func description(_ offer: CircleOffer) -> Words {
        let text = offer.circle.description
        return text.isEmpty
            ? .circleInvitation(from: offer.owner)
            : .circleInvitation(from: offer.owner, description: text)
    }
}
