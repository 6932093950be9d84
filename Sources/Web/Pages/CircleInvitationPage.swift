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
            .get, joinPath, .page, takes: .text("invitation"), answers: .response,
            caching: .never, crawling: .disallowed
        ) { call, invitation in try await page(call, invitation.flatMap(SecretToken.init)) },
        Route(.post, joinPath, .page, answers: .response, handler: join),
    ]

    @Sendable private static func join(_ call: Call) async throws -> Response {
        // Someone who isn't signed in changes nothing, but comes back to this page later.
        let form = try call.visitor == nil ? call.unprovenForm() : call.form()
        guard let token = form["invitation"].flatMap(SecretToken.init) else {
            throw CircleError.invitationInvalid
        }
        let visitor = try call.member(returnPath: path(to: token))
        do {
            let id = try await call.services.store.joinCircle(
                tokenHash: token.hash, by: visitor.user.id)
            return .seeOther(CirclePage.Done.joined.path(of: id))
        } catch CircleError.full {
            return try await page(call, token, problem: Problem(CircleError.full))
        } catch CircleError.tooManyJoined {
            return try await page(call, token, problem: Problem(CircleError.tooManyJoined))
        }
    }

    private static func page(
        _ call: Call, _ token: SecretToken?, problem: Problem? = nil
    ) async throws -> Response {
        guard let token,
            let offer = try await call.services.store.circleOffer(
                tokenHash: token.hash, for: call.visitor?.user.id)
        else { throw CircleError.invitationInvalid }
        var page = PageModel(
            "Invitation to \(offer.circle.name)", description: "Join a circle.", path: nil,
            section: .people, context: call.context)
        page.isIndexed = false
        let (key, cookie) = call.formToken()
        let content = HTML.circleInvitation(
            offer, keys: FormKeys(token: key), invitation: token.text, problem: problem?.detail,
            isSignedIn: call.visitor != nil)
        return .privatePage(page, content, problem: problem, setting: cookie)
    }
}
