import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// The page where members invite others while signing up needs an invitation.
enum InvitationsPage {
    static let path = "/settings/invitations"

    /// The address that an invited person opens.
    static func path(to token: SecretToken) -> String { "/sign-up?invitation=\(token.text)" }

    private static let forms = RouteGroup<Visitor>(
        path, for: .visitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("revoked"), returns: .response,
            caching: .never
        ) { context, visitor, revoked in
            try await page(
                context, visitor,
                notice: revoked == nil ? nil : .invitationRevoked)
        },
        forms.post(
            takes: .form(InvitationsAPI.NewInvitation.self, only: "uses", "days"), handler: make),
        forms.post("/{invitation}/revoke", takes: .invitation, handler: revoke),
    ]

    @Sendable private static func make(
        _ context: RequestContext, visitor: Visitor, new: InvitationsAPI.NewInvitation
    ) async throws -> Response {
        let made = try await context.services.accounts.invite(
            as: visitor.user, uses: new.uses, days: new.days)
        return try await page(context, visitor, made: made.token)
    }

    @Sendable private static func revoke(
        _ context: RequestContext, visitor: Visitor, id: UUID
    ) async throws -> Response {
        try await context.services.accounts.revoke(invitation: id, of: visitor.user)
        return .seeOther("\(path)?revoked=yes")
    }

    private static func page(
        _ context: RequestContext, _ visitor: Visitor, made: SecretToken? = nil,
        notice: Words? = nil
    ) async throws -> Response {
        guard context.services.accounts.policy.signUp == .invite else {
            throw Problem.notFound(.nobodyNeedsInvitation)
        }
        let invitations = try await context.services.store.invitations(userID: visitor.user.id)
        var page = PageModel(
            .invitations, description: .aboutInvitations, path: nil,
            section: .settings, context: context.pageContext)
        page.isIndexed = false
        let form = context.fields(of: path, showing: ["uses": "1", "days": "7"])
        let content = View.invitations(
            FormKeys(token: context.formToken().token),
            made: made.map { context.services.settings.publicURL + Self.path(to: $0) },
            notice: notice, problem: context.problem(besides: form), form: form,
            invitations: invitations.map {
                NamedAction(
                    placesLeft: $0.usesLeft, expiresAt: $0.expiresAt,
                    action: "\(Self.path)/\($0.id.text)/revoke")
            })
        return .privatePage(page, content)
    }
}
