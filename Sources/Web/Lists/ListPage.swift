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
        _ call: Call, username: Username, saved: String?
    ) async throws -> Response {
        let settings = call.services.settings
        async let snapshots = call.snapshots(of: username)
        guard let list = try await call.list(of: username) else {
            throw try await call.moved(from: username, Path.list)
        }
        let path = Path.list(list.owner.username)
        if call.request.target.path != path { return .redirect(to: path) }
        var page = PageModel(
            list.owner.listTitle, description: description(list),
            path: path, section: .people,
            json: "/api/v1/users/\(list.owner.username)/list", context: call.context)
        page.type = "profile"
        if saved != nil, call.visitor?.user.id == list.owner.id { page.notice = "Saved." }
        page.beginsWithCover = list.entries.first?.game.coverImageID != nil
        page.isIndexed = list.owner.isPublic
        page.image = PreviewImage(list, publicURL: settings.publicURL)
        if list.owner.visibility != .private {
            page.feed = Path.listFeed(list.owner.username)
            page.oembed = OEmbed.address(of: list, publicURL: settings.publicURL)
        }
        if list.owner.isPublic, !list.entries.isEmpty {
            page.structuredData = StructuredData.of(list, publicURL: settings.publicURL)
        }
        let content = HTML.list(
            list, isOwner: call.visitor?.user.id == list.owner.id, canonical: page.canonical,
            shareText: settings.spoken(path),
            embedCode: EmbedCode(list, publicURL: settings.publicURL).html,
            snapshots: try await snapshots.map { NamedLink($0, of: list.owner) },
            hearts: try await call.hearts(on: list), visitor: try await call.view(of: list))
        return try Response.page(page, content).conditional(for: call)
    }

    private static func description(_ list: FaveList) -> String {
        guard !list.entries.isEmpty else {
            return "\(list.owner.displayName) is still choosing their five favourite games."
        }
        return list.entries.map { "\($0.position). \($0.game.name)" }.joined(separator: ", ")
    }
}
