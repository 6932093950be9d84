import Endpoints
import FaveGames
import HTTP
import Storage
import Views

/// A query for entries, or for games on lists, with the names of what it refers to.
struct EntryQuery: Sendable {
    var platform: Platform?
    var game: Game?
    /// Part of the games' names, and the ids of the first matching games.
    var gameName: SearchText?
    var gamesNamed: [Int] = []
    var user: User?
    var tag: Tag?
    var rating: Rating?
    var search: SearchText?

    var filter: EntryFilter {
        var filter = EntryFilter()
        filter.platformID = platform?.id
        if gameName != nil {
            filter.gameIDs = game.map { gamesNamed.contains($0.id) ? [$0.id] : [] } ?? gamesNamed
        } else {
            filter.gameIDs = game.map { [$0.id] }
        }
        filter.userID = user?.id
        filter.tag = tag
        filter.rating = rating
        filter.search = search
        return filter
    }

    /// The parameters of a query that asks for the same entries.
    var items: [(name: String, value: String)] {
        let items: [(String, String?)] = [
            ("platform", platform?.slug), ("game", game.map { String($0.id) }),
            ("gameName", gameName?.text), ("username", user?.username), ("tag", tag?.text),
            ("rating", rating.map { String($0.value) }), ("search", search?.text),
        ]
        return items.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The address of the page that shows the entries.
    ///
    /// - Parameter name: A parameter to leave out.
    func path(without name: String? = nil) -> String {
        let query = items.filter { $0.name != name }
            .map { "\($0.name)=\(PercentCoding.encodeQueryValue($0.value))" }
        return "/entries" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}

extension Input<Services, EntryQuery> {
    /// The filters of everyone's entries. Empty filters are ignored, because forms send them. 400 for
    /// an invalid filter, 404 for a filter that names a missing platform, game or user.
    static var entryFilters: Self {
        let platform = Filters.platform("Only entries for this platform: its id or its slug.")
        let game = Filters.game
        let gameName = Input<Services, SearchText?>.search(
            "gameName",
            """
            Only entries for games with this in their names, ignoring case and accents: the \
            \(EntryFilter.maximumGames) best known of them. 1 to \(SearchText.limit) characters.
            """)
        let username = Filters.username
        let tag = Filters.tag(
            "Only entries with this tag: 1 to \(Tag.limit) characters without commas; a leading hash "
                + "sign is dropped.")
        let rating = Filters.rating("Only entries with exactly this rating.")
        let search = Input<Services, SearchText?>.search(
            "search",
            "Words that the comment contains, in any order: 1 to \(SearchText.limit) characters.",
            example: "cake")
        let parts = [
            platform.description, game.description, gameName.description, username.description,
            tag.description, rating.description, search.description,
        ]
        return Self(InputDescription(parts)) { context in
            var wanted = EntryQuery()
            wanted.platform = try await context.platform(platform.read(context))
            wanted.game = try await context.game(game.read(context))
            try await context.nameGames(gameName.read(context), in: &wanted)
            wanted.user = try await context.user(username.read(context))
            wanted.tag = try await tag.read(context)
            wanted.rating = try await rating.read(context)
            wanted.search = try await search.read(context)
            return wanted
        }
    }

    /// The filters of games on people's lists, besides the search for a name. As `entryFilters`.
    static var gameFilters: Self {
        let platform = Filters.platform("Only games that are on it: its id or its slug.")
        let tag = Filters.tag(
            "Only games that someone has given this tag: 1 to \(Tag.limit) characters without commas; "
                + "a leading hash sign is dropped.")
        let rating = Filters.rating("Only games that someone has given exactly this rating.")
        let parts = [platform.description, tag.description, rating.description]
        return Self(InputDescription(parts)) { context in
            var wanted = EntryQuery()
            wanted.platform = try await context.platform(platform.read(context))
            wanted.tag = try await tag.read(context)
            wanted.rating = try await rating.read(context)
            return wanted
        }
    }
}

/// The individual filters.
private enum Filters {
    static func platform(_ text: String) -> Input<Services, PlatformReference?> {
        .query(
            "platform", text,
            .text(0...64, pattern: "^[a-z0-9-]{0,64}$", example: "win"),
            problems: [.notFound], surcharge: .filter
        ) { text throws(Problem) in
            guard let text = Query.filled(text) else { return nil }
            guard let reference = PlatformReference(text) else {
                throw .notFound(.noSuchPlatform)
            }
            return reference
        }
    }

    static let game = Input<Services, Int?>.query(
        "game", "Only entries for this game: its id, IGDB's number.",
        .igdbGame, problems: [.notFound], surcharge: .filter
    ) { text throws(Problem) in
        guard let text = Query.filled(text) else { return nil }
        guard let id = GameID.parse(text) else {
            throw .invalidParameter("game", "must be the number of a game")
        }
        return id
    }

    static let username = Input<Services, Username?>.query(
        "username", "Only entries of this user.",
        .text(0...31, pattern: "^(@?[A-Za-z0-9_-]{2,30})?$", example: "rob"),
        problems: [.notFound], surcharge: .filter
    ) { text throws(Problem) in
        guard let text = Query.filled(text) else { return nil }
        guard let username = Username(text) else {
            throw .notFound(.noSuchUser(String(text.trimmingPrefix("@").prefix(40))))
        }
        return username
    }

    static func tag(_ text: String) -> Input<Services, Tag?> {
        .query(
            "tag", text, .text(0...(Tag.limit + 1), example: "puzzle"),
            surcharge: .filter
        ) { text throws(Problem) in
            guard let text = Query.filled(text) else { return nil }
            guard let tag = Tag(text) else {
                throw .invalidParameter(
                    "tag", "must have 1 to \(Tag.limit) characters, and no comma")
            }
            return tag
        }
    }

    static func rating(_ text: String) -> Input<Services, Rating?> {
        .query(
            "rating", text, .integer(Rating.range, example: 5),
            surcharge: .filter
        ) { text throws(Problem) in
            try Query.integer(Query.filled(text), "rating", in: Rating.range)
                .flatMap { Rating($0) }
        }
    }
}

extension RequestContext {
    /// Finds the stored games that match a name.
    func nameGames(_ name: SearchText?, in wanted: inout EntryQuery) async throws {
        guard let name else { return }
        wanted.gameName = name
        wanted.gamesNamed = try await services.store.games(
            matching: name, platform: wanted.platform?.id, limit: EntryFilter.maximumGames
        ).map(\.game.id)
    }

    fileprivate func platform(_ reference: PlatformReference?) async throws -> Platform? {
        guard let reference else { return nil }
        return try await platform(reference) as Platform
    }

    fileprivate func game(_ id: Int?) async throws -> Game? {
        guard let id else { return nil }
        guard let found = try await services.store.games(ids: [id]).first else {
            throw Problem.notFound(.noSuchGame)
        }
        return found.game
    }

    fileprivate func user(_ username: Username?) async throws -> User? {
        guard let name = username?.description else { return nil }
        guard let user = try await services.store.user(username: name, seenBy: nil) else {
            throw Problem.notFound(.noSuchUser(name))
        }
        return user
    }
}
