import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Views

/// A list as it was when its owner kept it.
enum KeptListPage {
    static let routes = [
        Route(
            .get, "/@{username}/{kept}", .page, takes: .username, .keptSlug, .text("saved"),
            answers: .response, handler: show)
    ]

    @Sendable private static func show(
        _ call: Call, username: Username, slug: KeptListSlug, saved: String?
    ) async throws -> Response {
        let settings = call.services.settings
        async let lists = call.keptLists(of: username)
        let kept = try await call.keptList(of: username, slug, Path.kept)
        let owner = kept.owner
        let path = Path.kept(owner.username, kept.summary.slug)
        if call.request.target.path != path { return .redirect(to: path) }
        let isOwner = call.visitor?.user.id == owner.id
        var page = PageModel(
            kept.fullTitle, description: description(kept), path: path, section: .people,
            json: "/api/v1/users/\(owner.username)/kept-lists/\(kept.summary.slug)",
            context: call.context)
        page.type = "profile"
        if saved != nil, isOwner { page.notice = "Kept. It stays as it is from now on." }
        page.beginsWithCover = kept.entries.first?.game.coverImageID != nil
        page.isIndexed = owner.isPublic
        page.image = PreviewImage(kept, publicURL: settings.publicURL)
        if owner.isPublic {
            page.structuredData = StructuredData.of(kept, publicURL: settings.publicURL)
        }
        let others = try await lists.filter { $0.slug != kept.summary.slug }
        let content = HTML.keptList(
            kept, isOwner: isOwner, canonical: page.canonical, shareText: settings.spoken(path),
            others: others.map { NamedLink($0, of: owner) })
        return try Response.page(page, content).conditional(for: call)
    }

    private static func description(_ kept: KeptList) -> String {
        kept.entries.map { "\($0.position). \($0.game.name)" }.joined(separator: ", ")
    }
}
