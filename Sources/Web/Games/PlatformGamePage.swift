import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

enum PlatformGamePage {
    static let routes = [
        // The platform is read first, since a game that is not known here is looked up at IGDB.
        Route(
            .get, "/platforms/{platform}/games/{game}", .page,
            takes: .cursor(InclusionCursor.self), .platformReference, .platform, .game,
            returns: .response,
            handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, cursor: InclusionCursor?, reference: PlatformReference,
        platform: Platform,
        found: FoundGame
    ) async throws -> Response {
        let services = context.services
        let path = Path.platformGame(platform, found.game.id)
        if case .id = reference { return .redirect(to: path) }
        async let standings = services.store.standings(game: found.game.id, platform: platform.id)
        async let inclusions = services.store.inclusions(
            game: found.game.id, platform: platform.id, limit: 30, at: cursor)
        // Before the latest, on the first page only.
        async let liked =
            cursor == nil
            ? services.store.agreedInclusions(
                game: found.game.id, platform: platform.id, limit: Agreement.shown) : []
        async let list = context.visitorsList()
        guard let standing = try await standings.first else {
            throw Problem.notFound(.notOnPlatform(found.game.name, platform.name))
        }
        let entries = try await inclusions
        let agreed = try await liked
        let shown = agreed + entries.entries.without(agreed)
        var page = PageModel(
            .game(found.game.name, on: platform.name),
            description: .aboutGame(found.game.name, on: platform.name),
            path: path, section: .platforms, json: "/api/v1\(path)/entries",
            context: context.pageContext)
        page.isIndexed = cursor == nil
        page.nameAlternates(services.settings)
        page.beginsWithCover = found.game.coverImageID != nil
        page.image = PreviewImage(found.game, services.settings)
        let content = View.platformGame(
            found.game, on: platform, standing: standing,
            add: AddOffer(found.game, on: platform, to: try await list), entries: shown,
            pager: Pager(
                path: path, next: await context.sealed(entries.next), isFirst: cursor == nil),
            hearts: try await context.hearts(of: shown), covers: page.covers)
        return Response.page(page, content)
    }
}
