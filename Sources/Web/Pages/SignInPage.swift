import HTTP
import HTTPTypes
import Identity
import Views

enum SignInPage {
    static let routes = [
        Route(
            .get, "/sign-in", .page, takes: .returnPath, answers: .response,
            caching: .never, crawling: .disallowed, handler: show),
        Route(.post, "/sign-in", .page, answers: .response, costs: .dear, handler: submit),
    ]

    @Sendable private static func show(_ call: Call, returnPath: String?) -> Response {
        if let visitor = call.visitor {
            return .seeOther(returnPath ?? Path.list(visitor.user.username))
        }
        return page(call, returnPath: returnPath)
    }

    @Sendable private static func submit(_ call: Call) async throws -> Response {
        let form: FormItems
        do {
            form = try call.form()
        } catch let problem as Problem where problem.status == .forbidden {
            // Nothing that was typed is lost, except the password.
            let typed = try? FormItems(parsing: call.request.body)
            return page(
                call, problem: problem, username: typed?["username"],
                returnPath: ReturnPath.parse(typed?["return"]))
        }
        let username = form["username"] ?? ""
        let returnPath = ReturnPath.parse(form["return"])
        do {
            let proof = try await call.services.accounts.signIn(
                username, password: form["password"] ?? "", from: call.client.networkName,
                device: call.device)
            return try await call.open(proof, returnPath: returnPath)
        } catch let error as AccountError {
            return page(
                call, problem: Problem(error), username: username, returnPath: returnPath)
        }
    }

    /// - Parameter problem: Why the page is shown again.
    static func page(
        _ call: Call, problem: Problem? = nil, username: String? = nil, returnPath: String?
    ) -> Response {
        let services = call.services
        var page = PageModel(
            "Sign in", description: "Sign in to keep your list of five favourite games.",
            path: "/sign-in", context: call.context)
        page.isIndexed = false
        if services.settings.relyingParty != nil {
            page.script = services.assets.path("passkeys.js")
        }
        let (token, cookie) = call.formToken()
        let policy = services.accounts.policy
        let content = HTML.signIn(
            FormKeys(token: token, returnPath: returnPath), problem: problem?.detail,
            hasLocalAccounts: policy.hasLocalAccounts, username: FormField(username),
            forgotten: policy.sendsResets ? MailPages.forgotPath : RecoveryPage.path,
            hasPasskeys: services.settings.relyingParty != nil,
            providers: call.providerLinks(returnPath: returnPath),
            signUp: policy.signUpIsOpen && policy.hasLocalAccounts
                ? ReturnPath.appending(returnPath, to: "/sign-up") : nil)
        return .privatePage(page, content, problem: problem, setting: cookie)
    }
}
