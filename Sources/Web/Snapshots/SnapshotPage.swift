import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import ShareCard
import Storage
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
        if saved != nil, isOwner { page.notice = .snapshotSaved }
        page.beginsWithCover = snapshot.entries.first?.game.coverImageID != nil
        page.isIndexed = owner.isPublic
        if page.isForMachines { page.image = PreviewImage(snapshot, settings) }
        if page.isForMachines, owner.isPublic {
            page.structuredData = StructuredData.of(
                snapshot, in: page.language, for: settings.addresses)
        }
        let years = SnapshotYears(around: snapshot.summary, among: try await lists)
        let others = try await lists.filter {
            ![snapshot.summary, years.previous, years.next].contains($0)
        }
        let unseen =
            isOwner
            ? try await context.services.store.hiddenGames(
                among: snapshot.entries.map(\.game.id)) : []
        let content = View.snapshot(
            snapshot, unseen: unseen, isOwner: isOwner, canonical: page.canonical,
            shareText: settings.spoken(path),
            picture: picture(snapshot, settings, path), pictureInWords: snapshot.words,
            years: years,
            others: others.map { NamedLink($0, of: owner) }, covers: page.covers)
        return Response.page(page, content)
    }

    /// The card of a year; `nil` if no one else may see it, and for other snapshots.
    private static func picture(
        _ snapshot: Snapshot, _ settings: WebSettings, _ path: String
    ) -> CardLink? {
        guard snapshot.summary.year != nil, snapshot.owner.visibility != .private else {
            return nil
        }
        let card = settings.card(of: snapshot)
        return CardLink(
            name: snapshot.fullTitle, path: Path.card(path, card.fileName),
            fileName: card.fileName, width: card.format.width, height: card.format.height)
    }

    private static func description(_ snapshot: Snapshot) -> Words {
        .list(snapshot.entries.map { $0.game.name.numbered($0.position) })
    }
}
