import Endpoints
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

/// Adding an email address, confirming it, and asking for a link to set a new password.
enum MailPages {
    static let path = "/settings/mail"
    static let removalPath = "/settings/mail/remove"
    static let forgotPath = "/sign-in/forgot"
    static let confirmPath = "/mail/confirm"

    static let routes = [
        Route(
            .post, path, .page, takes: .visitor(returningTo: "/settings"),
            .form(RecoveryAPI.NewAddress.self), on: "/settings", returns: .response, costs: .dear,
            handler: add),
        Route(
            .post, removalPath, .page, takes: .visitor(returningTo: "/settings"),
            .form(RecoveryAPI.Confirmation.self), on: "/settings", returns: .response,
            costs: .dear, handler: remove),
        Route(
            .get, confirmPath, .page, takes: .text("token"), returns: .response, caching: .never,
            crawling: .disallowed, handler: showConfirmation),
        Route(
            .post, confirmPath, .page, takes: .form(Link.self), returns: .response, costs: .dear,
            handler: confirm),
        Route(
            .get, forgotPath, .page, returns: .response, caching: .never, crawling: .disallowed
        ) { context in
            guard context.services.accounts.policy.sendsResets else {
                throw Problem(AccountError.noMail)
            }
            return forgot(context)
        },
        Route(
            .post, forgotPath, .page, takes: .form(RecoveryAPI.Reset.self), returns: .response,
            costs: .dear, handler: sendReset),
    ]

    @Sendable private static func add(
        _ context: RequestContext, visitor: Visitor, new: RecoveryAPI.NewAddress
    ) async throws -> Response {
        try await context.services.accounts.addMailAddress(
            new.address, to: visitor.bearer, password: new.password,
            from: context.client.networkName)
        return .seeOther(SettingsPage.Saved.mail.path)
    }

    @Sendable private static func remove(
        _ context: RequestContext, visitor: Visitor, confirmation: RecoveryAPI.Confirmation
    ) async throws -> Response {
        try await context.services.accounts.removeMailAddress(
            of: visitor.bearer, password: confirmation.password ?? "",
            from: context.client.networkName)
        return .seeOther(SettingsPage.Saved.mailRemoved.path)
    }

    /// Only a form confirms: programs that check mail open every link in it.
    @Sendable private static func showConfirmation(
        _ context: RequestContext, token: String?
    ) async throws -> Response {
        let token = context.sent?["link"] ?? token ?? ""
        let found = try await context.services.accounts.mailVerification(
            token, from: context.client.networkName)
        var page = PageModel(
            .confirmAddress, description: .aboutConfirming, path: nil,
            context: context.pageContext)
        page.isIndexed = false
        let (key, cookie) = context.formToken()
        return .privatePage(
            page,
            .mailConfirmation(
                FormKeys(token: key), problem: context.problem(), link: token,
                address: found.address, username: found.username), setting: cookie)
    }

    private struct Link: RequestBody {
        let link: String

        init?(from reader: inout JSONObjectReader) {
            guard let link = reader.required("link", .text(.token)) else {
                return nil
            }
            self.link = link
        }
    }

    @Sendable private static func confirm(_ context: RequestContext, body: Link) async throws
        -> Response
    {
        try await context.services.accounts.confirmMailAddress(
            body.link, from: context.client.networkName)
        return .seeOther(SettingsPage.Saved.mailConfirmed.path)
    }

    @Sendable private static func sendReset(
        _ context: RequestContext, reset: RecoveryAPI.Reset
    ) async throws -> Response {
        try await context.services.accounts.sendReset(
            of: reset.account, from: context.client.networkName)
        return forgot(context, isSent: true)
    }

    private static func forgot(_ context: RequestContext, isSent: Bool = false) -> Response {
        var page = PageModel(
            .forgotYourPassword, description: .aboutMailedLinks, path: forgotPath,
            context: context.pageContext)
        page.isIndexed = false
        let (token, cookie) = context.formToken()
        return .privatePage(
            page,
            .forgot(
                FormKeys(token: token), isSent: isSent,
                form: context.fields(of: forgotPath, showing: ["account": ""])), setting: cookie)
    }
}

extension AccountPolicy {
    /// Whether people can get a link to set a new password by email.
    var sendsResets: Bool { hasMail && hasLocalAccounts }
}
