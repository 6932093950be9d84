import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Views

/// A list as it was when its owner took a snapshot of it.
enum SnapshotPage {
    static let routes = [
        Route(
            .get, "/@{username}/{snapshot}", .page, takes: .username, .snapshotSlug, .text("saved"),
            returns: .response, handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, username: Username, slug: SnapshotSlug, saved: String?
    ) async throws -> Response {
        let settings = context.services.settings
        async let lists = context.snapshots(of: username)
        let snapshot = try await context.snapshot(of: username, slug, Path.snapshot)
        let owner = snapshot.owner
        let path = Path.snapshot(owner.username, snapshot.summary.slug)
        if context.request.target.path != path { return .redirect(to: path) }
        let isOwner = context.visitor?.user.id == owner.id
        var page = PageModel(
            snapshot.fullTitle, description: description(snapshot), path: path, section: .people,
            json: "/api/v1/users/\(owner.username)/snapshots/\(snapshot.summary.slug)",
            context: context.pageContext)
        page.type = "profile"
        if saved != nil, isOwner { page.notice = "Snapshot saved." }
        page.beginsWithCover = snapshot.entries.first?.game.coverImageID != nil
        page.isIndexed = owner.isPublic
        if page.isForMachines { page.image = PreviewImage(snapshot, settings) }
        if page.isForMachines, owner.isPublic {
            page.structuredData = StructuredData.of(snapshot, publicURL: settings.publicURL)
        }
        let others = try await lists.filter { $0.slug != snapshot.summary.slug }
        let content = HTML.snapshot(
            snapshot, isOwner: isOwner, canonical: page.canonical, shareText: settings.spoken(path),
            others: others.map { NamedLink($0, of: owner) })
        return Response.page(page, content)
    }

    private static func description(_ snapshot: Snapshot) -> String {
        snapshot.entries.map { "\($0.position). \($0.game.name)" }.joined(separator: ", ")
    }
}
