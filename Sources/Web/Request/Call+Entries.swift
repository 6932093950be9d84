import FaveGames
import HTTP

/// What a request asks for among everyone's entries, with the names of what it names.
struct EntryQuery: Sendable {
    var platform: Platform?
    var game: Game?
    /// Part of games' names, and the first games that have it.
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

    /// The parameters of a query that asks for the same.
    var items: [(name: String, value: String)] {
        let items: [(String, String?)] = [
            ("platform", platform?.slug), ("game", game.map { String($0.id) }),
            ("gameName", gameName?.text), ("username", user?.username), ("tag", tag?.text),
            ("rating", rating.map { String($0.value) }), ("search", search?.text),
        ]
        return items.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The address of a page that shows it.
    ///
    /// - Parameter name: A parameter that is left out.
    func path(without name: String? = nil) -> String {
        let query = items.filter { $0.name != name }
            .map { "\($0.name)=\(PercentCoding.encodeQueryValue($0.value))" }
        return "/entries" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}

extension Call {
    /// Reads `platform` (an id or a slug), `game`, `gameName`, `username`, `tag`, `rating` and
    /// `search`. An empty one, as forms send, asks for nothing.
    ///
    /// - Throws: 400 for what cannot be read, 404 for what there is not.
    func entryQuery() async throws -> EntryQuery {
        var wanted = EntryQuery()
        wanted.platform = try await wantedPlatform()
        wanted.game = try await wantedGame()
        try await nameGames(try searchText("gameName"), in: &wanted)
        wanted.user = try await wantedUser()
        wanted.tag = try wantedTag()
        wanted.rating = try wantedRating()
        wanted.search = try searchText()
        return wanted
    }

    /// Reads what games are asked for by: `platform`, `tag`, `rating`, and `search` for their name.
    ///
    /// - Throws: 400 for what cannot be read, 404 for what there is not.
    func gameQuery() async throws -> EntryQuery {
        var wanted = EntryQuery()
        wanted.platform = try await wantedPlatform()
        wanted.tag = try wantedTag()
        wanted.rating = try wantedRating()
        wanted.gameName = try searchText()
        return wanted
    }

    /// Looks for the games with a name among those that we know.
    func nameGames(_ name: SearchText?, in wanted: inout EntryQuery) async throws {
        guard let name else { return }
        wanted.gameName = name
        wanted.gamesNamed = try await services.store.games(
            matching: name, platform: wanted.platform?.id, limit: EntryFilter.maximumGames
        ).map(\.game.id)
    }

    private func wantedRating() throws -> Rating? {
        guard filled("rating") != nil else { return nil }
        return try query("rating", in: Rating.range).flatMap(Rating.init)
    }

    private func wantedPlatform() async throws -> Platform? {
        guard let text = filled("platform") else { return nil }
        let unknown = Problem.notFound("There is no such platform.")
        guard let reference = PlatformReference(text) else { throw unknown }
        let platform = try await services.store.platform(reference)
        guard let platform else { throw unknown }
        return platform
    }

    private func wantedGame() async throws -> Game? {
        guard let text = filled("game") else { return nil }
        guard let id = GameID.parse(text) else {
            throw Problem.badRequest("\"game\" must be the number of a game.")
        }
        let games = try await services.store.games(ids: [id])
        guard let found = games.first else {
            throw Problem.notFound("There is no such game here.")
        }
        return found.game
    }

    private func wantedUser() async throws -> User? {
        guard let text = filled("username") else { return nil }
        let name = text.hasPrefix("@") ? String(text.dropFirst()) : text
        let unknown = Problem.notFound("There is nobody called @\(name.prefix(40)) here.")
        guard let username = Username(name.lowercased()) else { throw unknown }
        let user = try await services.store.user(username: username.description, seenBy: nil)
        guard let user else { throw unknown }
        return user
    }

    private func wantedTag() throws -> Tag? {
        guard let text = filled("tag") else { return nil }
        guard let tag = Tag(text) else {
            throw Problem.badRequest(
                "\"tag\" must have 1 to \(Tag.limit) characters, and no comma.")
        }
        return tag
    }

    private func filled(_ name: String) -> String? {
        query[name].flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
    }
}
