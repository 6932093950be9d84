import FaveGames
import HTTP
import HTTPTypes
import Views

/// Everyone's entries, latest first, with filters.
enum EntriesPage {
    private static let limit = 30

    static let routes = [
        Route(
            .get, "/entries", .page, takes: .entryFilters, .cursor(InclusionCursor.self),
            answers: .response, crawling: .withoutQuery, handler: show)
    ]

    @Sendable private static func show(
        _ call: Call, wanted: EntryQuery, cursor: InclusionCursor?
    ) async throws -> Response {
        let services = call.services
        async let platforms = services.store.rankedPlatforms()
        let found = try await services.store.entries(wanted.filter, limit: limit, at: cursor)
        let path = wanted.path()
        var page = PageModel(
            "Why they love them", description: "Why people love the games on their lists.",
            path: path,
            section: .reasons, json: "/api/v1\(path)", context: call.context)
        page.isIndexed = cursor == nil && wanted.items.isEmpty
        let filters = EntryFilters(
            search: wanted.search?.text ?? "", tag: wanted.tag?.text ?? "",
            username: wanted.user?.username ?? "", gameID: wanted.game?.id,
            platforms: choices(try await platforms, wanted.platform),
            ratings: Choice.ratings(chosen: wanted.rating.map { String($0.value) } ?? ""),
            active: active(wanted))
        let pager = Pager(path: path, next: await call.sealed(found.next), isFirst: cursor == nil)
        return try Response.page(page, .entries(found.entries, filters: filters, pager: pager))
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
