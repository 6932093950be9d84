import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Views

enum ListPage {
    static let routes = [
        Route(
            .get, "/@{username}", .page, takes: .username, .text("saved"), returns: .response,
            handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, username: Username, saved: String?
    ) async throws -> Response {
        let settings = context.services.settings
        async let snapshots = context.snapshots(of: username)
        guard let list = try await context.list(of: username) else {
            throw try await context.moved(from: username, Path.list)
        }
        let path = Path.list(list.owner.username)
        if context.request.target.path != path { return .redirect(to: path) }
        var page = PageModel(
            list.owner.listTitle, description: description(list),
            path: path, section: .people,
            json: "/api/v1/users/\(list.owner.username)/list", context: context.pageContext)
        page.type = "profile"
        if saved != nil, context.visitor?.user.id == list.owner.id { page.notice = "Saved." }
        page.beginsWithCover = list.entries.first?.game.coverImageID != nil
        page.isIndexed = list.owner.isPublic
        if page.isForMachines { page.image = PreviewImage(list, settings) }
        if list.owner.visibility != .private {
            page.feed = Path.listFeed(list.owner.username)
            page.oembed = OEmbed.address(of: list, publicURL: settings.publicURL)
        }
        if page.isForMachines, list.owner.isPublic, !list.entries.isEmpty {
            page.structuredData = StructuredData.of(list, publicURL: settings.publicURL)
        }
        let content = HTML.list(
            list, isOwner: context.visitor?.user.id == list.owner.id, canonical: page.canonical,
            shareText: settings.spoken(path),
            embedCode: EmbedCode(list, publicURL: settings.publicURL).html,
            snapshots: try await snapshots.map { NamedLink($0, of: list.owner) },
            hearts: try await context.hearts(on: list), visitor: try await context.view(of: list))
        return Response.page(page, content)
    }

    private static func description(_ list: FaveList) -> String {
        guard !list.entries.isEmpty else {
            return "\(list.owner.displayName) is still choosing their five favourite games."
        }
        return list.entries.map { "\($0.position). \($0.game.name)" }.joined(separator: ", ")
    }
}
