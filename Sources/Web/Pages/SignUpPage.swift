import FaveGames
import HTTP
import HTTPTypes
import Identity
import Views

enum SignUpPage {
    static let routes = [
        Route(
            .get, "/sign-up", .page, takes: .returnPath, answers: .response,
            caching: .never, crawling: .disallowed, handler: show),
        Route(.post, "/sign-up", .page, answers: .response, costs: .dear, handler: submit),
    ]

    @Sendable private static func show(_ call: Call, returnPath: String?) -> Response {
        if let visitor = call.visitor {
            return .seeOther(returnPath ?? Path.list(visitor.user.username))
        }
        return page(call, username: FormField(), returnPath: returnPath)
    }

    @Sendable private static func submit(_ call: Call) async throws -> Response {
        let form: FormItems
        do {
            form = try call.form()
        } catch let problem as Problem where problem.status == .forbidden {
            let typed = try? FormItems(parsing: call.request.body)
            return page(
                call, problem: problem, username: FormField(typed?["username"]),
                wantsCodes: typed?["codes"] == "yes", returnPath: ReturnPath.parse(typed?["return"])
            )
        }
        let typed = form["username"] ?? ""
        let returnPath = ReturnPath.parse(form["return"])
        let wantsCodes = form["codes"] == "yes"
        var username = FormField(typed)
        var password = FormField()
        do {
            guard let name = Username(typed) else {
                username.error = Username.rule
                return page(
                    call, problem: Problem(.unprocessableContent, Username.rule),
                    username: username, wantsCodes: wantsCodes, returnPath: returnPath)
            }
            let proof = try await call.services.accounts.signUp(
                name, password: form["password"] ?? "", from: call.client.networkName)
            let opened = try await call.open(proof, returnPath: returnPath)
            guard wantsCodes else { return opened }
            // Signed in in any case; the codes come before what is next.
            var response = RecoveryCodesPage.page(
                call, try await call.services.accounts.makeRecoveryCodes(of: proof),
                next: opened.headerFields[.location] ?? "/")
            for cookie in opened.headerFields[values: .setCookie] {
                response.headerFields.append(HTTPField(name: .setCookie, value: cookie))
            }
            return response
        } catch let error as AccountError {
            switch error {
            case .usernameTaken, .usernameReserved: username.error = error.description
            default: break
            }
            return page(
                call, problem: Problem(error), username: username, wantsCodes: wantsCodes,
                returnPath: returnPath)
        } catch let error as NewPassword.Weakness {
            password.error = error.description
            return page(
                call, problem: Problem(.unprocessableContent, error.description),
                username: username, password: password, wantsCodes: wantsCodes,
                returnPath: returnPath)
        }
    }

    private static func page(
        _ call: Call, problem: Problem? = nil, username: FormField,
        password: FormField = FormField(), wantsCodes: Bool = false, returnPath: String?
    ) -> Response {
        let services = call.services
        let policy = services.accounts.policy
        var page = PageModel(
            "Sign up", description: "Keep a list of your five favourite games, and share it.",
            path: "/sign-up", context: call.context)
        page.isIndexed = false
        let (token, cookie) = call.formToken()
        let isAtField = username.error != nil || password.error != nil
        let content = HTML.signUp(
            FormKeys(token: token, returnPath: returnPath),
            problem: isAtField ? nil : problem?.detail, isOpen: policy.signUpIsOpen,
            hasLocalAccounts: policy.hasLocalAccounts, username: username, password: password,
            wantsCodes: wantsCodes,
            providers: call.providerLinks(returnPath: returnPath),
            signIn: ReturnPath.appending(returnPath, to: "/sign-in"))
        return .privatePage(page, content, problem: problem, setting: cookie)
    }
}
