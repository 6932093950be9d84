import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

enum SignUpPage {
    static let path = "/sign-up"

    static let routes = [
        Route(
            .get, path, .page, takes: .returnPath, .text("invitation"),
            returns: .response, caching: .never, crawling: .disallowed, handler: show),
        Route(
            .post, path, .page, takes: .correctable(.form(Form.self)), .formReturnPath,
            returns: .response,
            costs: .dear, handler: submit),
    ]

    @Sendable private static func show(
        _ context: RequestContext, returnPath: String?, invitation: String?
    ) async throws -> Response {
        if let visitor = context.visitor, context.sent == nil {
            return .seeOther(returnPath ?? Path.list(visitor.user.username))
        }
        guard context.services.accounts.policy.signUp == .invite, let invitation else {
            return page(context, returnPath: returnPath)
        }
        guard let token = SecretToken(invitation),
            try await context.services.accounts.isValid(invitation: token)
        else {
            return page(
                context, problem: Problem(AccountError.invitationInvalid), returnPath: returnPath)
        }
        // The browser stores the invitation, because signing up with a provider needs it, too.
        var response = page(context, isInvited: true, returnPath: returnPath)
        response.headerFields.append(
            Cookie.invitation.setting(
                token.text, maximumAge: .seconds(3600), at: context.services.settings.cookieSite
            ))
        return response
    }

    private struct Form: RequestBody {
        let user: UsersAPI.NewUser
        let wantsCodes: Bool

        init?(from reader: inout JSONObjectReader) {
            let user = UsersAPI.NewUser(from: &reader, checksPassword: true)
            wantsCodes = reader.optional("codes", .boolean(example: true)) ?? false
            guard let user else { return nil }
            self.user = user
        }
    }

    @Sendable private static func submit(
        _ context: RequestContext, form: Result<Form, Problem>, returnPath: String?
    ) async throws -> Response {
        let form = try await checked(form, context)
        let (proof, opened) = try await context.open(returnPath: returnPath) { context in
            try await context.services.accounts.signUp(
                form.user.username, password: form.user.password, invitation: context.invitation,
                from: context.client.networkName)
        }
        guard form.wantsCodes else { return opened }
        // Signed in in any case; the codes come before what is next.
        var response = RecoveryCodesPage.page(
            context, try await context.services.accounts.makeRecoveryCodes(of: proof),
            next: opened.headerFields[.location] ?? "/")
        for cookie in opened.headerFields[values: .setCookie] {
            response.headerFields.append(HTTPField(name: .setCookie, value: cookie))
        }
        return response
    }

    /// - Throws: Everything that is wrong with the form, also with a name that is taken.
    private static func checked(
        _ form: Result<Form, Problem>, _ context: RequestContext
    ) async throws -> Form {
        do {
            return try form.get()
        } catch {
            guard let items = context.sent?.items, let name = Username(items["username"] ?? "")
            else { throw error }
            var problem = error
            do {
                try await context.services.accounts.checkSignUp(
                    as: name, invitation: context.invitation)
            } catch {
                guard var other = Problem(refusal: error) else { throw error }
                other.locate(error, in: items)
                guard !other.errors.isEmpty else { throw error }
                problem.errors.insert(contentsOf: other.errors, at: 0)
            }
            throw problem
        }
    }

    private static func page(
        _ context: RequestContext, problem: Problem? = nil, isInvited: Bool = false,
        returnPath: String?
    ) -> Response {
        let services = context.services
        let policy = services.accounts.policy
        let offer = SignUpOffer(services, isInvited: isInvited || context.invitation != nil)
        var page = PageModel(
            offer.title, description: .aboutSigningUp,
            path: path, context: context.pageContext)
        page.isIndexed = false
        let (token, cookie) = context.formToken()
        let form = context.fields(of: path, showing: ["username": "", "password": "", "codes": ""])
        let content = View.signUp(
            FormKeys(token: token, returnPath: returnPath),
            problem: problem?.detail ?? context.problem(besides: form),
            offer: offer,
            isByInvitation: policy.signUp == .invite,
            hasLocalAccounts: policy.hasLocalAccounts, form: form,
            providers: context.providerLinks(returnPath: returnPath),
            signIn: ReturnPath.appending(returnPath, to: "/sign-in"),
            hasRules: services.settings.site.rules != nil)
        return .privatePage(page, content, problem: problem, setting: cookie)
    }
}
