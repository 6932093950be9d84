import Endpoints
import FaveGames
import Identity
import Languages
import Views

extension PageModel {
    /// - Parameter path: The page's canonical address, without the host, if any.
    init(
        _ title: Words, description: Words, path: String?, section: Section = .none,
        json: String? = nil, context: PageContext
    ) {
        let services = context.services
        self.init(
            title: title, description: description, section: section,
            covers: services.settings.covers, site: services.settings.site,
            assets: services.assets.ofPages)
        canonical = path.map { services.settings.publicURL + $0 }
        self.json = json
        language = context.language
        languages = LanguagePage.links(context)
        source = services.settings.sourceURL
        maintenance = services.health.maintenance.message
        accountMenu = context.visitor.map(AccountMenu.init)
        let policy = services.accounts.policy
        guard accountMenu == nil, policy.hasLocalAccounts || !services.providers.isEmpty else {
            return
        }
        signIn = ReturnPath.appending(context.returnPath, to: "/sign-in")
        if policy.signUpIsOpen {
            signUp = ReturnPath.appending(context.returnPath, to: "/sign-up")
        }
    }
}

extension AccountMenu {
    fileprivate init(_ visitor: Visitor) {
        self.init(
            Person(visitor.user), token: visitor.token.formToken(),
            isModerator: visitor.user.role.mayModerate, hasNews: visitor.news.hasUnseen)
    }
}

extension WebSettings {
    /// The address of a path as someone would say it: without the scheme.
    func spoken(_ path: String) -> String {
        let scheme = isSecure ? "https://" : "http://"
        return publicURL.dropFirst(scheme.utf8.count) + path
    }
}
