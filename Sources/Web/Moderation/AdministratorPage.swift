import Endpoints
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

/// The page that a first administrator's link opens. It is for someone who is signed in, and says what
/// will happen before it happens.
enum AdministratorPage {
    static let path = "/administrator"

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("token"), returns: .response,
            caching: .never
        ) { context, visitor, token in
            page(context, visitor, token: context.sent?["link"] ?? token ?? "")
        },
        Route(
            .post, path, .page, takes: .visitor(returningTo: path), .form(Claim.self),
            returns: .response, handler: claim),
    ]

    private struct Claim: RequestBody {
        let link: String

        init?(from reader: inout JSONObjectReader) {
            guard let link = reader.required("link", .text(.token)) else {
                return nil
            }
            self.link = link
        }
    }

    @Sendable private static func claim(
        _ context: RequestContext, visitor: Visitor, body: Claim
    ) async throws -> Response {
        guard let token = SecretToken(body.link),
            try await context.services.accounts.claimAdministration(with: token, as: visitor.user)
        else {
            throw Problem(
                .forbidden,
                .administratorLinkInvalid)
        }
        return .seeOther(ModerationPage.path)
    }

    private static func page(
        _ context: RequestContext, _ visitor: Visitor, token: String
    ) -> Response {
        var page = PageModel(
            .setUpSite, description: .aboutSettingUp, path: nil,
            context: context.pageContext)
        page.isIndexed = false
        let (key, _) = context.formToken()
        return .privatePage(
            page,
            .administrator(
                FormKeys(token: key), problem: context.problem(), link: token,
                person: Person(visitor.user)))
    }
}
