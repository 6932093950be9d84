import FaveGames
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The page on which users change their own settings. `SettingsForms` has the actions of its forms.
enum SettingsPage {
    /// A rejected change: what was typed is shown again, together with what is wrong.
    struct Rejected: Sendable {
        /// The problem of the whole page. A field's own error is not repeated here.
        var problem: Problem?
        var displayName: FormField?
        var bio: FormField?
        var showsRatings: Bool?
        var visibility: Visibility?
        var visibilityError: String?
        var username: FormField?
        var password = PasswordFaults()
        var codesError: String?
        var connectingError: String?
        var mail: FormField?
        var mailPasswordError: String?
        var deletion = DeletionForm()

        init(_ problem: Problem? = nil) { self.problem = problem }
    }

    /// The change that was just made, which the page confirms.
    enum Saved: String {
        case profile, username, formerUsername, password, recovered, connected, disconnected,
            signedOut, mail, mailConfirmed, mailRemoved

        var path: String { "/settings?saved=\(rawValue)" }

        var text: String {
            switch self {
            case .profile: "Saved."
            case .username: "Saved. Links with your old username redirect to the new one."
            case .formerUsername: "That username no longer leads to you."
            case .password: "Your password is set. You’ve been signed out everywhere else."
            case .recovered:
                "Your new password is set, and you’re signed in. Every other way in is removed: sessions, passkeys, connected sign-ins, tokens and recovery codes. Make new ones as you need them."
            case .connected: "Connected. You can now sign in with it."
            case .disconnected: "Disconnected."
            case .signedOut: "That device is signed out."
            case .mail: "Look in your mail: open the link in it to confirm the address."
            case .mailConfirmed: "Your address is confirmed."
            case .mailRemoved: "Your address is removed."
            }
        }
    }

    static let routes =
        [
            Route(
                .get, "/settings", .page, takes: .visitor, .text("saved"), answers: .response
            ) { call, visitor, saved in
                try await page(call, visitor, Rejected(), saved: saved.flatMap(Saved.init))
            }
        ] + SettingsForms.routes

    static func page(
        _ call: Call, _ visitor: Visitor, _ rejected: Rejected, saved: Saved? = nil
    ) async throws -> Response {
        let services = call.services
        let user = visitor.user
        let (token, _) = call.formToken()
        var page = PageModel(
            "Settings", description: "Your name, your privacy and your account.", path: nil,
            section: .settings, context: call.context)
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
            .map { NamedLink(name: $0.name, href: "/settings/connect/\($0.key)") }
        let hasLocalAccounts = services.accounts.policy.hasLocalAccounts
        let accounts = identities.map { identity in
            LinkedAccount(
                name: services.name(ofIssuer: identity.issuer), detail: identity.subject,
                disconnect: hasLocalAccounts && hasPassword
                    || usable.contains { $0.id != identity.id }
                    ? "/settings/disconnect/\(identity.id.uuidString.lowercased())" : nil)
        }
        let content = HTML.settings(
            FormKeys(token: token),
            saved: saved?.text,
            problem: rejected.problem?.detail, person: Person(user),
            address: services.settings.spoken(Path.list(user.username)),
            profile: ProfileForm(
                displayName: rejected.displayName ?? FormField(user.displayName),
                bio: rejected.bio ?? FormField(user.bio),
                visibility: rejected.visibility ?? user.chosenVisibility,
                visibilityError: rejected.visibilityError,
                showsRatings: rejected.showsRatings ?? user.showsRatings),
            username: rejected.username ?? FormField(user.username),
            former: try await former.map {
                NamedAction(name: $0, action: "/settings/former-usernames/\($0)")
            },
            hasLocalAccounts: hasLocalAccounts, hasPassword: hasPassword,
            password: rejected.password, codes: try await codes, codesError: rejected.codesError,
            accounts: accounts, linkable: linkable, connectingError: rejected.connectingError,
            devices: try await sessions.map { Device($0, of: visitor) },
            deletion: rejected.deletion,
            notices: try await notices.map {
                NoticeCard(
                    act: $0.act, doneAt: $0.doneAt, reason: $0.reason, comment: $0.comment,
                    game: $0.game, until: $0.until)
            }, invites: services.accounts.policy.signUp == .invite,
            mail: services.accounts.policy.hasMail
                ? MailForm(
                    verified: try await mail.verified, pending: try await mail.pending,
                    address: rejected.mail ?? FormField(),
                    passwordError: rejected.mailPasswordError) : nil,
            hasPasskeys: services.settings.relyingParty != nil,
            isModerator: user.role.mayModerate)
        return .privatePage(page, content, problem: rejected.anyProblem)
    }
}

extension Device {
    fileprivate init(_ session: SessionRecord, of visitor: Visitor) {
        self.init(
            name: session.origin.device
                ?? (session.kind == .api ? "A program" : "An unknown browser"),
            usedAt: session.seenAt, signedInAt: session.createdAt,
            network: session.origin.network,
            action: session.id == visitor.sessionID
                ? nil : "/settings/sessions/\(session.id.uuidString.lowercased())/end")
    }
}

extension SettingsPage.Rejected {
    /// The problem of the whole page, or else the first error of a field.
    fileprivate var anyProblem: Problem? {
        let errors = [
            displayName?.error, bio?.error, visibilityError, username?.error,
            password.current, password.new, codesError, connectingError, mail?.error,
            mailPasswordError, deletion.usernameError, deletion.passwordError,
        ]
        return problem
            ?? errors.lazy.compactMap { $0 }.first.map { Problem(.unprocessableContent, $0) }
    }
}

extension Services {
    /// The operator's name for a provider, or its address if it is no longer configured.
    fileprivate func name(ofIssuer issuer: String) -> String {
        providers.first { $0.configuration.issuer == issuer }?.configuration.name
            ?? issuer.replacing(/^https?:\/\//, with: "")
    }
}
