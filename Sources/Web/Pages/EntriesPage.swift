import FaveGames
import HTTP

/// Everyone's entries, the latest first, by filters.
enum EntriesPage {
    struct Model: Sendable {
        let page: PageModel
        let search: String
        let tag: String
        let username: String
        let gameID: String?
        let platforms: [OptionModel]
        let ratings: [OptionModel]
        let active: [Active]
        let isFiltered: Bool
        let entries: [EntryModel]
        let pager: PagerModel?
    }

    /// A filter that is on, and the address without it.
    struct Active: Sendable {
        let text: String
        let href: String
    }

    private static let limit = 30

    static func show(_ call: Call) async throws -> Response {
        let services = call.services
        let cursor = try await call.cursor(InclusionCursor.self)
        let wanted = try await call.entryQuery()
        async let platforms = services.store.platformTops(games: 1)
        let found = try await services.store.entries(wanted.filter, limit: limit, at: cursor)
        let path = wanted.path()
        var page = PageModel(
            "Reasons", description: "Why people love the games on their lists.", path: path,
            section: .reasons, json: "/api/v1\(path)", context: call.context)
        page.noindex = cursor != nil || path.contains("?")
        let model = Model(
            page: page, search: wanted.search?.text ?? "", tag: wanted.tag?.text ?? "",
            username: wanted.user?.username ?? "", gameID: wanted.game.map { String($0.id) },
            platforms: options(try await platforms.map(\.platform), wanted.platform),
            ratings: OptionModel.ratings(chosen: wanted.rating.map { String($0.value) } ?? ""),
            active: active(wanted), isFiltered: path.contains("?"),
            entries: found.entries.map(EntryModel.init),
            pager: PagerModel(
                path: path, next: await call.sealed(found.next), isFirst: cursor == nil))
        return try Response.html(services.views.render(.entries, model))
            .conditional(for: call.request)
    }

    /// Those that have a ranking, and the one that is chosen.
    private static func options(_ ranked: [Platform], _ chosen: Platform?) -> [OptionModel] {
        var platforms = ranked
        if let chosen, !platforms.contains(chosen) { platforms.append(chosen) }
        return platforms.sorted { $0.name < $1.name }.map {
            OptionModel(value: $0.slug, text: $0.name, isChosen: $0 == chosen)
        }
    }

    private static func active(_ wanted: EntryQuery) -> [Active] {
        wanted.items.map { name, value in
            let text =
                switch name {
                case "platform": wanted.platform?.name ?? value
                case "game": wanted.game?.name ?? value
                case "gameName": "“\(value)” in the name"
                case "username": "@" + value
                case "tag": "#" + value
                case "rating": wanted.rating.map { RatingModel($0).stars } ?? value
                default: "“\(value)”"
                }
            return Active(text: text, href: wanted.path(without: name))
        }
    }
}
