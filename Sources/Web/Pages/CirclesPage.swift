import FaveGames
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The circles that someone is in, and the page on which they make another one.
enum CirclesPage {
    private static let newPath = "\(Path.circles)/new"

    static let routes = [
        Route(
            .get, Path.circles, .page, takes: .visitor, .text("done"), answers: .response,
            caching: .never, handler: show),
        Route(
            .get, newPath, .page, takes: .visitor, answers: .response, caching: .never
        ) { call, _ in page(call, CircleForm()) },
        Route(
            .post, newPath, .page, takes: .visitor(returningTo: newPath), answers: .response,
            handler: make),
    ]

    /// What was just done, which the page confirms.
    enum Done: String {
        case left, deleted

        var path: String { "\(Path.circles)?done=\(rawValue)" }

        fileprivate var text: String {
            switch self {
            case .left: "You’ve left the circle."
            case .deleted: "The circle is deleted."
            }
        }
    }

    @Sendable private static func show(
        _ call: Call, visitor: Visitor, done: String?
    ) async throws -> Response {
        let circles = try await call.services.store.circles(of: visitor.user.id)
        var page = PageModel(
            "Your circles", description: "The circles you’re in.", path: nil, section: .people,
            context: call.context)
        page.isIndexed = false
        let owned = circles.count { $0.role == .owner }
        let content = HTML.circles(
            circles.map(CircleCard.init), notice: done.flatMap(Done.init)?.text,
            canMake: circles.count < Circle.joinedLimit && owned < Circle.ownedLimit)
        return .privatePage(page, content)
    }

    @Sendable private static func make(_ call: Call, visitor: Visitor) async throws -> Response {
        let form = try call.form()
        var typed = CircleForm()
        guard let circle = TypedCircle(form, &typed, call.services.accounts) else {
            return page(call, typed)
        }
        do {
            let id = try await call.services.accounts.makeCircle(
                of: visitor.user, name: circle.name, description: circle.description,
                visibility: circle.visibility)
            return .seeOther(Path.circleSettings(id) + "?saved=made")
        } catch let error as CircleError {
            return page(call, typed, problem: Problem(error))
        }
    }

    private static func page(
        _ call: Call, _ form: CircleForm, problem: Problem? = nil
    ) -> Response {
        var page = PageModel(
            "Make a circle", description: "Rank the favourites of people you know.", path: nil,
            section: .people, context: call.context)
        page.isIndexed = false
        let (token, _) = call.formToken()
        let content = HTML.newCircle(
            FormKeys(token: token), problem: problem?.detail, form: form)
        return .privatePage(
            page, content,
            problem: problem ?? form.anyError.map { Problem(.unprocessableContent, $0) })
    }
}

/// What someone typed about a circle.
struct TypedCircle: Sendable {
    let name: CircleName
    let description: CircleDescription
    let visibility: CircleVisibility

    /// - Parameters:
    ///   - typed: Gets what was typed, and what is wrong with it.
    ///   - known: The circle as it is, whose texts are not checked again.
    /// - Returns: `nil` if something is wrong.
    init?(
        _ form: FormItems, _ typed: inout CircleForm, _ accounts: Accounts, known: Circle? = nil
    ) {
        typed.name = FormField(form["name"])
        typed.description = FormField(form["description"])
        typed.visibility = form["visibility"].flatMap(CircleVisibility.init)
        let blockList = accounts.policy.blockList
        let name = CircleName(typed.name.value)
        if let name {
            if name.text != known?.name, let found = blockList.first(in: name.text) {
                typed.name.error = BlockList.description(of: found)
            }
        } else {
            typed.name.error =
                "Use 1–\(CircleName.limit) characters, at least one of them visible."
        }
        let description = CircleDescription(typed.description.value)
        if let description {
            if description.text != known?.description,
                let found = blockList.first(in: description.text)
            {
                typed.description.error = BlockList.description(of: found)
            }
        } else {
            typed.description.error = "Use at most \(CircleDescription.limit) characters."
        }
        if typed.visibility == nil { typed.visibilityError = "Choose who can see the circle." }
        guard typed.anyError == nil, let name, let description, let visibility = typed.visibility
        else { return nil }
        self.name = name
        self.description = description
        self.visibility = visibility
    }
}
