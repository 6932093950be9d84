import HTTP
import Identity
import Views

/// The page that a first administrator's link opens. It is for someone who is signed in, and says what
/// will happen before it happens.
enum AdministratorPage {
    static let path = "/administrator"

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("token"), answers: .response,
            caching: .never
        ) { call, visitor, token in page(call, visitor, token: token ?? "") },
        Route(
            .post, path, .page, takes: .visitor, answers: .response, handler: claim),
    ]

    @Sendable private static func claim(_ call: Call, visitor: Visitor) async throws -> Response {
        let form = try call.form()
        let invalid = Problem(
            .forbidden,
            "This link has been used or has expired, or there is an administrator already.")
        guard let token = SecretToken(form["link"] ?? ""),
            try await call.services.store.claimAdministration(
                userID: visitor.user.id, tokenHash: token.hash)
        else { return page(call, visitor, token: "", problem: invalid) }
        return .seeOther(ModerationPage.path)
    }

    private static func page(
        _ call: Call, _ visitor: Visitor, token: String, problem: Problem? = nil
    ) -> Response {
        var page = PageModel(
            "Become the administrator", description: "Take charge of this site.", path: nil,
            context: call.context)
        page.isIndexed = false
        let (key, _) = call.formToken()
        return .privatePage(
            page,
            .administrator(
                FormKeys(token: key), problem: problem?.detail, link: token,
                person: Person(visitor.user)), problem: problem)
    }
}
