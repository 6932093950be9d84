import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// The page where users change their own settings. `SettingsForms` handles its forms.
enum SettingsPage {
    /// The change that was just made, which the page confirms.
    enum Saved: String {
        case profile, username, formerUsername, password, recovered, connected, disconnected,
            signedOut, mail, mailConfirmed, mailRemoved

        var path: String { "/settings?saved=\(rawValue)" }

        var text: Words {
            switch self {
            case .profile: .profileSaved
            case .username: .usernameSaved
            case .formerUsername: .usernameReleased
            case .password: .passwordSet
            case .recovered: .accountRecovered
            case .connected: .providerConnected
            case .disconnected: .providerDisconnected
            case .signedOut: .deviceSignedOut
            case .mail: .checkYourMail
            case .mailConfirmed: .addressConfirmed
            case .mailRemoved: .addressRemoved
            }
        }
    }

    static let routes =
        [
            Route(
                .get, "/settings", .page, takes: .visitor, .text("saved"), returns: .response
            ) { context, visitor, saved in
                try await page(context, visitor, saved: saved.flatMap(Saved.init))
            },
            // Where password managers look for the page, https://w3c.github.io/webappsec-change-password-url
            Route(.get, "/.well-known/change-password", .file, returns: .response, caching: .never)
            {
                _ in .temporaryRedirect(to: "/settings#password")
            },
        ] + SettingsForms.routes

    private static func page(
        _ context: RequestContext, _ visitor: Visitor, saved: Saved?
    ) async throws -> Response {
        let services = context.services
        let user = visitor.user
        var page = PageModel(
            .settings, description: .aboutSettings, path: nil,
            section: .settings, context: context.pageContext)
        page.isIndexed = false
        async let linked = services.store.identities(userID: user.id)
        async let sessions = services.store.sessions(userID: user.id)
        async let codes = services.store.recoveryCodeCount(userID: user.id)
        async let notices = services.store.moderationNotices(userID: user.id)
        async let mail = services.store.mailAddresses(userID: user.id)
        async let former = services.store.formerUsernames(userID: user.id)
        let hasPassword = try await services.accounts.hasPassword(user)
        let identities = try await linked
        let issuers = Set(services.providers.map(\.configuration.issuer))
        let usable = identities.filter { issuers.contains($0.issuer) }
        let linkable = services.providers.map(\.configuration)
            .filter { provider in !identities.contains { $0.issuer == provider.issuer } }
            .map { NamedLink(name: Words(name: $0.name), href: "/settings/connect/\($0.key)") }
        let hasLocalAccounts = services.accounts.policy.hasLocalAccounts
        let accounts = identities.map { identity in
            LinkedAccount(
                name: services.name(ofIssuer: identity.issuer), detail: identity.subject,
                disconnect: hasLocalAccounts && hasPassword
                    || usable.contains { $0.id != identity.id }
                    ? "/settings/disconnect/\(identity.id.text)" : nil)
        }
        var profile = [
            "displayName": user.displayName, "bio": user.bio,
            "visibility": user.chosenVisibility.rawValue,
            "showsRatings": user.showsRatings ? "yes" : "no",
        ]
        let languages = services.settings.languages
        if languages.areSeveral { profile["language"] = user.language ?? "" }
        let forms = SettingsPageForms(
            profile: context.fields(of: SettingsForms.profilePath, showing: profile),
            username: context.fields(
                of: SettingsForms.usernamePath, showing: ["username": user.username]),
            password: context.fields(
                of: SettingsForms.passwordPath,
                showing: ["currentPassword": "", "newPassword": ""]),
            codes: context.fields(of: RecoveryCodesPage.path, showing: ["password": ""]),
            mail: context.fields(
                of: MailPages.path, MailPages.removalPath,
                showing: ["address": "", "password": ""]),
            connecting: context.fields(of: linkable.map(\.href), showing: ["password": ""]),
            deletion: context.fields(
                of: SettingsForms.deletionPath, showing: ["username": "", "password": ""]))
        let content = View.settings(
            FormKeys(token: context.formToken().token),
            saved: saved?.text, problem: context.problem(besides: forms.all), person: Person(user),
            address: services.settings.spoken(Path.list(user.username)),
            forms: forms,
            languages: languages.areSeveral ? languages.all : [],
            former: try await former.map {
                NamedAction(name: Words(name: $0), action: "/settings/former-usernames/\($0)")
            },
            hasLocalAccounts: hasLocalAccounts, hasPassword: hasPassword,
            codes: try await codes, accounts: accounts, linkable: linkable,
            devices: try await sessions.map { Device($0, of: visitor) },
            notices: try await notices.map {
                NoticeCard(
                    action: $0.action, doneAt: $0.doneAt, reason: $0.reason, comment: $0.comment,
                    game: $0.game, circle: $0.circle, until: $0.until)
            }, invites: services.accounts.policy.signUp == .invite,
            mail: services.accounts.policy.hasMail
                ? (verified: try await mail.verified, pending: try await mail.pending) : nil,
            hasPasskeys: services.settings.relyingParty != nil,
            isModerator: user.role.mayModerate)
        return .privatePage(page, content)
    }
}

extension Device {
    fileprivate init(_ session: SessionRecord, of visitor: Visitor) {
        self.init(
            name: session.app.map { Words(name: $0.name) }
                ?? session.origin.device.map(DeviceName.words)
                ?? (session.kind == .api ? .aProgram : .unknownBrowser),
            appMay: session.app.map { app in
                TokenScope.allCases.filter(app.scopes.contains).map(\.title)
            },
            usedAt: session.seenAt, signedInAt: session.createdAt,
            network: session.origin.network,
            action: session.id == visitor.sessionID
                ? nil : "/settings/sessions/\(session.id.text)/end")
    }
}

extension Services {
    /// The operator's name for a provider, or its address if it is no longer configured.
    fileprivate func name(ofIssuer issuer: String) -> String {
        providers.first { $0.configuration.issuer == issuer }?.configuration.name
            ?? String(issuer.trimmingPrefix("https://").trimmingPrefix("http://"))
    }
}
