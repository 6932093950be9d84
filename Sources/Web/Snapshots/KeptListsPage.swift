import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The page on which people keep their list as it is, and delete what they have kept.
enum KeptListsPage {
    private static let path = Path.keptLists

    /// What was just done, which the page confirms.
    private enum Done: String {
        case on, off, deleted

        var path: String { "\(KeptListsPage.path)?done=\(rawValue)" }

        var text: String {
            switch self {
            case .on: "Your list will be kept every year, on 31 December."
            case .off: "Your list is no longer kept every year."
            case .deleted: "Deleted."
            }
        }
    }

    private static let forms = RouteGroup<Visitor>(
        path, for: .visitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("done"), answers: .response,
            caching: .never
        ) { call, visitor, done in
            try await page(call, visitor, notice: done.flatMap(Done.init)?.text)
        },
        forms.post(takes: .form(KeptListsAPI.NewKeptList.self, only: "title"), handler: keep),
        Route(
            .post, Path.keepsYears, .page, takes: .visitor(returningTo: path),
            .form(MeAPI.Changes.self, only: "keepsYears"), on: path, answers: .response,
            handler: choose),
        forms.post("/{kept}/delete", takes: .keptSlug, handler: delete),
    ]

    @Sendable private static func keep(
        _ call: Call, visitor: Visitor, new: KeptListsAPI.NewKeptList
    ) async throws -> Response {
        let kept = try await call.snapshots.take(of: visitor.user, title: new.title)
        return .seeOther(Path.kept(kept.owner.username, kept.summary.slug) + "?saved")
    }

    @Sendable private static func choose(
        _ call: Call, visitor: Visitor, body: MeAPI.Changes
    ) async throws -> Response {
        let user = try await call.profiles.change(visitor.user, body.changes)
        return .seeOther((user.keepsYears ? Done.on : .off).path)
    }

    @Sendable private static func delete(
        _ call: Call, visitor: Visitor, slug: KeptListSlug
    ) async throws -> Response {
        try await call.snapshots.delete(slug, of: visitor.user)
        return .seeOther(Done.deleted.path)
    }

    private static func page(
        _ call: Call, _ visitor: Visitor, notice: String? = nil
    ) async throws -> Response {
        let services = call.services
        let user = visitor.user
        var page = PageModel(
            "Kept lists", description: "Keep your list as it is.", path: nil, section: .settings,
            context: call.context)
        page.isIndexed = false
        async let lists = services.store.keptLists(userID: user.id)
        let list = try await call.list(of: visitor, returnPath: path)
        let form = call.fields(
            of: path,
            showing: list.entries.isEmpty ? [:] : ["title": KeptListTitle.suggested.text])
        let content = HTML.keptLists(
            FormKeys(token: call.formToken().token), notice: notice,
            problem: call.problem(besides: form),
            kept: try await lists.map { kept in
                let address = Path.kept(user.username, kept.slug)
                return KeptListRow(
                    kept, href: address, address: services.settings.spoken(address),
                    action: "\(path)/\(kept.slug)/delete")
            }, form: form, keepsYears: user.keepsYears, isEmpty: list.entries.isEmpty,
            listHref: Path.list(user.username))
        return .privatePage(page, content)
    }
}
