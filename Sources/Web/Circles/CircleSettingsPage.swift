import Actions
import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Outbox
import Storage
import Views

/// The page for a circle's owner: invitations, the circle's settings, its members and its webhook.
enum CircleSettingsPage {
    private static let pattern = "\(Path.circles)/{circle}"
    private static let settings = "\(pattern)/settings"

    private static let forms = RouteGroup<Visitor>(
        pattern, for: .visitor(returningTo: Path.circles), on: settings)

    static let routes = [
        Route(
            .get, settings, .page, takes: .visitor, .ownCircle, .text("saved"),
            returns: .response, caching: .never
        ) { context, visitor, own, saved in
            try await page(context, visitor, own, saved: saved.flatMap(Saved.init))
        },
        forms.post(
            "/settings", takes: .ownCircle,
            .form(CirclesAPI.Changes.self, only: "name", "description", "visibility"),
            handler: change),
        forms.post(
            "/invitations", takes: .ownCircle,
            .form(CircleInvitationsAPI.NewInvitation.self, only: "uses", "days"),
            handler: invite),
        forms.post(
            "/invitations/{invitation}/revoke", takes: .ownCircle, .invitation, handler: revoke),
        forms.post("/members/{member}/remove", takes: .ownCircle, .circleMember, handler: remove),
        forms.post("/members/{member}/owner", takes: .ownCircle, .circleMember, handler: handOver),
        forms.post(
            "/webhook", takes: .ownCircle, .form(CircleWebhookAPI.NewWebhook.self),
            handler: connect),
        forms.post("/webhook/test", takes: .ownCircle, handler: test),
        forms.post("/webhook/remove", takes: .ownCircle, handler: disconnect),
        forms.post("/delete", takes: .ownCircle, handler: delete),
    ]

    /// The action that the page confirms.
    private enum Saved: String {
        case made, changed, revoked, removed, tested, disconnected

        var text: Words {
            switch self {
            case .made: .circleMade
            case .changed: .circleChanged
            case .revoked: .invitationRevoked
            case .removed: .memberRemoved
            case .tested: .webhookTested
            case .disconnected: .webhookRemoved
            }
        }

        func path(of circle: Circle) -> String {
            "\(Path.circleSettings(circle.slug))?saved=\(rawValue)"
        }
    }

    @Sendable private static func change(
        _ context: RequestContext, visitor: Visitor, own: CircleView, changes: CirclesAPI.Changes
    ) async throws -> Response {
        try await context.circles.change(
            own.circle, by: visitor.user, name: changes.name, description: changes.description,
            visibility: changes.visibility)
        return .seeOther(Saved.changed.path(of: own.circle))
    }

    @Sendable private static func invite(
        _ context: RequestContext, visitor: Visitor, own: CircleView,
        new: CircleInvitationsAPI.NewInvitation
    ) async throws -> Response {
        let made = try await context.circles.invite(
            to: own.circle.id, by: visitor.user, uses: new.uses, days: new.days)
        return try await page(context, visitor, own, made: made.token)
    }

    @Sendable private static func revoke(
        _ context: RequestContext, visitor: Visitor, own: CircleView, invitation: UUID
    ) async throws -> Response {
        try await context.circles.revoke(invitation, to: own.circle.id, by: visitor.user)
        return .seeOther(Saved.revoked.path(of: own.circle))
    }

    @Sendable private static func remove(
        _ context: RequestContext, visitor: Visitor, own: CircleView, member: UUID
    ) async throws -> Response {
        try await context.circles.remove(member, from: own.circle.id, by: visitor.user)
        return .seeOther(Saved.removed.path(of: own.circle))
    }

    @Sendable private static func handOver(
        _ context: RequestContext, visitor: Visitor, own: CircleView, member: UUID
    ) async throws -> Response {
        try await context.circles.handOver(own.circle.id, to: member, by: visitor.user)
        return .seeOther(CirclePage.Done.handedOver.path(of: own.circle))
    }

    @Sendable private static func connect(
        _ context: RequestContext, visitor: Visitor, own: CircleView,
        new: CircleWebhookAPI.NewWebhook
    ) async throws -> Response {
        let secret = try await context.circles.setWebhook(
            of: own.circle.id, to: new.address, by: visitor.user)
        return try await page(context, visitor, own, webhookSecret: secret)
    }

    @Sendable private static func test(
        _ context: RequestContext, visitor: Visitor, own: CircleView
    ) async throws -> Response {
        try await context.circles.testWebhook(of: own.circle.id, by: visitor.user)
        return .seeOther(Saved.tested.path(of: own.circle))
    }

    @Sendable private static func disconnect(
        _ context: RequestContext, visitor: Visitor, own: CircleView
    ) async throws -> Response {
        try await context.circles.removeWebhook(of: own.circle.id, by: visitor.user)
        return .seeOther(Saved.disconnected.path(of: own.circle))
    }

    @Sendable private static func delete(
        _ context: RequestContext, visitor: Visitor, own: CircleView
    ) async throws -> Response {
        try await context.circles.delete(own.circle.id, by: visitor.user)
        return .seeOther(CirclesPage.Done.deleted.path)
    }

    /// - Parameters:
    ///   - made: The invitation that was just made, which is shown this once.
    ///   - webhookSecret: The same for the secret of the webhook.
    private static func page(
        _ context: RequestContext, _ visitor: Visitor, _ own: CircleView, saved: Saved? = nil,
        made: SecretToken? = nil, webhookSecret: WebhookSecret? = nil
    ) async throws -> Response {
        let invitations = try await context.services.store.invitations(
            toCircle: own.circle.id, by: visitor.user.id)
        let webhook = try await context.services.store.webhook(
            ofCircle: own.circle.id, by: visitor.user.id)
        var page = PageModel(
            .settings(of: own.circle.name), description: .aboutCircleSettings, path: nil,
            section: .people, context: context.pageContext)
        page.isIndexed = false
        let path = Path.circle(own.circle.slug)
        let form = context.fields(
            of: "\(path)/settings",
            showing: [
                "name": own.circle.name, "description": own.circle.description,
                "visibility": own.circle.visibility.rawValue,
            ])
        let invitation = context.fields(
            of: "\(path)/invitations",
            showing: ["uses": "\(Circle.defaultUses)", "days": "\(Circle.defaultDays)"])
        let address = context.fields(of: "\(path)/webhook", showing: ["address": ""])
        let content = View.circleSettings(
            own.circle, keys: FormKeys(token: context.formToken().token), saved: saved?.text,
            problem: context.problem(besides: form, invitation, address),
            made: made.map {
                context.services.settings.publicURL + CircleInvitationPage.path(to: $0)
            },
            form: form, invitation: invitation,
            invitations: invitations.map {
                NamedAction(
                    placesLeft: $0.usesLeft, expiresAt: $0.expiresAt,
                    action: "\(path)/invitations/\($0.id.text)/revoke")
            },
            members: own.members.map { CircleMemberRow($0, of: path) },
            webhook: webhook.map(WebhookCard.init), webhookSecret: webhookSecret?.text,
            webhookForm: address, webhookLimit: WebhookAddress.limit)
        return .privatePage(page, content)
    }
}

extension WebhookCard {
    fileprivate init(_ webhook: CircleWebhook) {
        self.init(
            host: webhook.host, connectedAt: webhook.createdAt, deliveredAt: webhook.deliveredAt,
            failure: webhook.failure, hasEnded: webhook.hasEnded, dropped: webhook.dropped)
    }
}
