import Actions
import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// Invitation links to circles. Their tokens are in bodies only, which are never logged.
enum CircleInvitationsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/circles/{circle}/invitations",
            .api(
                "listCircleInvitations", .circles, "List the invitations to a circle",
                "For its owner: those that can still be used, the latest first."),
            takes: .user(.account), .circle,
            returns: .array(
                "invitations", of: V1.circleInvitation, "The invitations.",
                atMost: Circle.invitationLimit, "The open invitations.")
        ) { context, user, id in
            guard try await context.circle(id, seenBy: user.id).role == .owner else {
                throw CircleError.notFound
            }
            return try await context.services.store.invitations(toCircle: id, by: user.id)
        },

        Route(
            .post, "/api/v1/circles/{circle}/invitations",
            .api(
                "inviteToCircle", .circles, "Make an invitation to a circle",
                "For its owner. The response shows its link once."),
            takes: .user(.account), .circle, .json(NewInvitation.self),
            returns: .created(V1.newCircleInvitation, "The invitation with its link.") {
                $0.invitation.id.text
            },
            fails: [.conflict]
        ) { context, user, id, new in
            let made = try await context.circles.invite(
                to: id, by: user, uses: new.uses, days: new.days)
            return V1.NewCircleInvitation(
                invitation: made.invitation,
                link: context.services.settings.publicURL
                    + CircleInvitationPage.path(to: made.token))
        },

        Route(
            .delete, "/api/v1/circles/{circle}/invitations/{invitation}",
            .api(
                "revokeCircleInvitation", .circles, "Revoke an invitation to a circle",
                "For its owner. Succeeds for one that isn't there, too."),
            takes: .user(.account), .circle, .invitation, returns: .noContent
        ) { context, user, id, invitation in
            try await context.circles.revoke(invitation, to: id, by: user)
        },

        Route(
            .post, "/api/v1/circle-invitations",
            .api(
                "lookUpCircleInvitation", .circles, "See what an invitation is to",
                "Changes nothing. Needs no account: who has the link sees the circle's name.",
                isRead: true),
            takes: .json(Token.self),
            returns: .json(V1.circleOffer, "The circle, and who invites."),
            fails: [.invalidInvitation], caching: .never
        ) { context, body in
            let offer = try await context.services.store.circleOffer(
                tokenHash: body.invitation.hash, for: nil)
            guard let offer else { throw CircleError.invitationInvalid }
            return offer
        },

        Route(
            .post, "/api/v1/me/circles",
            .api(
                "joinCircle", .circles, "Join a circle",
                "With an invitation, which this uses up by one. Fellow members see the user's name; "
                    + "what else they see is up to the visibility of the user's list: only public "
                    + "lists are shown and counted. Someone who is a member already uses up nothing."
            ),
            takes: .user(.account), .json(Token.self),
            returns: .json(V1.circle, "The circle."), fails: [.conflict, .invalidInvitation],
            caching: .never,
            handler: join),
    ]

    @Sendable private static func join(
        _ context: RequestContext, user: User, body: Token
    ) async throws -> CircleView {
        let id = try await context.circles.join(with: body.invitation, as: user)
        return try await context.circle(id, seenBy: user.id)
    }

    struct Token: RequestBody {
        let invitation: SecretToken

        init?(from reader: inout JSONObjectReader) {
            let invitation = reader.required(
                "invitation",
                .parsed(.token, .english("This is no invitation.")) { SecretToken($0) },
                "The invitation's token: the parameter in its link.")
            guard let invitation else { return nil }
            self.invitation = invitation
        }
    }

    struct NewInvitation: RequestBody {
        let uses: Int
        let days: Int

        init?(from reader: inout JSONObjectReader) {
            uses =
                reader.optional(
                    "uses", .integer(Invitations.uses, example: Circle.defaultUses),
                    "For how many people; \(Circle.defaultUses) if omitted.")
                ?? Circle.defaultUses
            days =
                reader.optional(
                    "days", .integer(Invitations.days, example: Circle.defaultDays),
                    "How long it is valid; \(Circle.defaultDays) if omitted.")
                ?? Circle.defaultDays
        }
    }
}
