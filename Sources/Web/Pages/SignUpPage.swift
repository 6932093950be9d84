import FaveGames
import HTTP
import HTTPTypes
import Identity

enum SignUpPage {
    struct Model: Sendable {
        let page: PageModel
        let token: String
        let returnTo: String?
        let problem: String?
        let isOpen: Bool
        let hasLocal: Bool
        let username: FieldModel
        let password: FieldModel
        let providers: [ProviderModel]
        let hasProviders: Bool
        let signIn: String
    }

    @Sendable
    static func show(_ call: Call) -> Response {
        let returnPath = ReturnPath.parse(call.query["return"])
        if let visitor = call.visitor {
            return .seeOther(returnPath ?? Path.list(visitor.user.username))
        }
        return page(call, username: FieldModel(), returnPath: returnPath)
    }

    static func submit(_ call: Call) async throws -> Response {
        let form: FormItems
        do {
            form = try call.form()
        } catch let problem as Problem where problem.status == .forbidden {
            let typed = try? FormItems(parsing: call.request.body)
            return page(
                call, problem: problem, username: FieldModel(typed?["username"]),
                returnPath: ReturnPath.parse(typed?["return"]))
        }
        let typed = form["username"] ?? ""
        let returnPath = ReturnPath.parse(form["return"])
        var username = FieldModel(typed)
        var password = FieldModel()
        do {
            guard let name = Username(typed) else {
                username.error = Username.rule
                return page(
                    call, problem: Problem(.unprocessableContent, Username.rule),
                    username: username, returnPath: returnPath)
            }
            let proof = try await call.services.accounts.signUp(
                name, password: form["password"] ?? "", from: call.client.network)
            return try await call.open(proof, returnPath: returnPath)
        } catch let error as AccountError {
            switch error {
            case .usernameTaken, .usernameReserved: username.error = error.description
            default: break
            }
            return page(
                call, problem: Problem(error), username: username, returnPath: returnPath)
        } catch let error as NewPassword.Weakness {
            password.error = error.description
            return page(
                call, problem: Problem(.unprocessableContent, error.description),
                username: username, password: password, returnPath: returnPath)
        }
    }

    private static func page(
        _ call: Call, problem: Problem? = nil, username: FieldModel,
        password: FieldModel = FieldModel(), returnPath: String?
    ) -> Response {
        let services = call.services
        let policy = services.accounts.policy
        var page = PageModel(
            "Sign up", description: "Keep a list of your five favourite games, and share it.",
            path: "/sign-up", context: call.context)
        page.noindex = true
        let (token, cookie) = call.formToken()
        let isAtField = username.error != nil || password.error != nil
        let model = Model(
            page: page, token: token, returnTo: returnPath,
            problem: isAtField ? nil : problem?.detail, isOpen: policy.signUpIsOpen,
            hasLocal: policy.hasLocalAccounts, username: username, password: password,
            providers: call.providerModels(returnPath: returnPath),
            hasProviders: !services.providers.isEmpty,
            signIn: ReturnPath.appending(returnPath, to: "/sign-in"))
        return .privatePage(
            services.views.render(.signUp, model), problem: problem, setting: cookie)
    }
}
