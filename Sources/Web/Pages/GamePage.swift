import FaveGames
import HTTP

enum GamePage {
    struct Model: Sendable {
        let page: PageModel
        let game: GameModel
        let igdbHref: String?
        let platforms: [Standing]
        let entries: [EntryModel]
        let pager: PagerModel?
    }

    struct Standing: Sendable {
        let platform: PlatformModel
        let href: String
        let rank: Int?
        let tied: Bool
        let count: CountModel
        let percent: Int

        init(_ standing: GameStanding, game: Game) {
            platform = PlatformModel(standing.platform)
            href = Path.platformGame(standing.platform, game.id)
            rank = standing.rank
            tied = standing.isTied
            count = CountModel(standing.includedBy)
            percent =
                standing.highestCount > 0
                ? standing.includedBy * 100 / standing.highestCount : 0
        }
    }

    static func show(_ call: Call) async throws -> Response {
        let services = call.services
        let cursor = try call.cursor(InclusionCursor.self)
        let found = try await call.game()
        async let standings = services.store.standings(game: found.game.id)
        async let inclusions = services.store.inclusions(
            game: found.game.id, platform: nil, limit: 30, after: cursor)
        let entries = try await inclusions
        let path = Path.game(found.game.id)
        var page = PageModel(
            found.game.name,
            description:
                "\(found.game.name): its rank on each platform and the people who love it.",
            path: path, section: .games, json: "/api/v1\(path)", context: call.context)
        page.noindex = cursor != nil
        page.image = ImageModel(found.game)
        let model = Model(
            page: page, game: GameModel(found.game), igdbHref: nil,
            platforms: try await standings.map { Standing($0, game: found.game) },
            entries: entries.entries.map { EntryModel($0, showsPlatform: true) },
            pager: PagerModel(path: path, next: entries.next?.cursor, isFirst: cursor == nil))
        return try Response.html(services.views.render(.game, model)).conditional(for: call.request)
    }
}
