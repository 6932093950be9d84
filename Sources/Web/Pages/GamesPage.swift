import FaveGames
import HTTP

enum GamesPage {
    struct Model: Sendable {
        let page: PageModel
        let search: String
        let searching: Bool
        let notice: String?
        let results: [Result]
        let pager: PagerModel?
    }

    struct Result: Sendable {
        let game: GameModel
        let platformNames: String?
        let kind: String?
        let count: CountModel?

        init(_ found: FoundGame) {
            game = GameModel(found.game)
            platformNames =
                found.platforms.isEmpty
                ? nil : found.platforms.map(\.name).joined(separator: ", ")
            kind = found.kind.label
            count = nil
        }
    }

    private static let limit = 50

    static func show(_ call: Call) async throws -> Response {
        let services = call.services
        let search = try call.searchText()
        var games: [FoundGame] = []
        if let search {
            games = try await services.games.games(
                matching: search, platform: nil, limit: limit
            ).games
        }
        var page = PageModel(
            search.map { "Games matching “\($0.text)”" } ?? "Find a game",
            description: "Find a game, see where it ranks and who loves it.",
            path: Path.search("/games", search), section: .games,
            json: search.map { Path.search("/api/v1/games", $0) }, context: call.context)
        page.noindex = search != nil
        let model = Model(
            page: page, search: search?.text ?? "", searching: search != nil,
            notice: games.count == limit
                ? "These are the first \(limit). A longer text finds fewer." : nil,
            results: games.map { Result($0) }, pager: nil)
        return try Response.html(services.views.render(.games, model)).conditional(
            for: call.request)
    }
}
