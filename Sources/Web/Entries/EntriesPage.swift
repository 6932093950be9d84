import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Views

/// Everyone's entries, latest first, with filters.
enum EntriesPage {
    private static let limit = 30

    static let routes = [
        Route(
            .get, "/entries", .page, takes: .cursor(InclusionCursor.self),
            .correctable(.entryFilters), returns: .response, crawling: .withoutQuery
        ) { call, cursor, wanted in
            switch wanted {
            case .success(let wanted): try await show(call, wanted: wanted, cursor: cursor)
            case .failure(let problem): try await correction(call, problem)
            }
        }
    ]

    /// The form as it was sent, with what is wrong with it.
    private static func correction(_ call: Call, _ problem: Problem) async throws -> Response {
        func typed(_ name: String) -> String { call.query[name] ?? "" }
        let platforms = try await call.services.store.rankedPlatforms()
        let filters = EntryFilters(
            search: typed("search"), tag: typed("tag"), username: typed("username"),
            gameID: GameID.parse(typed("game")),
            platforms: choices(platforms, platforms.first { $0.slug == typed("platform") }),
            ratings: Choice.ratings(chosen: typed("rating")), active: [])
        var page = model(call, "/entries")
        page.isIndexed = false
        return .privatePage(
            page,
            .entries([], filters: filters, problem: problem.detail, pager: nil, hearts: Hearts()),
            problem: problem)
    }

    private static func model(_ call: Call, _ path: String) -> PageModel {
        PageModel(
            "Why they love them", description: "Why people love the games on their lists.",
            path: path, section: .reasons, json: "/api/v1\(path)", context: call.context)
    }

    private static func show(
        _ call: Call, wanted: EntryQuery, cursor: InclusionCursor?
    ) async throws -> Response {
        let services = call.services
        async let platforms = services.store.rankedPlatforms()
        let found = try await services.store.entries(wanted.filter, limit: limit, at: cursor)
        let path = wanted.path()
        var page = model(call, path)
        page.isIndexed = cursor == nil && wanted.items.isEmpty
        let filters = EntryFilters(
            search: wanted.search?.text ?? "", tag: wanted.tag?.text ?? "",
            username: wanted.user?.username ?? "", gameID: wanted.game?.id,
            platforms: choices(try await platforms, wanted.platform),
            ratings: Choice.ratings(chosen: wanted.rating.map { String($0.value) } ?? ""),
            active: active(wanted))
        let pager = Pager(path: path, next: await call.sealed(found.next), isFirst: cursor == nil)
        let hearts = try await call.hearts(of: found.entries.map(\.inclusion))
        return try Response.page(
            page,
            .entries(
                found.entries, filters: filters, problem: nil, pager: pager, hearts: hearts)
        )
        .conditional(for: call)
    }

    /// The platforms that have a ranking, and the chosen one.
    private static func choices(_ ranked: [Platform], _ chosen: Platform?) -> [Choice] {
        var platforms = ranked
        if let chosen, !platforms.contains(chosen) { platforms.append(chosen) }
        return platforms.sorted { $0.name < $1.name }.map {
            Choice(value: $0.slug, text: $0.name, isChosen: $0 == chosen)
        }
    }

    private static func active(_ wanted: EntryQuery) -> [NamedLink] {
        wanted.items.map { name, value in
            let text =
                switch name {
                case "platform": wanted.platform?.name ?? value
                case "game": wanted.game?.name ?? value
                case "gameName": "“\(value)” in the name"
                case "username": "@" + value
                case "tag": "#" + value
                case "rating": wanted.rating.map(\.stars) ?? value
                default: "“\(value)”"
                }
            return NamedLink(name: text, href: wanted.path(without: name))
        }
    }
}
