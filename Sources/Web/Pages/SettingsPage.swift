import FaveGames
import HTTP
import HTTPTypes
import Identity
import Storage

/// What one can change about oneself; what its forms do is in `SettingsForms`.
enum SettingsPage {
    struct Model: Sendable {
        let page: PageModel
        let token: String
        let saved: String?
        let problem: String?
        let person: PersonModel
        /// Of the list, as somebody would say it.
        let address: String
        let addressHref: String
        let profile: ProfileModel
        let username: FieldModel
        let hasLocal: Bool
        let hasPassword: Bool
        let password: PasswordModel
        let identities: [IdentityModel]
        let hasIdentities: Bool
        let linkable: [LinkableModel]
        let hasLinkable: Bool
        let sessions: SessionsModel
        let deletion: DeletionModel
    }

    struct ProfileModel: Sendable {
        let displayName: FieldModel
        let bio: FieldModel
        let isPublic: Bool
        let isUnlisted: Bool
        let isPrivate: Bool
        let visibilityError: String?
    }

    struct PasswordModel: Sendable {
        var currentError: String?
        var newError: String?
    }

    struct IdentityModel: Sendable {
        let name: String
        let detail: String?
        let action: String
        let removable: Bool
    }

    struct LinkableModel: Sendable {
        let name: String
        let action: String
    }

    struct SessionsModel: Sendable {
        let count: CountModel
        let others: Bool
    }

    struct DeletionModel: Sendable {
        var isOpen = false
        var usernameError: String?
        var passwordError: String?
    }

    /// What was tried and did not work: what was typed stands there again, with what is wrong.
    struct Rejected: Sendable {
        /// For the whole page; one that stands at a field is not repeated.
        var problem: Problem?
        var displayName: FieldModel?
        var bio: FieldModel?
        var visibility: Visibility?
        var visibilityError: String?
        var username: FieldModel?
        var password = PasswordModel()
        var deletion = DeletionModel()

        init(_ problem: Problem? = nil) { self.problem = problem }
    }

    /// What has just been done, for the page to say so.
    enum Saved: String {
        case profile, username, password, connected, disconnected

        var path: String { "/settings?saved=\(rawValue)" }

        var text: String {
            switch self {
            case .profile: "Saved."
            case .username: "Saved. Links with your old username lead to the new one."
            case .password: "Your password is set. You are signed out everywhere else."
            case .connected: "Connected. You can sign in with it from now on."
            case .disconnected: "Disconnected."
            }
        }
    }

    static func show(_ call: Call) async throws -> Response {
        try await page(call, call.member(), Rejected())
    }

    static func page(
        _ call: Call, _ visitor: Visitor, _ rejected: Rejected
    ) async throws -> Response {
        let services = call.services
        let user = visitor.user
        let (token, _) = call.formToken()
        var page = PageModel(
            "Settings", description: "Your name, your privacy and your account.", path: nil,
            section: .settings, context: call.context)
        page.noindex = true
        async let linked = services.store.identities(userID: user.id)
        async let sessions = services.store.sessionCount(userID: user.id)
        let hasPassword = try await services.accounts.hasPassword(user)
        let identities = try await linked
        let sessionCount = try await sessions
        let issuers = Set(services.providers.map(\.configuration.issuer))
        let usable = identities.filter { issuers.contains($0.issuer) }
        let visibility = rejected.visibility ?? user.visibility
        let address = services.settings.publicURL + Path.list(user.username)
        let linkable = services.providers.map(\.configuration)
            .filter { provider in !identities.contains { $0.issuer == provider.issuer } }
            .map {
                LinkableModel(name: $0.name, action: "/settings/connect/\($0.key)")
            }
        let hasLocal = services.accounts.policy.hasLocalAccounts
        let model = Model(
            page: page, token: token,
            saved: call.request.method == .get
                ? call.query["saved"].flatMap(Saved.init)?.text : nil,
            problem: rejected.problem?.detail, person: PersonModel(user),
            address: address.replacing(/^https?:\/\//, with: ""),
            addressHref: Path.list(user.username),
            profile: ProfileModel(
                displayName: rejected.displayName ?? FieldModel(user.displayName),
                bio: rejected.bio ?? FieldModel(user.bio), isPublic: visibility == .public,
                isUnlisted: visibility == .unlisted, isPrivate: visibility == .private,
                visibilityError: rejected.visibilityError),
            username: rejected.username ?? FieldModel(user.username), hasLocal: hasLocal,
            hasPassword: hasPassword, password: rejected.password,
            identities: identities.map { identity in
                IdentityModel(
                    name: services.name(ofIssuer: identity.issuer), detail: identity.subject,
                    action: "/settings/disconnect/\(identity.id.uuidString.lowercased())",
                    removable: hasLocal && hasPassword
                        || usable.contains { $0.id != identity.id })
            },
            hasIdentities: !identities.isEmpty, linkable: linkable,
            hasLinkable: !linkable.isEmpty,
            sessions: SessionsModel(count: CountModel(sessionCount), others: sessionCount > 1),
            deletion: rejected.deletion)
        return .privatePage(
            services.views.render(.settings, model), problem: rejected.anyProblem)
    }
}

extension SettingsPage.Rejected {
    /// The problem of the whole page, or the first one at a field.
    fileprivate var anyProblem: Problem? {
        let errors = [
            displayName?.error, bio?.error, visibilityError, username?.error,
            password.currentError, password.newError, deletion.usernameError,
            deletion.passwordError,
        ]
        return problem
            ?? errors.lazy.compactMap { $0 }.first.map { Problem(.unprocessableContent, $0) }
    }
}

extension Services {
    /// What an operator calls a provider, or where it is if they know it no more.
    fileprivate func name(ofIssuer issuer: String) -> String {
        providers.first { $0.configuration.issuer == issuer }?.configuration.name
            ?? issuer.replacing(/^https?:\/\//, with: "")
    }
}
