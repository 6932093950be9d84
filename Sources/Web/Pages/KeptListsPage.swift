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

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("done"), answers: .response,
            caching: .never
        ) { call, visitor, done in
            try await page(call, visitor, notice: done.flatMap(Done.init)?.text)
        },
        Route(
            .post, path, .page, takes: .visitor(returningTo: path), answers: .response,
            handler: keep),
        Route(
            .post, Path.keepsYears, .page, takes: .visitor(returningTo: path),
            answers: .response, handler: choose),
        Route(
            .post, "\(path)/{kept}/delete", .page, takes: .visitor(returningTo: path), .keptSlug,
            answers: .response, handler: delete),
    ]

    @Sendable private static func keep(_ call: Call, visitor: Visitor) async throws -> Response {
        let typed = try call.form()["title"] ?? ""
        guard let title = KeptListTitle(typed) else {
            return try await page(
                call, visitor,
                title: FormField(
                    typed, error: "Give it a title of at most \(KeptListTitle.limit) characters."))
        }
        do {
            let kept = try await call.keepList(of: visitor.user, title: title)
            return .seeOther(Path.kept(kept.owner.username, kept.summary.slug) + "?saved")
        } catch KeptListError.blockedText(let found) {
            return try await page(
                call, visitor, title: FormField(typed, error: BlockList.description(of: found)))
        } catch let error as KeptListError {
            return try await page(
                call, visitor, title: FormField(typed),
                problem: Problem(error))
        }
    }

    @Sendable private static func choose(_ call: Call, visitor: Visitor) async throws -> Response {
        let isOn = try call.form()["keepsYears"] == "yes"
        _ = try await call.services.accounts.change(
            visitor.user, ProfileChanges(keepsYears: isOn))
        return .seeOther((isOn ? Done.on : .off).path)
    }

    @Sendable private static func delete(
        _ call: Call, visitor: Visitor, slug: KeptListSlug
    ) async throws -> Response {
        _ = try call.form()
        try await call.services.store.deleteKeptList(slug: slug, of: visitor.user.id)
        return .seeOther(Done.deleted.path)
    }

    private static func page(
        _ call: Call, _ visitor: Visitor, notice: String? = nil, title: FormField? = nil,
        problem: Problem? = nil
    ) async throws -> Response {
        let services = call.services
        let user = visitor.user
        var page = PageModel(
            "Kept lists", description: "Keep your list as it is.", path: nil, section: .settings,
            context: call.context)
        page.isIndexed = false
        async let lists = services.store.keptLists(userID: user.id)
        let list = try await call.list(of: visitor, returnPath: path)
        let (key, _) = call.formToken()
        let content = HTML.keptLists(
            FormKeys(token: key), notice: notice, problem: problem?.detail,
            kept: try await lists.map { kept in
                let address = Path.kept(user.username, kept.slug)
                return KeptListRow(
                    kept, href: address, address: services.settings.spoken(address),
                    action: "\(path)/\(kept.slug)/delete")
            }, title: title ?? FormField(KeptListTitle.suggested.text),
            keepsYears: user.keepsYears, isEmpty: list.entries.isEmpty,
            listHref: Path.list(user.username))
        return .privatePage(
            page, content,
            problem: problem ?? title?.error.map { Problem(.unprocessableContent, $0) })
    }
}
