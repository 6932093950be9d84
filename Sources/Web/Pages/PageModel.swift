import FaveGames
import Foundation
import HTTP
import ShareCard

/// What the layout of every page needs. Names here are those of the templates.
struct PageModel: Sendable {
    var title: String
    /// Also what a shared link's preview says.
    var description: String
    var type = "website"
    var canonical: String?
    /// The address of the same in JSON.
    var json: String?
    /// The addresses of its Atom feed, and of how to embed it.
    var feed: String?
    var oembed: String?
    /// JSON-LD for machines.
    var structuredData: String?
    var noindex = false
    var inPlatforms = false
    var inGames = false
    var inPeople = false
    var inReasons = false
    var inSettings = false
    var inEditor = false
    var image: ImageModel?
    /// Whoever is signed in.
    let viewer: ViewerModel?
    /// The addresses of the pages to sign in and up on, for whoever is not.
    let signIn: String?
    let signUp: String?
    let stylesheet: String
    let script: String
    let icon: String
    let touchIcon: String
    let manifest: String

    enum Section {
        case none, platforms, games, people, reasons, settings, editor
    }

    /// - Parameter path: The page's own address, without host; `nil` for one that has none.
    init(
        _ title: String, description: String, path: String?, section: Section = .none,
        json: String? = nil, context: PageContext
    ) {
        let services = context.services
        self.title = title
        self.description = description
        canonical = path.map { services.settings.publicURL + $0 }
        self.json = json
        inPlatforms = section == .platforms
        inGames = section == .games
        inPeople = section == .people
        inReasons = section == .reasons
        inSettings = section == .settings
        inEditor = section == .editor
        viewer = context.visitor.map(ViewerModel.init)
        let canSignIn = services.accounts.policy.hasLocalAccounts || !services.providers.isEmpty
        signIn =
            viewer == nil && canSignIn
            ? ReturnPath.appending(context.returnPath, to: "/sign-in") : nil
        signUp =
            viewer == nil && canSignIn && services.accounts.policy.signUpIsOpen
            ? ReturnPath.appending(context.returnPath, to: "/sign-up") : nil
        stylesheet = services.assets.path("site.css")
        script = services.assets.path("site.js")
        icon = services.assets.path("favicon.svg")
        touchIcon = services.assets.path("apple-touch-icon.png")
        manifest = services.assets.path("site.webmanifest")
    }
}

/// Whoever is signed in, as every page shows it.
struct ViewerModel: Sendable {
    let person: PersonModel
    /// For the form that signs out.
    let token: String

    init(_ visitor: Visitor) {
        person = PersonModel(visitor.user)
        token = visitor.token.derive(Call.formPurpose)
    }
}

/// The picture of a shared link's preview.
struct ImageModel: Sendable {
    let url: String
    let type: String
    let width: Int
    let height: Int
    /// What is on it, in words.
    let alt: String
    /// Whether it is made to be shown in the preview's full width.
    let isLarge: Bool

    init?(_ game: Game) {
        guard let imageID = game.coverImageID else { return nil }
        url = CoverImage(imageID).large
        type = "image/jpeg"
        width = 264
        height = 374
        alt = "Cover of \(game.name)"
        isLarge = false
    }

    /// The card of a list; `nil` for one that only its owner sees.
    init?(_ list: FaveList, publicURL: String) {
        guard list.owner.visibility != .private else { return nil }
        url = publicURL + Path.card(list.owner.username, ShareCard(list).digest)
        type = MediaType.png.description
        width = ShareCard.width
        height = ShareCard.height
        alt = Self.words(list)
        isLarge = true
    }

    private static func words(_ list: FaveList) -> String {
        let title = "Favourite games of \(list.owner.displayName)"
        guard !list.entries.isEmpty else { return "\(title): still choosing." }
        let entries = list.entries.map { "\($0.position). \($0.game.name), \($0.platform.name)" }
        let text = "\(title): \(entries.joined(separator: "; "))"
        return text.count > altLimit ? text.prefix(altLimit - 1) + "…" : text
    }

    /// What sites that show previews take.
    private static let altLimit = 420
}

struct GameModel: Sendable {
    let name: String
    let href: String
    let year: String?
    let cover: CoverModel?
    /// For the placeholder that stands for an unknown cover.
    let initials: String
    let hue: String

    init(_ game: Game) {
        name = game.name
        href = Path.game(game.id)
        year = game.releaseYear.map { String($0) }
        cover = game.coverImageID.map { CoverModel(CoverImage($0)) }
        let placeholder = Placeholder(game)
        initials = placeholder.initials
        hue = "hue-\(placeholder.hue)"
    }
}

struct CoverModel: Sendable {
    let small: String
    let large: String
    let large2x: String

    init(_ image: CoverImage) {
        small = image.small
        large = image.large
        large2x = image.large2x
    }
}

struct PlatformModel: Sendable {
    let name: String
    let abbreviation: String
    let href: String

    init(_ platform: Platform) {
        name = platform.name
        abbreviation = platform.abbreviation ?? platform.name
        href = Path.platform(platform)
    }
}

struct PersonModel: Sendable {
    let name: String
    let username: String
    let href: String
    let initials: String
    let hue: String

    init(username: String, displayName: String) {
        name = displayName
        self.username = username
        href = Path.list(username)
        let placeholder = Placeholder(username: username, displayName: displayName)
        initials = placeholder.initials
        hue = "hue-\(placeholder.hue)"
    }

    init(_ user: User) {
        self.init(username: user.username, displayName: user.displayName)
    }
}

struct CountModel: Sendable {
    let value: Int
    let text: String
    let one: Bool

    init(_ value: Int) {
        self.value = value
        one = value == 1
        let digits = Array(String(value))
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        text = grouped
    }
}

struct TimeModel: Sendable {
    let iso: String
    let text: String

    init(_ date: Date) {
        iso = RFC3339.format(date)
        let days = max(0, Int(date.timeIntervalSince1970.rounded(.down))) / 86_400
        let day = CivilDate(daysSince1970: days)
        text = "\(day.day) \(Self.months[day.month - 1]) \(day.year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}

/// An entry of a list, seen from the list, from its game, or quoted in a ranking.
struct EntryModel: Sendable {
    let position: Int
    var game: GameModel?
    var platform: PlatformModel?
    var person: PersonModel?
    var why: String?
    var rating: RatingModel?
    var tags: [TagModel] = []
    var hasTags = false
    var updated: TimeModel?
    /// Other lists that include the game on the platform.
    var others: CountModel?
    var href: String?

    /// - Parameter counts: Whether the entry is among those that its count counts.
    init(_ entry: Entry, counts: Bool = true) {
        position = entry.position
        game = GameModel(entry.game)
        platform = PlatformModel(entry.platform)
        why = entry.comment.isEmpty ? nil : entry.comment
        rating = entry.rating.map(RatingModel.init)
        tags = entry.tags.map(TagModel.init)
        hasTags = !tags.isEmpty
        let others = entry.includedBy - (counts ? 1 : 0)
        self.others = others > 0 ? CountModel(others) : nil
        href = Path.platformGame(entry.platform, entry.game.id)
    }

    init(_ inclusion: Inclusion, showsPlatform: Bool) {
        position = inclusion.position
        platform = showsPlatform ? PlatformModel(inclusion.platform) : nil
        person = PersonModel(
            username: inclusion.username, displayName: inclusion.displayName)
        why = inclusion.comment.isEmpty ? nil : inclusion.comment
        rating = inclusion.rating.map(RatingModel.init)
        tags = inclusion.tags.map(TagModel.init)
        hasTags = !tags.isEmpty
        updated = TimeModel(inclusion.updatedAt)
        href = Path.list(inclusion.username) + "#\(inclusion.position)"
    }

    init(_ entry: FoundEntry) {
        self.init(entry.inclusion, showsPlatform: true)
        game = GameModel(entry.game)
    }

    init(_ quote: Quote) {
        position = 0
        person = PersonModel(username: quote.username, displayName: quote.displayName)
        why = quote.comment
    }
}

/// Stars, and what they say to those who cannot see them.
struct RatingModel: Sendable {
    let value: Int
    let stars: String

    init(_ rating: Rating) {
        value = rating.value
        stars =
            String(repeating: "★", count: rating.value)
            + String(repeating: "☆", count: Rating.range.upperBound - rating.value)
    }
}

struct TagModel: Sendable {
    let text: String
    let href: String

    init(_ text: String) {
        self.text = text
        href = "/entries?tag=" + PercentCoding.encodeQueryValue(text)
    }
}

/// How a game has moved in its ranking since last week.
struct MovementModel: Sendable {
    /// An arrow, with how many places; what it means is `text`.
    let mark: String
    let text: String
    /// The name of its class.
    let kind: String

    /// - Returns: `nil` if it has not moved.
    init?(_ movement: Movement) {
        switch movement {
        case .same: return nil
        case .new: (mark, text, kind) = ("New", "New since last week", "up")
        case .up(let places):
            (mark, kind) = ("▲\u{202F}\(places)", "up")
            text = "Up \(places) place\(places == 1 ? "" : "s") since last week"
        case .down(let places):
            (mark, kind) = ("▼\u{202F}\(places)", "down")
            text = "Down \(places) place\(places == 1 ? "" : "s") since last week"
        }
    }
}

/// A game's row in a ranking.
struct RankedModel: Sendable {
    let rank: Int
    let tied: Bool
    let game: GameModel
    let count: CountModel
    /// Of the first one's count, 0 to 100, for the bar.
    let percent: Int
    let href: String
    let movement: MovementModel?
    let comments: [EntryModel]
    let hasComments: Bool

    /// - Parameters:
    ///   - neighbours: The games around it: who shares its rank stands beside it.
    ///   - highest: The count that makes a full bar.
    init(
        _ ranked: RankedGame, among neighbours: [RankedGame], highest: Int, platform: Platform,
        movement: Movement? = nil
    ) {
        rank = ranked.rank
        self.movement = movement.flatMap(MovementModel.init)
        tied = neighbours.contains { $0.rank == ranked.rank && $0.game.id != ranked.game.id }
        game = GameModel(ranked.game)
        count = CountModel(ranked.includedBy)
        percent = highest > 0 ? max(1, min(100, ranked.includedBy * 100 / highest)) : 0
        href = Path.platformGame(platform, ranked.game.id)
        comments = ranked.quotes.map { EntryModel($0) }
        hasComments = !comments.isEmpty
    }
}

/// Somebody and what is on their list, in short.
struct CardModel: Sendable {
    let person: PersonModel
    let updated: TimeModel?
    let entries: [EntryModel]

    init(_ list: FaveList) {
        person = PersonModel(list.owner)
        updated = list.owner.listUpdatedAt.map { TimeModel($0) }
        entries = list.entries.map { EntryModel($0) }
    }
}

struct PagerModel: Sendable {
    let first: String?
    let next: String?

    /// - Returns: `nil` when there is one page only.
    init?(path: String, next: String?, isFirst: Bool) {
        guard next != nil || !isFirst else { return nil }
        first = isFirst ? nil : path
        self.next = next.map { "\(path)\(path.contains("?") ? "&" : "?")cursor=\($0)" }
    }
}

/// Addresses of pages.
enum Path {
    static let editor = "/me"
    static let problems = "/api/problems"

    static func game(_ id: Int) -> String { "/games/\(id)" }
    static func platform(_ platform: Platform) -> String { "/platforms/\(platform.slug)" }
    static func rankingFeed(_ platform: Platform) -> String { "\(Self.platform(platform))/feed" }
    static func list(_ username: String) -> String { "/@\(username)" }
    static func kindred(_ username: String) -> String { "/@\(username)/kindred" }
    static func listFeed(_ username: String) -> String { "\(list(username))/feed" }
    static func embed(_ username: String) -> String { "\(list(username))/embed" }

    static func card(_ username: String, _ digest: String) -> String {
        "\(list(username))/card-\(digest).png"
    }

    static func platformGame(_ platform: Platform, _ game: Int) -> String {
        "/platforms/\(platform.slug)/games/\(game)"
    }

    static func search(_ path: String, _ search: SearchText?) -> String {
        search.map { "\(path)?search=\(PercentCoding.encodeQueryValue($0.text))" } ?? path
    }
}
