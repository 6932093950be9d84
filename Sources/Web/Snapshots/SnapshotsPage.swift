import Actions
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// The page where people take and delete snapshots of their list.
enum SnapshotsPage {
    private static let path = Path.snapshots

    /// The action that the page confirms.
    private enum Done: String {
        case on, off, deleted

        var path: String { "\(SnapshotsPage.path)?done=\(rawValue)" }

        var text: Words {
            switch self {
            case .on: .yearlySnapshotsOn
            case .off: .yearlySnapshotsOff
            case .deleted: .snapshotDeleted
            }
        }
    }

    private static let forms = RouteGroup<Visitor>(
        path, for: .visitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("done"), returns: .response,
            caching: .never
        ) { context, visitor, done in
            try await page(context, visitor, notice: done.flatMap(Done.init)?.text)
        },
        forms.post(takes: .form(SnapshotsAPI.NewSnapshot.self, only: "title"), handler: take),
        Route(
            .post, Path.yearlySnapshots, .page, takes: .visitor(returningTo: path),
            .form(MeAPI.Changes.self, only: "takesYearlySnapshots"), on: path, returns: .response,
            handler: choose),
        forms.post("/{snapshot}/delete", takes: .snapshotSlug, handler: delete),
    ]

    @Sendable private static func take(
        _ context: RequestContext, visitor: Visitor, new: SnapshotsAPI.NewSnapshot
    ) async throws -> Response {
        let snapshot = try await context.snapshots.take(of: visitor.user, title: new.title)
        return .seeOther(Path.snapshot(snapshot.owner.username, snapshot.summary.slug) + "?saved")
    }

    @Sendable private static func choose(
        _ context: RequestContext, visitor: Visitor, body: MeAPI.Changes
    ) async throws -> Response {
        let changes = try body.changes(of: visitor.user, context.services.settings.languages)
        let user = try await context.profiles.change(visitor.user, changes)
        return .seeOther((user.takesYearlySnapshots ? Done.on : .off).path)
    }

    @Sendable private static func delete(
        _ context: RequestContext, visitor: Visitor, slug: SnapshotSlug
    ) async throws -> Response {
        try await context.snapshots.delete(slug, of: visitor.user)
        return .seeOther(Done.deleted.path)
    }

    private static func page(
        _ context: RequestContext, _ visitor: Visitor, notice: Words? = nil
    ) async throws -> Response {
        let services = context.services
        let user = visitor.user
        var page = PageModel(
            .snapshots, description: .aboutSnapshots, path: nil,
            section: .settings,
            context: context.pageContext)
        page.isIndexed = false
        async let lists = services.store.snapshots(userID: user.id)
        async let review = context.yearInReview()
        let list = try await context.list(of: visitor, returnPath: path)
        let form = context.fields(
            of: path,
            showing: list.entries.isEmpty ? [:] : ["title": SnapshotTitle.suggested.text])
        let content = View.snapshots(
            FormKeys(token: context.formToken().token), notice: notice,
            problem: context.problem(besides: form), review: try await review, owner: user,
            snapshots: try await lists.map { snapshot in
                let address = Path.snapshot(user.username, snapshot.slug)
                return SnapshotRow(
                    snapshot, href: address, address: services.settings.spoken(address),
                    action: "\(path)/\(snapshot.slug)/delete")
            }, form: form, takesYearlySnapshots: user.takesYearlySnapshots,
            isEmpty: list.entries.isEmpty,
            listHref: Path.list(user.username))
        return .privatePage(page, content)
    }
}
