import Endpoints
import FaveGames
import HTTP
import Identity
import ShareCard
import Storage
import Views

extension PageModel {
    /// - Parameter path: The page's canonical address, without the host, if any.
    init(
        _ title: String, description: String, path: String?, section: Section = .none,
        json: String? = nil, context: PageContext
    ) {
        let services = context.services
        self.init(
            title: title, description: description, section: section,
            covers: services.settings.covers, site: services.settings.site,
            assets: services.assets.ofPages)
        canonical = path.map { services.settings.publicURL + $0 }
        self.json = json
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

extension PreviewImage {
    /// The cover of a game; `nil` if none is known.
    init?(_ game: Game, _ settings: WebSettings) {
        guard let cover = CoverImage(game, in: settings.addresses.pictures) else { return nil }
        self.init(
            url: cover.large, type: "image/jpeg", width: 264, height: 374,
            alt: "Cover of \(game.name)", isLarge: false)
    }

    /// The card of a list; `nil` for a list that only its owner may see.
    init?(_ list: FaveList, _ settings: WebSettings) {
        guard list.owner.visibility != .private else { return nil }
        self.init(
            settings.card(of: list), of: Path.list(list.owner.username), words: list.words,
            publicURL: settings.publicURL)
    }

    /// The card of a snapshot; `nil` if the snapshot is private.
    init?(_ snapshot: Snapshot, _ settings: WebSettings) {
        guard snapshot.owner.visibility != .private else { return nil }
        self.init(
            settings.card(of: snapshot),
            of: Path.snapshot(snapshot.owner.username, snapshot.summary.slug),
            words: snapshot.words, publicURL: settings.publicURL)
    }

    /// The card of the home page, at an address that leads to the current one: this page is asked for
    /// too often to draw up the card each time.
    init(ofSite settings: WebSettings) {
        let format = ShareCard.Format.wide
        let name = CardName(format: format, digest: "latest").description
        self.init(
            url: settings.publicURL + Path.card(CardPictures.home, name),
            type: MediaType.png.description, width: format.width, height: format.height,
            alt: ShareCard.headline, isLarge: true)
    }

    /// - Parameters:
    ///   - page: The path of the page that the card belongs to.
    ///   - query: What the card's address ends with.
    ///   - words: What the card shows.
    init(
        _ card: ShareCard, of page: String, query: String = "", words: String, publicURL: String
    ) {
        self.init(
            url: publicURL + Path.card(page, card.fileName) + query,
            type: MediaType.png.description,
            width: card.format.width, height: card.format.height,
            alt: words.count > Self.altLimit ? words.prefix(Self.altLimit - 1) + "…" : words,
            isLarge: true)
    }

    /// The longest text that sites with previews accept.
    private static let altLimit = 420
}

extension WebSettings {
    /// The address of a path as someone would say it: without the scheme.
    func spoken(_ path: String) -> String {
        let scheme = isSecure ? "https://" : "http://"
        return publicURL.dropFirst(scheme.utf8.count) + path
    }
}

extension FaveList {
    /// What the list's card shows.
    var words: String {
        guard !entries.isEmpty else { return "\(owner.listTitle): still choosing." }
        let entries = entries.map { "\($0.position). \($0.game.name), \($0.platform.shortName)" }
        return "\(owner.listTitle): \(entries.joined(separator: "; "))"
    }
}

extension Snapshot {
    /// What the list's card shows.
    var words: String {
        let entries = entries.map { "\($0.position). \($0.game.name), \($0.platform.shortName)" }
        return "\(fullTitle): \(entries.joined(separator: "; "))"
    }

    /// The title with the owner's name.
    var fullTitle: String {
        guard let year = summary.year else { return "\(owner.displayName): \(summary.title)" }
        return "\(owner.displayName)’s five of \(year)"
    }
}

extension NamedLink {
    init(_ snapshot: SnapshotSummary, of owner: User) {
        self.init(name: snapshot.title, href: Path.snapshot(owner.username, snapshot.slug))
    }
}

extension User {
    /// The title of the user's list.
    var listTitle: String { "\(displayName)’s favourite games" }
}
