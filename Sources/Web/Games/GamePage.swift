import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

enum GamePage {
    static let routes = [
        Route(
            .get, "/games/{game}", .page, takes: .cursor(InclusionCursor.self), .game,
            returns: .response
        ) { context, cursor, game in
            try await page(context, game, at: cursor)
        }
    ]

    private static func page(
        _ context: RequestContext, _ found: FoundGame, at cursor: InclusionCursor?
    ) async throws -> Response {
        let services = context.services
        async let standings = services.store.standings(game: found.game.id)
        async let inclusions = services.store.inclusions(
            game: found.game.id, platform: nil, limit: 30, at: cursor)
        // Before the latest, on the first page only.
        async let liked =
            cursor == nil
            ? services.store.agreedInclusions(
                game: found.game.id, platform: nil, limit: Agreement.shown) : []
        async let related =
            cursor == nil ? services.store.relatedGames(to: found.game.id, limit: 12) : []
        async let list = context.visitorsList()
        let entries = try await inclusions
        let agreed = try await liked
        let shown = agreed + entries.entries.without(agreed)
        let path = Path.game(found.game.id)
        var page = PageModel(
            Words(found.game.name), description: .aboutGame(found.game.name),
            path: path, section: .games, json: "/api/v1\(path)", context: context.pageContext)
        page.isIndexed = cursor == nil
        page.nameAlternates(services.settings)
        page.beginsWithCover = found.game.coverImageID != nil
        page.image = PreviewImage(found.game, services.settings)
        let content = View.game(
            found.game, otherName: found.otherName(in: page.language),
            standings: try await standings,
            related: try await related,
            add: AddOffer(found.game, to: try await list), entries: shown,
            pager: Pager(
                path: path, next: await context.sealed(entries.next), isFirst: cursor == nil),
            hearts: try await context.hearts(of: shown), covers: page.covers)
        return .page(page, content)
    }
}
