import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

/// Setting a new password without the old one: with a recovery code, or with a link from the operator.
enum RecoveryPage {
    static let path = "/sign-in/recover"
    static let resetPath = "/sign-in/reset"

    static let routes = [
        Route(
            .get, path, .page, returns: .response, caching: .never, crawling: .disallowed
        ) { context in
            guard context.services.accounts.policy.hasLocalAccounts else {
                throw Problem.notFound(.noLocalAccounts)
            }
            return page(context)
        },
        Route(
            .post, path, .page, takes: .form(RecoveryAPI.Recovery.self), returns: .response,
            costs: .dear, handler: recover),
        Route(
            .get, resetPath, .page, takes: .text("token"), returns: .response, caching: .never,
            crawling: .disallowed, handler: showReset),
        Route(
            .post, resetPath, .page, takes: .form(Reset.self), returns: .response, costs: .dear,
            handler: reset),
    ]

    private struct Reset: RequestBody {
        let link: String
        let password: String

        init?(from reader: inout JSONObjectReader) {
            let link = reader.required("reset", .text(.token))
            let password = reader.required("newPassword", .newPassword)
            guard let link, let password else { return nil }
            self.link = link
            self.password = password
        }
    }

    @Sendable private static func recover(
        _ context: RequestContext, recovery: RecoveryAPI.Recovery
    ) async throws -> Response {
        let proof = try await context.services.accounts.recover(
            recovery.username, code: recovery.code, newPassword: recovery.password,
            from: context.client.networkName, device: context.device)
        return try await context.open(proof, returnPath: SettingsPage.Saved.recovered.path)
    }

    @Sendable private static func showReset(_ context: RequestContext, token: String?) async throws
        -> Response
    {
        let token = context.sent?["reset"] ?? token ?? ""
        let user = try await context.services.accounts.user(
            resetToken: token, from: context.client.networkName)
        return page(context, username: user.username, resetToken: token)
    }

    @Sendable private static func reset(_ context: RequestContext, body: Reset) async throws
        -> Response
    {
        let proof = try await context.services.accounts.reset(
            body.link, newPassword: body.password, from: context.client.networkName)
        return try await context.open(proof, returnPath: SettingsPage.Saved.recovered.path)
    }

    /// - Parameters:
    ///   - username: The owner of the link.
    ///   - resetToken: The token of the link that was opened; `nil` to ask for a code.
    private static func page(
        _ context: RequestContext, username: String = "", resetToken: String? = nil
    ) -> Response {
        var page = PageModel(
            .setNewPassword, description: .aboutRecovery, path: path,
            context: context.pageContext)
        page.isIndexed = false
        let (token, cookie) = context.formToken()
        let content = View.recover(
            FormKeys(token: token), username: username, resetToken: resetToken,
            form: context.fields(
                of: path, resetPath,
                showing: ["username": "", "code": "", "newPassword": ""]))
        return .privatePage(page, content, setting: cookie)
    }
}

/// The page with new recovery codes, which are shown once.
enum RecoveryCodesPage {
    static let path = "/settings/recovery-codes"

    static let routes = [
        Route(
            .post, path, .page, takes: .visitor(returningTo: "/settings"),
            .form(RecoveryAPI.Confirmation.self), on: "/settings", returns: .response,
            costs: .dear, handler: make)
    ]

    @Sendable private static func make(
        _ context: RequestContext, visitor: Visitor, confirmation: RecoveryAPI.Confirmation
    ) async throws -> Response {
        let codes = try await context.services.accounts.makeRecoveryCodes(
            of: visitor.bearer, password: confirmation.password ?? "",
            address: context.client.networkName)
        return page(context, codes, next: "/settings")
    }

    /// - Parameter next: Where to go once the codes are saved.
    static func page(_ context: RequestContext, _ codes: [RecoveryCode], next: String) -> Response {
        var page = PageModel(
            .recoveryCodes, description: .aboutRecoveryCodes, path: nil,
            context: context.pageContext)
        page.isIndexed = false
        return .privatePage(page, .recoveryCodes(codes.map(\.text), next: next))
    }
}
