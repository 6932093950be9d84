import HTTP
import HTTPTypes
import Identity
import Views

/// Setting a new password without the old one: with a recovery code, or with a link from the operator.
enum RecoveryPage {
    static let path = "/sign-in/recover"
    static let resetPath = "/sign-in/reset"

    static let routes = [
        Route(
            .get, path, .page, answers: .response, caching: .never, crawling: .disallowed
        ) { call in
            guard call.services.accounts.policy.hasLocalAccounts else {
                throw Problem.notFound("This site has no accounts with passwords.")
            }
            return page(call)
        },
        Route(.post, path, .page, answers: .response, costs: .dear, handler: recover),
        Route(
            .get, resetPath, .page, takes: .text("token"), answers: .response, caching: .never,
            crawling: .disallowed, handler: showReset),
        Route(.post, resetPath, .page, answers: .response, costs: .dear, handler: reset),
    ]

    /// What was typed or sent, and what is wrong with it.
    private struct Rejected {
        var problem: Problem?
        var username = FormField()
        var password = FormField()
    }

    @Sendable private static func recover(_ call: Call) async throws -> Response {
        let form = try call.form()
        var rejected = Rejected()
        rejected.username = FormField(form["username"])
        do {
            let proof = try await call.services.accounts.recover(
                form["username"] ?? "", code: form["code"] ?? "",
                newPassword: form["new"] ?? "", from: call.client.networkName,
                device: call.device)
            return try await call.open(proof, returnPath: SettingsPage.Saved.recovered.path)
        } catch {
            try note(error, in: &rejected)
            return page(call, rejected)
        }
    }

    @Sendable private static func showReset(_ call: Call, token: String?) async throws -> Response {
        do {
            let user = try await call.services.accounts.user(
                resetToken: token ?? "", from: call.client.networkName)
            var shown = Rejected()
            shown.username = FormField(user.username)
            return page(call, shown, resetToken: token)
        } catch let error as AccountError {
            throw Problem(error)
        }
    }

    @Sendable private static func reset(_ call: Call) async throws -> Response {
        let form = try call.form()
        let token = form["reset"] ?? ""
        let accounts = call.services.accounts
        var rejected = Rejected()
        do {
            let proof = try await accounts.reset(
                token, newPassword: form["new"] ?? "", from: call.client.networkName)
            return try await call.open(proof, returnPath: SettingsPage.Saved.recovered.path)
        } catch let error as NewPassword.Weakness {
            let user = try await accounts.user(
                resetToken: token, from: call.client.networkName)
            rejected.username = FormField(user.username)
            try note(error, in: &rejected)
            return page(call, rejected, resetToken: token)
        } catch let error as AccountError {
            throw Problem(error)
        }
    }

    private static func note(_ error: any Error, in rejected: inout Rejected) throws {
        switch error {
        case let error as NewPassword.Weakness:
            rejected.password.error = error.description
            rejected.problem = Problem(.unprocessableContent, error.description)
        case let error as AccountError: rejected.problem = Problem(error)
        default: throw error
        }
    }

    /// - Parameter resetToken: Of the link with which the page was opened; `nil` to ask for a code.
    private static func page(
        _ call: Call, _ rejected: Rejected = Rejected(), resetToken: String? = nil
    ) -> Response {
        var page = PageModel(
            "Set a new password", description: "Get back in without your password.", path: path,
            context: call.context)
        page.isIndexed = false
        let (token, cookie) = call.formToken()
        let content = HTML.recover(
            FormKeys(token: token),
            problem: rejected.password.error == nil ? rejected.problem?.detail : nil,
            resetToken: resetToken, username: rejected.username, password: rejected.password)
        return .privatePage(page, content, problem: rejected.problem, setting: cookie)
    }
}

/// The page with new recovery codes, which are shown once.
enum RecoveryCodesPage {
    static let routes = [
        Route(
            .post, "/settings/recovery-codes", .page, takes: .visitor(returningTo: "/settings"),
            answers: .response, costs: .dear, handler: make)
    ]

    @Sendable private static func make(_ call: Call, visitor: Visitor) async throws -> Response {
        let form = try call.form()
        do {
            let codes = try await call.services.accounts.makeRecoveryCodes(
                of: visitor.bearer, password: form["password"] ?? "",
                address: call.client.networkName)
            return page(call, codes, next: "/settings")
        } catch AccountError.wrongPassword {
            var rejected = SettingsPage.Rejected()
            rejected.codesError = AccountError.wrongPassword.description
            return try await SettingsPage.page(call, visitor, rejected)
        } catch let error as AccountError {
            return try await SettingsPage.page(
                call, visitor, SettingsPage.Rejected(Problem(error)))
        }
    }

    /// - Parameter next: Where to go once the codes are kept.
    static func page(_ call: Call, _ codes: [RecoveryCode], next: String) -> Response {
        var page = PageModel(
            "Recovery codes", description: "Ways back in without your password.", path: nil,
            context: call.context)
        page.isIndexed = false
        return .privatePage(page, .recoveryCodes(codes.map(\.text), next: next))
    }
}
