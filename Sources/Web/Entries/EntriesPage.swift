import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// Everyone's entries, latest first, with filters.
enum EntriesPage {
    private static let limit = 30

    static let routes = [
        Route(
            .get, "/entries", .page, takes: .cursor(InclusionCursor.self),
            .correctable(.entryFilters), returns: .response, crawling: .withoutQuery
        ) { context, cursor, wanted in
            switch wanted {
            case .success(let wanted): try await show(context, wanted: wanted, cursor: cursor)
            case .failure(let problem): try await correction(context, problem)
            }
        }
    ]

    /// The form as it was sent, with what is wrong with it.
    private static func correction(_ context: RequestContext, _ problem: Problem) async throws
        -> Response
    {
        func typed(_ name: String) -> String { context.query[name] ?? "" }
        let platforms = try await context.services.store.rankedPlatforms()
        let filters = EntryFilters(
            search: typed("search"), tag: typed("tag"), username: typed("username"),
            gameID: GameID.parse(typed("game")),
            platforms: choices(platforms, platforms.first { $0.slug == typed("platform") }),
            ratings: Choice.ratings(chosen: typed("rating")), active: [])
        var page = model(context, "/entries")
        page.isIndexed = false
        return .privatePage(
            page,
            .entries(
                [], filters: filters, problem: problem.words, pager: nil, hearts: Hearts(),
                covers: page.covers),
            problem: problem)
    }

    /// - Parameter filters: The filters in use, in words.
    private static func model(
        _ context: RequestContext, _ path: String, _ filters: [Words] = []
    ) -> PageModel {
        PageModel(
            filters.isEmpty
                ? .whyWeLoveThem
                : .list(.list(filters), under: .whyWeLoveThem),
            description: .aboutReasons,
            path: path, section: .reasons, json: "/api/v1\(path)", context: context.pageContext)
    }

    private static func show(
        _ context: RequestContext, wanted: EntryQuery, cursor: InclusionCursor?
    ) async throws -> Response {
        let services = context.services
        async let platforms = services.store.rankedPlatforms()
        var filter = wanted.filter
        filter.hasComment = true
        let found = try await services.store.entries(filter, limit: limit, at: cursor)
        let path = wanted.path()
        let active = active(wanted)
        var page = model(context, path, active.map(\.name))
        page.isIndexed = cursor == nil && wanted.items.isEmpty
        let filters = EntryFilters(
            search: wanted.search?.text ?? "", tag: wanted.tag?.text ?? "",
            username: wanted.user?.username ?? "", gameID: wanted.game?.id,
            platforms: choices(try await platforms, wanted.platform),
            ratings: Choice.ratings(chosen: wanted.rating.map { String($0.value) } ?? ""),
            active: active)
        let pager = Pager(
            path: path, next: await context.sealed(found.next), isFirst: cursor == nil)
        let hearts = try await context.hearts(of: found.entries.map(\.inclusion))
        return .page(
            page,
            .entries(
                ChangedList.lists(with: found.entries), filters: filters, problem: nil,
                pager: pager, hearts: hearts,
                covers: page.covers))
    }

    /// The platforms that have a ranking, and the chosen one.
    private static func choices(_ ranked: [Platform], _ chosen: Platform?) -> [Choice] {
        var platforms = ranked
        if let chosen, !platforms.contains(chosen) { platforms.append(chosen) }
        return platforms.sorted { $0.name < $1.name }.map {
            Choice(value: $0.slug, text: Words(name: $0.name), isChosen: $0 == chosen)
        }
    }

    private static func active(_ wanted: EntryQuery) -> [NamedLink] {
        wanted.items.map { name, value in
            let words: Words =
                switch name {
                case "platform": Words(name: wanted.platform?.shortName ?? value)
                case "game": wanted.game.map { Words($0.name) } ?? Words(name: value)
                case "gameName": .inTheName(value)
                case "username": Words(name: "@" + value)
                case "tag": Words(name: "#" + value)
                case "rating": Words(name: wanted.rating.map(\.stars) ?? value)
                default: .quoted(value)
                }
            return NamedLink(name: words, href: wanted.path(without: name))
        }
    }
}
