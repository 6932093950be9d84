import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The page on which a circle's owner invites people, changes the circle and looks after its members.
enum CircleSettingsPage {
    private static let pattern = "\(Path.circles)/{circle}"

    static let routes = [
        Route(
            .get, "\(pattern)/settings", .page, takes: .visitor, .circle, .text("saved"),
            answers: .response, caching: .never
        ) { call, visitor, id, saved in
            try await page(call, visitor, id, saved: saved.flatMap(Saved.init))
        },
        Route(
            .post, "\(pattern)/settings", .page, takes: .visitor(returningTo: Path.circles),
            .circle, answers: .response, handler: change),
        Route(
            .post, "\(pattern)/invitations", .page, takes: .visitor(returningTo: Path.circles),
            .circle, answers: .response, handler: invite),
        Route(
            .post, "\(pattern)/invitations/{invitation}/revoke", .page,
            takes: .visitor(returningTo: Path.circles), .circle, .invitation,
            answers: .response, handler: revoke),
        Route(
            .post, "\(pattern)/members/{member}/remove", .page,
            takes: .visitor(returningTo: Path.circles), .circle, .circleMember,
            answers: .response, handler: remove),
        Route(
            .post, "\(pattern)/members/{member}/owner", .page,
            takes: .visitor(returningTo: Path.circles), .circle, .circleMember,
            answers: .response, handler: handOver),
        Route(
            .post, "\(pattern)/delete", .page, takes: .visitor(returningTo: Path.circles),
            .circle, answers: .response, handler: delete),
    ]

    /// What was just done, which the page confirms.
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
        _ call: Call, visitor: Visitor, id: UUID
    ) async throws -> Response {
        let form = try call.form()
        let view = try await ownCircle(call, visitor, id)
        var typed = CircleForm()
        guard
            let circle = TypedCircle(
                form, &typed, call.services.accounts, known: view.circle)
        else { return try await page(call, visitor, id, form: typed) }
        do {
            try await call.services.accounts.changeCircle(
                id: id, by: visitor.user, name: circle.name, description: circle.description,
                visibility: circle.visibility)
        } catch CircleError.hasMembers {
            return try await page(
                call, visitor, id, form: typed, problem: Problem(CircleError.hasMembers))
        }
        return .seeOther(Saved.changed.path(of: id))
    }

    @Sendable private static func invite(
        _ call: Call, visitor: Visitor, id: UUID
    ) async throws -> Response {
        let form = try call.form()
        let typed = (uses: form["uses"] ?? "", days: form["days"] ?? "")
        guard let uses = Int(typed.uses), Circle.invitationUses.contains(uses),
            let days = Int(typed.days), Circle.invitationDays.contains(days)
        else {
            return try await page(
                call, visitor, id, invitation: typed,
                problem: Problem(
                    .unprocessableContent,
                    "An invitation can be for 1 to 100 people, and for 1 to 30 days."))
        }
        do {
            let made = try await call.services.accounts.inviteToCircle(
                id: id, as: visitor.user, uses: uses, days: days)
            return try await page(call, visitor, id, made: made.token)
        } catch CircleError.tooManyInvitations {
            return try await page(
                call, visitor, id, problem: Problem(CircleError.tooManyInvitations))
        }
    }

    @Sendable private static func revoke(
        _ call: Call, visitor: Visitor, id: UUID, invitation: UUID
    ) async throws -> Response {
        _ = try call.form()
        try await call.services.store.revokeInvitation(
            invitation, toCircle: id, by: visitor.user.id)
        return .seeOther(Saved.revoked.path(of: id))
    }

    @Sendable private static func remove(
        _ call: Call, visitor: Visitor, id: UUID, member: UUID
    ) async throws -> Response {
        _ = try call.form()
        try await call.services.store.removeMember(member, ofCircle: id, by: visitor.user.id)
        return .seeOther(Saved.removed.path(of: id))
    }

    @Sendable private static func handOver(
        _ call: Call, visitor: Visitor, id: UUID, member: UUID
    ) async throws -> Response {
        _ = try call.form()
        do {
            try await call.services.store.handOver(circle: id, by: visitor.user.id, to: member)
            return .seeOther(CirclePage.Done.handedOver.path(of: id))
        } catch CircleError.memberOwnsTooMany {
            return try await page(
                call, visitor, id, problem: Problem(CircleError.memberOwnsTooMany))
        }
    }

    @Sendable private static func delete(
        _ call: Call, visitor: Visitor, id: UUID
    ) async throws -> Response {
        _ = try call.form()
        try await call.services.store.deleteCircle(id: id, by: visitor.user.id)
        return .seeOther(CirclesPage.Done.deleted.path)
    }

    /// - Throws: 404 for anyone but the owner.
    private static func ownCircle(
        _ call: Call, _ visitor: Visitor, _ id: UUID
    ) async throws -> CircleView {
        let view = try await call.circle(id, seenBy: visitor.user.id)
        guard view.role == .owner else { throw CircleError.notFound }
        return view
    }

    /// - Parameter made: The invitation that was just made, which is shown this once.
    private static func page(
        _ call: Call, _ visitor: Visitor, _ id: UUID, saved: Saved? = nil,
        made: SecretToken? = nil, form: CircleForm? = nil,
        invitation: (uses: String, days: String)? = nil, problem: Problem? = nil
    ) async throws -> Response {
        let view = try await ownCircle(call, visitor, id)
        let invitations = try await call.services.store.invitations(
            toCircle: id, by: visitor.user.id)
        var page = PageModel(
            "Settings of \(view.circle.name)", description: "For the circle’s owner.", path: nil,
            section: .people, context: call.context)
        page.isIndexed = false
        let path = Path.circle(id)
        let content = HTML.circleSettings(
            view.circle, keys: FormKeys(token: call.formToken().token), saved: saved?.text,
            problem: problem?.detail,
            made: made.map {
                call.services.settings.publicURL + CircleInvitationPage.path(to: $0)
            },
            form: form ?? CircleForm(view.circle),
            invitations: invitations.map {
                NamedAction(
                    name: "For \($0.usesLeft) of \($0.uses) \($0.uses == 1 ? "person" : "people"), "
                        + "until \($0.expiresAt.dayInWords)",
                    action: "\(path)/invitations/\($0.id.uuidString.lowercased())/revoke")
            },
            uses: invitation?.uses ?? String(Circle.defaultUses),
            days: invitation?.days ?? String(Circle.defaultDays),
            members: view.members.map { CircleMemberRow($0, of: path) })
        return .privatePage(
            page, content,
            problem: problem ?? form?.anyError.map { Problem(.unprocessableContent, $0) })
    }
}
