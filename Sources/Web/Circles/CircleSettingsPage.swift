import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The page for a circle's owner: invitations, the circle's settings and its members.
enum CircleSettingsPage {
    private static let pattern = "\(Path.circles)/{circle}"
    private static let settings = "\(pattern)/settings"

    private static let forms = RouteGroup<Visitor>(
        pattern, for: .visitor(returningTo: Path.circles), on: settings)

    static let routes = [
        Route(
            .get, settings, .page, takes: .visitor, .circle, .text("saved"),
            returns: .response, caching: .never
        ) { context, visitor, id, saved in
            try await page(context, visitor, id, saved: saved.flatMap(Saved.init))
        },
        forms.post(
            "/settings", takes: .circle,
            .form(CirclesAPI.Changes.self, only: "name", "description", "visibility"),
            handler: change),
        forms.post(
            "/invitations", takes: .circle,
            .form(CircleInvitationsAPI.NewInvitation.self, only: "uses", "days"),
            handler: invite),
        forms.post(
            "/invitations/{invitation}/revoke", takes: .circle, .invitation, handler: revoke),
        forms.post("/members/{member}/remove", takes: .circle, .circleMember, handler: remove),
        forms.post("/members/{member}/owner", takes: .circle, .circleMember, handler: handOver),
        forms.post("/delete", takes: .circle, handler: delete),
    ]

    /// The action that the page confirms.
    private enum Saved: String {
        case made, changed, revoked, removed

        var text: String {
            switch self {
            case .made: "Your circle is ready. Now invite people to it."
            case .changed: "Saved."
            case .revoked: "Revoked. The link no longer works."
            case .removed: "Removed. All open invitations have ended."
            }
        }

        func path(of id: UUID) -> String { "\(Path.circleSettings(id))?saved=\(rawValue)" }
    }

    @Sendable private static func change(
        _ context: RequestContext, visitor: Visitor, id: UUID, changes: CirclesAPI.Changes
    ) async throws -> Response {
        try await context.circles.change(
            id, by: visitor.user, name: changes.name, description: changes.description,
            visibility: changes.visibility)
        return .seeOther(Saved.changed.path(of: id))
    }

    @Sendable private static func invite(
        _ context: RequestContext, visitor: Visitor, id: UUID,
        new: CircleInvitationsAPI.NewInvitation
    ) async throws -> Response {
        let made = try await context.circles.invite(
            to: id, by: visitor.user, uses: new.uses, days: new.days)
        return try await page(context, visitor, id, made: made.token)
    }

    @Sendable private static func revoke(
        _ context: RequestContext, visitor: Visitor, id: UUID, invitation: UUID
    ) async throws -> Response {
        try await context.circles.revoke(invitation, to: id, by: visitor.user)
        return .seeOther(Saved.revoked.path(of: id))
    }

    @Sendable private static func remove(
        _ context: RequestContext, visitor: Visitor, id: UUID, member: UUID
    ) async throws -> Response {
        try await context.circles.remove(member, from: id, by: visitor.user)
        return .seeOther(Saved.removed.path(of: id))
    }

    @Sendable private static func handOver(
        _ context: RequestContext, visitor: Visitor, id: UUID, member: UUID
    ) async throws -> Response {
        try await context.circles.handOver(id, to: member, by: visitor.user)
        return .seeOther(CirclePage.Done.handedOver.path(of: id))
    }

    @Sendable private static func delete(
        _ context: RequestContext, visitor: Visitor, id: UUID
    ) async throws -> Response {
        try await context.circles.delete(id, by: visitor.user)
        return .seeOther(CirclesPage.Done.deleted.path)
    }

    /// - Parameter made: The invitation that was just made, which is shown this once.
    private static func page(
        _ context: RequestContext, _ visitor: Visitor, _ id: UUID, saved: Saved? = nil,
        made: SecretToken? = nil
    ) async throws -> Response {
        let view = try await context.circle(id, seenBy: visitor.user.id)
        guard view.role == .owner else { throw CircleError.notFound }
        let invitations = try await context.services.store.invitations(
            toCircle: id, by: visitor.user.id)
        var page = PageModel(
            "Settings of \(view.circle.name)", description: "For the circle’s owner.", path: nil,
            section: .people, context: context.pageContext)
        page.isIndexed = false
        let path = Path.circle(id)
        let form = context.fields(
            of: Path.circleSettings(id),
            showing: [
                "name": view.circle.name, "description": view.circle.description,
                "visibility": view.circle.visibility.rawValue,
            ])
        let invitation = context.fields(
            of: "\(path)/invitations",
            showing: ["uses": "\(Circle.defaultUses)", "days": "\(Circle.defaultDays)"])
        let content = HTML.circleSettings(
            view.circle, keys: FormKeys(token: context.formToken().token), saved: saved?.text,
            problem: context.problem(besides: form, invitation),
            made: made.map {
                context.services.settings.publicURL + CircleInvitationPage.path(to: $0)
            },
            form: form, invitation: invitation,
            invitations: invitations.map {
                NamedAction(
                    name: "For \($0.usesLeft) of \($0.uses) \($0.uses == 1 ? "person" : "people"), "
                        + "until \($0.expiresAt.dayInWords)",
                    action: "\(path)/invitations/\($0.id.uuidString.lowercased())/revoke")
            },
            members: view.members.map { CircleMemberRow($0, of: path) })
        return .privatePage(page, content)
    }
}
