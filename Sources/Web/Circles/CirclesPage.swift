import Actions
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// Two pages: the visitor's circles, and the form for a new circle.
enum CirclesPage {
    private static let newPath = "\(Path.circles)/new"

    static let routes = [
        Route(
            .get, Path.circles, .page, takes: .visitor, .text("done"), returns: .response,
            caching: .never, handler: show),
        Route(
            .get, newPath, .page, takes: .visitor, returns: .response, caching: .never
        ) { context, _ in newPage(context) },
        Route(
            .post, newPath, .page, takes: .visitor(returningTo: newPath),
            .form(CirclesAPI.NewCircle.self), returns: .response, handler: make),
    ]

    /// The action that the page confirms.
    enum Done: String {
        case left, deleted

        var path: String { "\(Path.circles)?done=\(rawValue)" }

        fileprivate var text: Words {
            switch self {
            case .left: .circleLeft
            case .deleted: .circleDeleted
            }
        }
    }

    @Sendable private static func show(
        _ context: RequestContext, visitor: Visitor, done: String?
    ) async throws -> Response {
        let circles = try await context.services.store.circles(of: visitor.user.id)
        var page = PageModel(
            .yourCircles, description: .aboutYourCircles, path: nil, section: .people,
            context: context.pageContext)
        page.isIndexed = false
        let owned = circles.count { $0.role == .owner }
        let content = View.circles(
            circles.map(CircleCard.init), notice: done.flatMap(Done.init)?.text,
            canMake: circles.count < Circle.joinedLimit && owned < Circle.ownedLimit)
        return .privatePage(page, content)
    }

    @Sendable private static func make(
        _ context: RequestContext, visitor: Visitor, new: CirclesAPI.NewCircle
    ) async throws -> Response {
        let id = try await context.circles.make(
            by: visitor.user, name: new.name, description: new.description,
            visibility: new.visibility)
        let made = try await context.circle(id, seenBy: visitor.user.id).circle
        return .seeOther(Path.circleSettings(made.slug) + "?saved=made")
    }

    private static func newPage(_ context: RequestContext) -> Response {
        var page = PageModel(
            .createCircle, description: .aboutCircles, path: nil,
            section: .people, context: context.pageContext)
        page.isIndexed = false
        let content = View.newCircle(
            FormKeys(token: context.formToken().token),
            form: context.fields(
                of: newPath,
                showing: [
                    "name": "", "description": "", "visibility": CircleVisibility.members.rawValue,
                ]))
        return .privatePage(page, content)
    }
}
