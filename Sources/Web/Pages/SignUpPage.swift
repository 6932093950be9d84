import FaveGames
import HTTP
import HTTPTypes
import Identity
import Views

enum SignUpPage {
    static let routes = [
        Route(
            .get, "/sign-up", .page, takes: .returnPath, .text("invitation"),
            answers: .response, caching: .never, crawling: .disallowed, handler: show),
        Route(.post, "/sign-up", .page, answers: .response, costs: .dear, handler: submit),
    ]

    @Sendable private static func show(
        _ call: Call, returnPath: String?, invitation: String?
    ) async throws -> Response {
        if let visitor = call.visitor {
            return .seeOther(returnPath ?? Path.list(visitor.user.username))
        }
        guard call.services.accounts.policy.signUp == .invite, let invitation else {
            return page(call, username: FormField(), returnPath: returnPath)
        }
        guard let token = SecretToken(invitation),
            try await call.services.accounts.isValid(invitation: token)
        else {
            return page(
                call, problem: Problem(AccountError.invitationInvalid), username: FormField(),
                returnPath: returnPath)
        }
        // Kept by the browser, so that it also serves those who sign up with a provider.
        var response = page(
            call, username: FormField(), isInvited: true, returnPath: returnPath)
        response.headerFields.append(
            Cookie.invitation.setting(
                token.text, maximumAge: .seconds(3600), isSecure: call.services.settings.isSecure))
        return response
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
                name, password: form["password"] ?? "", invitation: call.invitation,
                from: call.client.networkName)
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
            case .usernameTaken, .usernameReserved, .blockedText: username.error = error.description
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
        password: FormField = FormField(), wantsCodes: Bool = false, isInvited: Bool = false,
        returnPath: String?
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
            problem: isAtField ? nil : problem?.detail,
            isOpen: policy.signUpIsOpen || isInvited || call.invitation != nil,
            isByInvitation: policy.signUp == .invite,
            hasLocalAccounts: policy.hasLocalAccounts, username: username, password: password,
            wantsCodes: wantsCodes,
            providers: call.providerLinks(returnPath: returnPath),
            signIn: ReturnPath.appending(returnPath, to: "/sign-in"))
        return .privatePage(page, content, problem: problem, setting: cookie)
    }
}
