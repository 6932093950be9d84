import FaveGames
import HTTP
import HTTPTypes
import Identity
import Views

/// Adding an address of mail, confirming it, and asking for a link to set a new password.
enum MailPages {
    static let forgotPath = "/sign-in/forgot"
    static let confirmPath = "/mail/confirm"

    static let routes = [
        Route(
            .post, "/settings/mail", .page, takes: .visitor(returningTo: "/settings"),
            answers: .response, costs: .dear, handler: add),
        Route(
            .post, "/settings/mail/remove", .page, takes: .visitor(returningTo: "/settings"),
            answers: .response, costs: .dear, handler: remove),
        Route(
            .get, confirmPath, .page, takes: .text("token"), answers: .response, caching: .never,
            crawling: .disallowed, handler: showConfirmation),
        Route(.post, confirmPath, .page, answers: .response, costs: .dear, handler: confirm),
        Route(
            .get, forgotPath, .page, answers: .response, caching: .never, crawling: .disallowed
        ) { call in
            guard call.services.accounts.policy.sendsResets else {
                throw Problem(AccountError.noMail)
            }
            return forgot(call)
        },
        Route(.post, forgotPath, .page, answers: .response, costs: .dear, handler: sendReset),
    ]

    @Sendable private static func add(_ call: Call, visitor: Visitor) async throws -> Response {
        let form = try call.form()
        var rejected = SettingsPage.Rejected()
        let typed = form["address"] ?? ""
        rejected.mail = FormField(typed)
        guard let address = MailAddress(typed) else {
            rejected.mail?.error = "Type an address like jane@mail.example."
            return try await SettingsPage.page(call, visitor, rejected)
        }
        do {
            try await call.services.accounts.addMailAddress(
                address, to: visitor.bearer, password: form["password"] ?? "",
                from: call.client.networkName)
            return .seeOther(SettingsPage.Saved.mail.path)
        } catch AccountError.wrongPassword {
            rejected.mailPasswordError = AccountError.wrongPassword.description
        } catch let error as AccountError {
            rejected.problem = Problem(error)
        }
        return try await SettingsPage.page(call, visitor, rejected)
    }

    @Sendable private static func remove(_ call: Call, visitor: Visitor) async throws -> Response {
        let form = try call.form()
        var rejected = SettingsPage.Rejected()
        do {
            try await call.services.accounts.removeMailAddress(
                of: visitor.bearer, password: form["password"] ?? "",
                from: call.client.networkName)
            return .seeOther(SettingsPage.Saved.mailRemoved.path)
        } catch AccountError.wrongPassword {
            rejected.mailPasswordError = AccountError.wrongPassword.description
        } catch let error as AccountError {
            rejected.problem = Problem(error)
        }
        return try await SettingsPage.page(call, visitor, rejected)
    }

    /// Only a form confirms: programs that check mail open every link in it.
    @Sendable private static func showConfirmation(
        _ call: Call, token: String?
    ) async throws -> Response {
        do {
            let found = try await call.services.accounts.mailVerification(
                token ?? "", from: call.client.networkName)
            var page = PageModel(
                "Confirm your address", description: "Use this address for your account.",
                path: nil, context: call.context)
            page.isIndexed = false
            let (key, cookie) = call.formToken()
            return .privatePage(
                page,
                .mailConfirmation(
                    FormKeys(token: key), link: token ?? "", address: found.address,
                    username: found.username), setting: cookie)
        } catch let error as AccountError {
            throw Problem(error)
        }
    }

    @Sendable private static func confirm(_ call: Call) async throws -> Response {
        let form = try call.form()
        do {
            try await call.services.accounts.confirmMailAddress(
                form["link"] ?? "", from: call.client.networkName)
            return .seeOther(SettingsPage.Saved.mailConfirmed.path)
        } catch let error as AccountError {
            throw Problem(error)
        }
    }

    @Sendable private static func sendReset(_ call: Call) async throws -> Response {
        let form = try call.form()
        let typed = form["account"] ?? ""
        guard !typed.isEmpty, typed.utf8.count <= MailAddress.limit else {
            return forgot(
                call, account: FormField(typed, error: "Type your username or your address."),
                problem: Problem(.unprocessableContent, "Type your username or your address."))
        }
        do {
            try await call.services.accounts.sendReset(of: typed, from: call.client.networkName)
            return forgot(call, isSent: true)
        } catch let error as AccountError {
            return forgot(call, account: FormField(typed), problem: Problem(error))
        }
    }

    private static func forgot(
        _ call: Call, account: FormField = FormField(), isSent: Bool = false,
        problem: Problem? = nil
    ) -> Response {
        var page = PageModel(
            "Forgot your password?", description: "Get a link by mail.", path: forgotPath,
            context: call.context)
        page.isIndexed = false
        let (token, cookie) = call.formToken()
        return .privatePage(
            page,
            .forgot(
                FormKeys(token: token), problem: account.error == nil ? problem?.detail : nil,
                isSent: isSent, account: account),
            problem: problem, setting: cookie)
    }
}

extension AccountPolicy {
    /// Whether people can get a link to set a new password by mail.
    var sendsResets: Bool { hasMail && hasLocalAccounts }
}
